"""An algorithm of your own: a recipe of pieces that exist. A line in `RECIPES` of recipes.py would give it a name."""

import os

import pacer
from pacer.pieces import (
    AdamW,
    Clipped,
    Fixed,
    FixedQuantile,
    MeanMinusDeviation,
    PushForward,
    Recipe,
    Residual,
    Sliced,
)

STEPS = int(os.environ.get("STEPS", 10_000))
RUN = "runs/own-algorithm"

CAUTIOUS = Recipe(
    actor=PushForward(),
    critic=FixedQuantile(body=Residual(width=64), members=3, levels=8),
    encourager=Sliced(),
    weight=Fixed(0.1),
    target_pessimism=MeanMinusDeviation(0.5),
    critic_optimiser=Clipped(AdamW(3e-4), norm=10.0),
)

if __name__ == "__main__":
    pacer.train("Pendulum-v1", CAUTIOUS, STEPS, run_dir=RUN)

    agent = pacer.load(RUN)
    print(agent.recipe.critic, "plays", agent.predict([1.0, 0.0, 0.0], deterministic=True)[0])
