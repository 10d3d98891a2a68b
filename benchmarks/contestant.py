"""One training run of ours or of another library, on one core, that tells how far it is: a JSON line now and then.

    python benchmarks/contestant.py pacer:sac HalfCheetah-v4 --steps 3000
    .venv-peers/bin/python benchmarks/contestant.py sbx:SAC:fast HalfCheetah-v4 --seconds 600 --evaluate-every 5000

Names are LIBRARY:ALGORITHM, for pacer (our recipes), sb3 (with sb3-contrib) and sbx; `:fast` asks for 50 updates after
every 50 steps instead of one after each, which is how the other libraries are fastest and ours always works. All have
layers of 256 and 256, batches of 256, and 1,000 random steps first. Seconds are process time since the process began,
imports and compilation included for all, without that of evaluations. Each library runs in an interpreter of its own,
and only that one is imported.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

WARM_UP = 1_000
HIDDEN = [256, 256]
BATCH = 256
TOLD = 500  # steps between two lines
EPISODES = 5  # of an evaluation
AS_THEIRS = {"tqc": {"recipe.critic.members": 2, "recipe.critic.levels": 25}}  # sizes that the others come with


class Meter:
    """Counts the time of training alone, tells it, and knows when it is up."""

    def __init__(self, steps: int, seconds: float) -> None:
        self.steps, self.limit = steps, seconds
        self._start = time.process_time()

    @property
    def seconds(self) -> float:
        return time.process_time() - self._start

    @contextmanager
    def pause(self) -> Iterator[None]:
        before = time.process_time()
        yield
        self._start += time.process_time() - before

    def tell(self, step: int, score: float | None = None) -> None:
        print(json.dumps({"step": step, "seconds": self.seconds, "return": score}), flush=True)

    def over(self, step: int) -> bool:
        return step >= self.steps or self.seconds >= self.limit


def ours(recipe: str, env: str, seed: int, every: int, meter: Meter) -> None:
    import pacer
    from pacer.observers import STOP, Evaluated, Phase, Progress

    paused = meter.pause()

    def observe(event: Any) -> Any:
        nonlocal paused
        if isinstance(event, Phase) and event.name == "evaluating":
            paused = meter.pause()
            paused.__enter__()
        elif isinstance(event, Evaluated):
            paused.__exit__(None, None, None)
            meter.tell(event.step, event.mean("greedy"))
        elif isinstance(event, Progress):
            if event.step % TOLD == 0:
                meter.tell(event.step)
            return STOP if meter.over(event.step) else None
        return None

    schedule = pacer.Schedule(
        warm_up=WARM_UP, learn_after=WARM_UP, evaluate_every=every, checkpoint_every=every, evaluation_episodes=EPISODES
    )
    with tempfile.TemporaryDirectory() as folder:
        pacer.train(
            env,
            recipe,
            10_000_000,
            seed,
            schedule=schedule,
            overrides=AS_THEIRS.get(recipe),
            run_dir=folder,
            observers=[observe],
            quiet=True,
        )


def theirs(library: str, algorithm: str, fast: bool, env: str, seed: int, every: int, meter: Meter) -> None:
    import gymnasium
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.evaluation import evaluate_policy

    class Teller(BaseCallback):
        def _on_step(self) -> bool:
            step = self.num_timesteps
            if step % every == 0:
                with meter.pause():
                    scores: Any = evaluate_policy(self.model, examination, EPISODES, warn=False)
                meter.tell(step, float(scores[0]))
            elif step % TOLD == 0:
                meter.tell(step)
            return not meter.over(step)

    if library == "sbx":
        import sbx as module
    elif algorithm == "TQC":
        import sb3_contrib as module
    else:
        import stable_baselines3 as module
    examination = gymnasium.make(env)
    model = getattr(module, algorithm)(
        "MlpPolicy",
        gymnasium.make(env),
        batch_size=BATCH,
        learning_starts=WARM_UP,
        train_freq=50 if fast else 1,
        gradient_steps=50 if fast else 1,
        policy_kwargs={"net_arch": HIDDEN},
        seed=seed,
        **({"device": "cpu"} if library == "sb3" else {}),
    )
    model.learn(10_000_000, callback=Teller())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("env")
    parser.add_argument("--steps", type=int, default=10_000_000)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--evaluate-every", type=int, default=10_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--core", type=int, help="to run on; any by default")
    arguments = parser.parse_args()
    if arguments.core is not None:
        os.sched_setaffinity(0, {arguments.core})
    # One thread for everyone; these are read when a library is imported.
    os.environ |= {"NPROC": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    os.environ["JAX_ENABLE_COMPILATION_CACHE"] = "false"  # everyone compiles
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_cpu_multi_thread_eigen=false"
    library, algorithm, *fast = arguments.name.split(":")
    meter = Meter(arguments.steps, arguments.seconds)
    rest = arguments.env, arguments.seed, arguments.evaluate_every, meter
    if library == "pacer":
        ours(algorithm, *rest)
    else:
        theirs(library, algorithm, bool(fast), *rest)


if __name__ == "__main__":
    main()
