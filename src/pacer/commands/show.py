"""`pacer show`: what a trained agent does and expects, in one picture."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro

from pacer.envs.make import parse_options
from pacer.errors import PacerError
from pacer.experiments.show import show


@dataclass(frozen=True)
class Arguments:
    """Draw an agent's actions and expected returns in a few states, beside the returns it gets, and its run's curve."""

    run: Annotated[Path, tyro.conf.Positional]
    """A run folder, or an agent folder in it: RUN/best, RUN/snapshots/STEP."""
    output: Path | None = None
    """The picture, by its name a PNG, SVG, PDF or HTML; show.png in the named folder by default."""
    states: int = 3
    """States of an episode that are looked at."""
    observations: Path | None = None
    """A CSV or NPY file of the states to look at instead, one a row; then nothing is played."""
    samples: int = 20_000
    """Actions per state and phase, for the heat maps of `pacer report`; 2,000 of them are drawn here."""
    episodes: int = 20
    """Episodes per state that returns are taken of."""
    seed: int = 0
    env: str | None = None
    """The environment, where the run was trained on one of your own: module:Id-v0."""
    env_kwargs: str | None = None
    """Its options, as JSON."""
    wrapper: tuple[str, ...] = ()
    """Its wrappers, as module:Class."""


def main(arguments: list[str]) -> None:
    chosen = tyro.cli(Arguments, args=arguments, prog="pacer show")
    output = chosen.output or chosen.run / "show.png"
    given = None if chosen.observations is None else read_observations(chosen.observations)
    options: dict[str, Any] = {"states": chosen.states, "samples": chosen.samples, "episodes": chosen.episodes}
    options |= {"env": chosen.env, "wrappers": chosen.wrapper or None}
    options["env_kwargs"] = None if chosen.env_kwargs is None else parse_options(chosen.env_kwargs)
    show(chosen.run, output, observations=given, seed=chosen.seed, **options)
    print(f"the picture is {output}")


def read_observations(path: Path) -> Any:
    """Rows of numbers, separated by commas or as NumPy keeps them."""
    try:
        read = np.load(path, allow_pickle=False) if path.suffix == ".npy" else np.loadtxt(path, delimiter=",", ndmin=2)
        return np.asarray(read, np.float32)
    except (OSError, ValueError) as error:
        raise PacerError(f"{path} holds no rows of numbers: {error}. Expected CSV without a head, or NPY") from error
