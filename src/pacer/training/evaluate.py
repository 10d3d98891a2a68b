"""Judges a policy: whole episodes on raw rewards, in an environment of its own."""

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from pacer.observers.events import Episode, Mode
from pacer.training import seeds
from pacer.training.measures import Measures, Numbers
from pacer.training.play import Choose, Stage, Step, play
from pacer.training.world import Vector, World
from pacer.training.worlds import InTurn

MODES: tuple[Mode, ...] = ("greedy", "sampled")


class Acting(Protocol):
    """What is judged: a policy, or whoever stands in for it."""

    def greedy(self, obs: Vector) -> ArrayLike: ...

    def sampled(self, obs: Vector, rng: np.random.Generator) -> ArrayLike: ...


def evaluate(
    world: World,
    policy: Acting,
    episodes: int,
    seed: int,
    step: int,
    discount: float,
    modes: Iterable[Mode] = MODES,
) -> tuple[Episode, ...]:
    """Episodes whose starts depend on (seed, step, number) alone, so both modes meet the same ones."""
    played = ((m, n, play_episode(world, policy, m, n, seed, step)) for m in modes for n in range(episodes))
    return tuple(_judge(mode, number, steps, discount, world.measures) for mode, number, steps in played)


def play_episode(
    world: World,
    policy: Acting,
    mode: Mode,
    number: int,
    seed: int,
    step: int,
    look: Callable[[], object] = lambda: None,
) -> Iterator[Step]:
    """The steps of an evaluation's episode: the same whenever it is played, to be judged or to be filmed.

    `look` is called before every action is chosen.
    """
    rng = seeds.generator(seed, seeds.EVALUATION, step, number)
    start = seeds.integer(seed, seeds.EVALUATION, step, number)
    after = f", after {step} steps of training" if step else ""
    name = f"{mode} evaluation episode {number}{after}"

    def choose(_: int, obs: Vector) -> ArrayLike:
        look()
        return policy.greedy(obs) if mode == "greedy" else policy.sampled(obs, rng)

    return play_once(world, start, name, choose)


def play_once(world: World, start: int, name: str, choose: Choose) -> Iterator[Step]:
    """One whole episode from the seed `start`; one without an end is cut."""
    for played in play(Stage(InTurn([world])), range(world.longest), lambda _: (start, name), choose):
        yield played
        if played.ended:
            return


def _judge(mode: Mode, number: int, steps: Iterator[Step], discount: float, measures: Measures) -> Episode:
    total, discounted, weight = 0.0, 0.0, 1.0
    measured: list[Numbers] = []
    ended = False
    for step in steps:
        ended = step.ended
        total += step.reward
        discounted += weight * step.reward
        weight *= discount
        measured.append(step.measured)
    return Episode(mode, number, total, len(measured), discounted, measures.over(measured), cut=not ended)
