"""An encourager of your own: one frozen dataclass. Adaptive weights, files and logs work with it as they are."""

import os
from dataclasses import dataclass, replace

import pacer
from pacer.pieces import MovingDual, SampleEncourager
from pacer.pieces.types import Actions, Array
from pacer.recipes import PTD3

STEPS = int(os.environ.get("STEPS", 10_000))
RUN = "runs/own-encourager"


@dataclass(frozen=True)
class Moments(SampleEncourager):
    """Gap to the uniform distribution in the first two moments of every action dimension."""

    samples: int = 32
    states: int = 16

    def penalty(self, actions: Actions, key: Array) -> Array:
        x = actions.action  # (samples, states, action size); the penalty is one number per state
        return (x.mean(0) ** 2 + ((x**2).mean(0) - 1 / 3) ** 2).sum(-1)


if __name__ == "__main__":
    recipe = replace(PTD3, encourager=Moments(), weight=MovingDual())
    pacer.train("Pendulum-v1", recipe, STEPS, run_dir=RUN)

    agent = pacer.load(RUN)  # any program that has imported the class can load it
    print(agent.recipe.encourager, "ends at a distance of", pacer.Run(RUN).progress()["distance"][-1])
