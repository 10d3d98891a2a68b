"""Several runs in one process that differ in their seeds alone: each in its folder, and all their updates in one block.

The block is mapped over the runs, which pays where a processor is wider than one run is, as a GPU is. They go in step;
whoever is behind, after an interruption, catches up first. A run that fails leaves the others alone.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress

import jax

from pacer.config import Config
from pacer.observers import Audience, Observer
from pacer.observers.csv_log import CsvLog
from pacer.runs.folder import RunFolder
from pacer.training.learn import Learned, accept, learn_together
from pacer.training.loop import Training
from pacer.training.state import RunState
from pacer.training.stopping import Stopped
from pacer.training.watch import Leave, Watch
from pacer.training.workers import open_worlds
from pacer.training.world import MakeEnvironment


def run_together(
    runs: Sequence[tuple[Config, RunFolder, Sequence[Observer]]], make: MakeEnvironment, width: int
) -> dict[RunFolder, Exception]:
    """Train them all, in blocks that are compiled for `width` runs; the errors of those that failed."""
    watch = Watch()
    members: list[Member] = []
    errors: dict[RunFolder, Exception] = {}
    with watch.on_duty(), ExitStack() as stack:
        with suppress(Leave):  # where worlds were still being made: the runs that have theirs are ended in order
            for config, folder, observers in runs:
                audience = Audience([CsvLog(folder, config), *observers])
                try:
                    worlds = open_worlds(make, config.environment, config.envs, 0, watch, audience.warn)
                    lanes, examination = stack.enter_context(worlds)
                    members.append(Member(Training(config, folder, lanes, examination, audience, watch)))
                except Exception as error:
                    errors[folder] = error
        train(members, width)
    if watch.asked:
        raise watch.asked
    if not all(member.error or member.done for member in members):
        raise Stopped("an observer")
    return errors | {member.training.folder: member.error for member in members if member.error}


class Member:
    """A run among several: where it is, and the error that ended it, if one did."""

    def __init__(self, training: Training) -> None:
        self.training = training
        self.state = training.load()
        self.error: Exception | None = None
        self.ended = False

    @property
    def done(self) -> bool:
        return self.training.done(self.state)

    @property
    def going_on(self) -> bool:
        return not (self.error or self.done or self.training.stopped)

    def attempt(self, act: Callable[[RunState], RunState], state: RunState) -> RunState | None:
        """The state after this; nothing where it fails, which ends this run and no other."""
        try:
            return act(state)
        except Exception as error:
            self.error = error
            self.training.fail(self.state, error)
            return None

    def reach(self, act: Callable[[RunState], RunState], state: RunState) -> None:
        """The run is where this leads, or has failed."""
        self.state = self.attempt(act, state) or self.state

    def settle(self, state: RunState, learned: Learned | None, seconds: float) -> None:
        """After a block of steps and, if there was one, of updates, of which this run's share took so long."""

        def act(state: RunState) -> RunState:
            self.training.spend("learn", seconds)
            state, metrics = accept(self.training.config, state, learned) if learned else (state, {})
            return self.training.settle(state, metrics)

        self.reach(act, state)

    def end(self) -> None:
        def act(state: RunState) -> RunState:
            if not self.done:
                self.training.checkpoint(state)
            self.training.end(state, "finished" if self.done else "stopped")
            return state

        if not self.error:
            self.reach(act, self.state)
            self.ended = True


def train(members: Sequence[Member], width: int) -> None:
    """From their checkpoints to the end of all, or to where somebody asks for one."""
    try:
        with suppress(Leave):  # raised in a call of an environment, of which no state knows yet
            for member in members:
                member.reach(member.training.begin, member.state)
            while going_on := [member for member in members if member.going_on]:
                step = min(member.state.step for member in going_on)
                advance([member for member in going_on if member.state.step == step], width)
        for member in members:
            member.end()
    except BaseException as error:
        for member in members:
            if not (member.error or member.ended):
                member.training.fail(member.state, error)
        raise


def advance(members: Sequence[Member], width: int) -> None:
    """One block of runs that are at the same step, and the evaluation after it. No state changes before all learned."""
    tried = [(member, member.attempt(member.training.collect, member.state)) for member in members]
    collected = [(member, state) for member, state in tried if state]
    learned: list[Learned | None] = [None] * len(collected)
    start = time.perf_counter()
    learning = [member.training.learns(state) for member, state in collected]  # the same of all, and said by each
    if any(learning):
        runs = [(member.training.config, state, member.training.replay) for member, state in collected]
        learned = [*jax.block_until_ready(learn_together(runs, width))]  # else the wait would not be timed
    seconds = time.perf_counter() - start
    for (member, state), block in zip(collected, learned, strict=True):
        member.settle(state, block, seconds / len(collected))
    for member, _ in collected:
        if not member.error:
            member.reach(member.training.evaluate_if_due, member.state)
