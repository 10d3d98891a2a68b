"""`pacer export`: a trained policy for programs without JAX."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from pacer.exports.folder import export


@dataclass(frozen=True)
class Arguments:
    """Write a trained policy for NumPy, and if asked for ONNX, into a folder that can be copied anywhere."""

    run: Annotated[Path, tyro.conf.Positional]
    """A run folder, or an agent folder in it: RUN/best, RUN/snapshots/STEP."""
    output: Path | None = None
    """The folder; export/ in the named folder by default."""
    onnx: bool = False
    """Also greedy.onnx and sampled.onnx, from raw observations (and noise) to actions in the environment's bounds."""
    card: bool = False
    """Also README.md, a model card for a model hub."""
    licence: str = "unknown"
    """The licence under which you give the policy away, as hubs name it: mit, cc-by-4.0."""


def main(arguments: list[str]) -> None:
    chosen = tyro.cli(Arguments, args=arguments, prog="pacer export")
    made = export(chosen.run, chosen.output, onnx=chosen.onnx, card=chosen.card, licence=chosen.licence)
    print(f"the policy is in {made.path}; `python {made.path}/play.py NUMBER...` plays it")
    print(f"NumPy: within {made.numpy:.1e} of the agent, in units of half an action's range")
    if made.onnx is not None:
        print(f"ONNX: within {made.onnx:.1e}")
    elif chosen.onnx:
        print("ONNX: not run, since there is no onnxruntime: pip install 'pacer-rl[export]'")
