"""Every piece and every recipe, in a size that tests can afford. A new piece is covered by adding it here."""

from dataclasses import replace

import jax
import numpy as np
import pytest

from pacer.agent import Agent
from pacer.pieces import (
    MLP,
    MMD,
    BatchNorm,
    Categorical,
    Deterministic,
    Expected,
    FixedQuantile,
    Flow,
    Gaussian,
    Generator,
    LayerNorm,
    Networks,
    Proposed,
    PushForward,
    Quantile,
    Recipe,
    Repulsion,
    Residual,
    SemiImplicit,
    Sliced,
    Space,
    TruncatedNormal,
    Volume,
    Wasserstein,
)
from pacer.presets import Size
from pacer.recipes import RECIPES
from pacer.training.statistics import Moments

WIDTHS = (32, 32)
BODY = MLP(WIDTHS)
SMALL = Size(hidden=WIDTHS, levels=8, samples=12, batch=32, warm_up=0)
SPACE = Space(observation=3, action=2)

ACTORS = {
    "push-forward": PushForward(BODY),
    "push-forward, squared noise": PushForward(BODY, noise_power=2),
    "push-forward, skip": PushForward(BODY, skip=0.6),
    "push-forward, medoid": PushForward(BODY, greedy_rule="medoid"),
    "push-forward, densest": PushForward(BODY, skip=0.6, greedy_rule="densest"),
    "gaussian": Gaussian(BODY),
    "deterministic": Deterministic(BODY),
    "semi-implicit": SemiImplicit(BODY),
    "flow": Flow(BODY, coupling=16),
    "flow, three layers": Flow(BODY, coupling=16, layers=3),
}
CRITICS = {
    "quantile": Quantile(BODY, levels=8),
    "quantile, first": Quantile(BODY, levels=8, merge="first"),
    "quantile, own levels": Quantile(BODY, levels=8, shared_levels=False),
    "quantile, first, own levels": Quantile(BODY, levels=8, merge="first", shared_levels=False),
    "quantile, as in DSAC": Quantile(BODY, levels=8, merge="first", gate="sigmoid", gate_norm=LayerNorm()),
    "quantile, mean by squares": Quantile(BODY, levels=8, mean="squares"),
    "quantile, mean with a head": Quantile(BODY, levels=8, mean="head"),
    "quantile, one member": Quantile(BODY, levels=8, members=1),
    "expected": Expected(BODY),
    "expected, one member": Expected(BODY, members=1),
    "fixed quantile": FixedQuantile(BODY, levels=8),
    "fixed quantile, three members": FixedQuantile(BODY, levels=8, members=3),
    "categorical": Categorical(BODY, atoms=21, lowest=-5, highest=5),
    "generator": Generator(BODY, levels=8),
    "proposed": Proposed(Quantile(BODY, levels=8), proposal=MLP((16,))),
}
# Every piece that has a body, with bodies that keep statistics or are not perceptrons. Those that only put another
# head on it are tested with the slow ones.
BODIES = {"batch norm": MLP((16, 16), BatchNorm()), "residual": Residual(16, expansion=2)}
for kind, body in BODIES.items():
    for name in ("push-forward", "gaussian", "deterministic", "semi-implicit", "flow"):
        ACTORS[f"{name}, {kind}"] = replace(ACTORS[name], body=body)
    for name in ("quantile", "quantile, first", "expected", "fixed quantile", "categorical", "generator"):
        CRITICS[f"{name}, {kind}"] = replace(CRITICS[name], body=body, members=1)
    CRITICS[f"proposed, {kind}"] = Proposed(Quantile(body, levels=8, members=1), proposal=body)
HEADS = ("deterministic", "semi-implicit", "fixed quantile", "categorical", "generator")
ALIKE = [f"{name}, {kind}" for name in HEADS for kind in BODIES]
ENCOURAGERS = {
    "mmd": MMD(samples=12),
    "mmd, squared": MMD(samples=12, kernel="squared_energy"),
    "mmd, gaussian": MMD(samples=12, kernel="gaussian"),
    "mmd, truncated normal": MMD(samples=12, reference=TruncatedNormal(0.4)),
    "mmd, without root": MMD(samples=12, root=False),
    "repulsion": Repulsion(actions=12, states=16),
    "wasserstein": Wasserstein(samples=12),
    "wasserstein, p = 1": Wasserstein(samples=12, p=1.0),
    "wasserstein, plain": Wasserstein(samples=12, debiased=False, epsilon=0.05),
    "sliced": Sliced(samples=12),
    "volume": Volume(states=16),
}


def small_agent(actor=ACTORS["push-forward"], actions=2):
    """An agent whose parameters, statistics and bounds are all different from their defaults."""
    space, critic, rng = Space(3, actions), Expected(BODY, members=1), np.random.default_rng(0)

    def drawn(leaf):
        if leaf.ndim == 2:
            return np.float32(rng.normal(size=leaf.shape) / max(leaf.shape[0], 1) ** 0.5)
        return np.float32(rng.uniform(0.1, 0.6, leaf.shape))  # a variance must be above 0

    made = jax.eval_shape(lambda key: Networks(actor.init(key, space), critic.init(key, space)), jax.random.key(0))
    scaling = Moments.empty(3).fold(rng.normal(2, 3, (50, 3))).scaling()
    low = -1 - np.arange(actions, dtype=np.float32)
    return Agent(Recipe(actor, critic), jax.tree.map(drawn, made), scaling, low, low + 3)


def each(pieces):
    """The pieces as parameters of a test: one process compiles all of a piece."""
    marks = {name: [pytest.mark.slow] if name in ALIKE else [] for name in pieces}
    return [pytest.param(p, id=name, marks=[pytest.mark.xdist_group(name), *marks[name]]) for name, p in pieces.items()]


def small(recipe):
    """The recipe in the small size, its encourager content with the states of a small batch."""
    if recipe.encourager.states > SMALL.batch:
        recipe = replace(recipe, encourager=replace(recipe.encourager, states=SMALL.batch))
    return SMALL.apply(recipe)


SMALL_RECIPES = {name: small(recipe) for name, (_, recipe) in RECIPES.items()}
