"""An observer of your own: anything that can be called with the events of a run. This one ends it at a target."""

import os
from dataclasses import dataclass
from typing import Any

import pacer
from pacer.observers import STOP, Evaluated, Event

STEPS = int(os.environ.get("STEPS", 20_000))
RUN = "runs/own-observer"


@dataclass(frozen=True)
class Until:
    """Tells every evaluation and asks to stop once the policy is good enough."""

    target: float

    def __call__(self, event: Event) -> Any:
        if not isinstance(event, Evaluated):
            return None
        print(f"step {event.step}: mean return {event.mean('greedy'):.0f}")
        return STOP if event.mean("greedy") >= self.target else None


if __name__ == "__main__":
    often = {"schedule.evaluate_every": 1_000}
    pacer.train("Pendulum-v1", "sac", STEPS, run_dir=RUN, overrides=often, observers=[Until(-200.0)])

    agent = pacer.load(RUN)  # the same call with another target would train on
    print(pacer.Run(RUN).status, "with", agent.predict([1.0, 0.0, 0.0], deterministic=True)[0])
