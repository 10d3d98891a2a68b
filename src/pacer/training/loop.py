"""The run: collect, remember, learn, tell, keep, evaluate; and go on exactly where it stopped."""

import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Literal

import jax
import numpy as np

from pacer.agent import Agent
from pacer.config import Config
from pacer.errors import EnvironmentFailed, option, shown
from pacer.observers import Audience, Evaluated, Finished, Observer, Phase, Progress, Started
from pacer.observers.csv_log import CsvLog
from pacer.pieces.types import Transition
from pacer.runs.checkpoints import REPLAY
from pacer.runs.folder import RunFolder
from pacer.runs.lock import TakenOver
from pacer.training import seeds
from pacer.training.checkpoints import check_spaces, load_checkpoint, save_checkpoint
from pacer.training.collect import Collector
from pacer.training.evaluate import evaluate
from pacer.training.explore import Explorer
from pacer.training.health import Health, Witness
from pacer.training.learn import accept, learn
from pacer.training.replay import Replay
from pacer.training.state import RunState, initial_state
from pacer.training.stopping import Stopped
from pacer.training.trial import unrepeated
from pacer.training.watch import Leave, Watch
from pacer.training.workers import open_worlds
from pacer.training.world import MakeEnvironment, World
from pacer.training.worlds import Worlds

LEARNED = 2_000  # updates: a critic that has hardly learned has no health yet
EXPERIENCE = 1_000  # steps whose rewards say what returns are possible
ACTIVITIES = ("collect", "learn", "evaluate")


def run(
    config: Config,
    folder: RunFolder,
    make: MakeEnvironment,
    observers: Sequence[Observer] = (),
    env_workers: int = 0,
    step_timeout: float | None = None,
    start: Agent | None = None,
) -> None:
    """Train until `config.steps`, from the folder's checkpoint if it has one.

    `env_workers` processes step the environments, or this one does if there are none; the results are the same.
    A call of an environment that takes longer than `step_timeout` seconds ends the run. A run without a checkpoint
    begins with new networks, or with those of the agent `start`.
    """
    audience = Audience([CsvLog(folder, config), *observers])
    watch = Watch(step_timeout)
    finished = False
    with watch.on_duty(), suppress(Leave):  # where it was still making its worlds
        worlds = open_worlds(make, config.environment, config.envs, env_workers, watch, audience.warn)
        with worlds as (lanes, examination):
            finished = train(Training(config, folder, lanes, examination, audience, watch), start)
    if watch.late:
        raise watch.explain()
    if not finished:
        raise watch.asked or Stopped("an observer")


def train(training: "Training", start: Agent | None) -> bool:
    """From the checkpoint to the end, or to where somebody asks for one; whether all is done."""
    state = training.load(start)
    try:
        try:
            state = training.begin(state)
            while not training.done(state) and not training.stopped:
                state = training.advance(state)
                state = training.evaluate_if_due(state)
        except Leave:
            pass  # raised in a call of an environment, of which `state` knows nothing yet
        if not training.done(state):
            training.checkpoint(state)
    except BaseException as error:
        training.fail(state, error)
        raise
    training.end(state, "finished" if training.done(state) else "failed" if training.watch.late else "stopped")
    return training.done(state)


class Training:
    """What stays the same from block to block, and the steps from one state of the run to the next."""

    def __init__(
        self,
        config: Config,
        folder: RunFolder,
        worlds: Worlds,
        examination: World,
        audience: Audience,
        watch: Watch,
    ) -> None:
        self.config, self.schedule, self.space = config, config.schedule, examination.space
        self.folder, self.examination, self.audience, self.watch = folder, examination, audience, watch
        self.replay = Replay(self.space, self.schedule.replay_capacity, config.envs, self.schedule.block)
        self.collector = Collector(worlds, self.replay, config)
        self.explorer = Explorer(config, self.space)
        self.health = Health(config, examination, audience.warn)
        self._learned = False
        self._saves = 0  # that were asked for and made
        self._seconds = dict.fromkeys(ACTIVITIES, 0.0)

    @property
    def stopped(self) -> bool:
        """Whether somebody asked for an early end."""
        return self.watch.asked is not None or self.audience.asked_to_stop

    def done(self, state: RunState) -> bool:
        return bool(state.step >= self.config.steps and not state.evaluation_due)

    def load(self, start: Agent | None = None) -> RunState:
        """The newest checkpoint's state, or the first; the folder's logs are cut to it."""
        check_spaces(self.folder, self.examination)
        state, found = load_checkpoint(self.folder, initial_state(self.config, self.space, start), self.replay)
        warnings = self.folder.begin(found)
        self.audience.tell(Started(int(state.step), float(state.best)))
        for warning in warnings:
            self.audience.warn(warning)
        return state

    def begin(self, state: RunState) -> RunState:
        """Bring the worlds to where the state is, and make up for an evaluation that did not take place."""
        if not state.step and (problem := unrepeated(self.examination, self.config.seed)):
            self.folder.describe(bit_exact=False)
            self.audience.warn(
                f"{self.config.environment} is not reproducible: the same seed and actions gave {problem}. "
                "The run goes on, but it cannot be repeated, nor continued exactly"
            )
        if self.config.steps < self.schedule.learn_after:
            self.audience.warn(
                f"nothing will be learned: the run ends after {self.config.steps:,} steps, and learning begins after "
                f"{self.schedule.learn_after:,}. Train for longer, or set schedule.learn_after"
            )
        lanes, problems = self.collector.restore(state.lanes)
        if problems:
            self.folder.describe(bit_exact=False)
        for problem in dict.fromkeys(problems):
            self.audience.warn(f"{problem}: a new episode begins")
        return self.evaluate_if_due(state._replace(lanes=lanes))

    def advance(self, state: RunState) -> RunState:
        """One block: steps, updates, the news, and what is to be kept."""
        state = self.collect(state)
        if not self.learns(state):
            return self.settle(state, {})
        with self._timed("learn"):
            state, metrics = accept(self.config, state, learn(self.config, state, self.replay))
        return self.settle(state, metrics)

    def collect(self, state: RunState) -> RunState:
        """A block of steps."""
        steps = range(int(state.step), int(state.step) + self.schedule.block)
        with self._timed("collect"), self._keeping(state):
            collected = self.collector.collect(state.lanes, steps, self.explorer.choose(state))
            return state.after(collected, self.config.recipe)

    def learns(self, state: RunState) -> bool:
        """Whether a block of updates follows the steps that were just made; the first is compiled, which is said."""
        learning = bool(state.step >= self.schedule.learn_after)
        if learning and not self._learned:
            self.audience.tell(Phase("compiling"))
        self._learned |= learning
        return learning

    def settle(self, state: RunState, metrics: dict[str, float]) -> RunState:
        """After a block: the news, and what is to be kept."""
        state = state._replace(evaluation_due=np.array(self._due(state, self.schedule.evaluate_every)))
        self._tell_progress(state, metrics)
        self.health.hear(int(state.lanes.steps.max()), metrics)
        if self.replay.crowded(state.lanes.rows):
            self.replay.save(self.folder.path / REPLAY, state.lanes.rows, state.lanes.going_on)
        every = self.schedule.snapshot_every
        if state.step in self.config.phases or (every and state.step % every == 0):
            self._agent(state).save(self.folder.path / "snapshots" / str(state.step))
        if self._due(state, self.schedule.checkpoint_every) or self.watch.saves_wanted > self._saves:
            self._saves = self.watch.saves_wanted
            self.checkpoint(state)
        return state

    def evaluate_if_due(self, state: RunState) -> RunState:
        """Comes after the checkpoint of its step, so that nothing is lost by an evaluation that fails or hangs."""
        if not state.evaluation_due or self.stopped:
            return state
        agent, step, count = self._agent(state), int(state.step), self.schedule.evaluation_episodes
        seed, discount = self.config.seed, self.config.recipe.discount
        self.audience.tell(Phase("evaluating"))
        witness = Witness(agent.policy, [])
        with self._timed("evaluate"), self._keeping(state):
            episodes = evaluate(self.examination, witness, count, seed, step, discount)
        told = Evaluated(step, episodes)
        if told.mean("greedy") > state.best:
            state = state._replace(best=np.array(told.mean("greedy")))
            agent.save(self.folder.path / "best")
        self.audience.tell(told)
        if state.learner.updates >= LEARNED:
            self.health.examine(agent, witness.seen, told, self._experience(state))
        return state._replace(evaluation_due=np.array(False))

    def checkpoint(self, state: RunState) -> None:
        """Unless there is one of this step. That may have its evaluation still to come, which an observer that stops
        the run there would hear again and again, so that then it is written anew."""
        if self.audience.asked_to_stop or [p.name for p in self.folder.checkpoints()[:1]] != [str(state.step)]:
            self.folder.check()
            self.audience.tell(Phase("saving"))
            self._agent(state).save(self.folder.path / "agent")
            save_checkpoint(self.folder, state, self.replay)

    def end(self, state: RunState, status: Literal["finished", "stopped", "failed"]) -> None:
        if status == "finished":
            self.folder.finish(self.config.steps)
            if not self.schedule.keep_replay:
                shutil.rmtree(self.folder.path / REPLAY, ignore_errors=True)
        else:
            self.folder.describe(status=status)
        self.audience.tell(Finished(int(state.step), status))

    def fail(self, state: RunState, error: BaseException) -> None:
        """The end of a run by an error, which nothing that now goes wrong may hide."""
        try:
            self.end(state, "stopped" if self.watch.asked else "failed")  # a second signal is no failure
        except TakenOver:
            pass  # which is the error, or the reason that it matters to nobody
        except Exception as second:
            error.add_note(f"The failure could not be written down: {shown(second)}")

    def _tell_progress(self, state: RunState, metrics: dict[str, float]) -> None:
        seconds, self._seconds = self._seconds, dict.fromkeys(ACTIVITIES, 0.0)
        episodes = int(state.lanes.episode.sum())
        self.audience.tell(Progress(int(state.step), episodes, state.train_return, metrics, seconds))

    def _experience(self, state: RunState) -> Transition:
        """A batch for those who only look, and the step that was paid most: rare rewards are easily missed."""
        rows, discount = state.lanes.rows, self.config.recipe.discount
        rng = seeds.generator(self.config.seed, seeds.EVALUATION, int(state.step))
        drawn, most = self.replay.sample(rows, rng, 1, EXPERIENCE, discount), self.replay.most_paid(rows, discount)
        return Transition(*(np.concatenate([some[0], one]) for some, one in zip(drawn, most, strict=True)))

    def _agent(self, state: RunState) -> Agent:
        networks = jax.tree.map(np.asarray, state.learner.online)
        low, high = self.examination.low, self.examination.high
        return Agent(self.config.recipe, networks, state.scaling(self.config.recipe), low, high)

    def _due(self, state: RunState, every: int) -> bool:
        return bool(state.step == self.config.steps or state.step % every == 0)

    @contextmanager
    def _keeping(self, state: RunState) -> Iterator[None]:
        """While a world has its say: if it fails, what was learned so far is kept."""
        try:
            yield
        except Exception as error:
            try:
                self.checkpoint(state)
            except Exception as second:  # a full disk, say: the first error is the one to tell
                error.add_note(f"What was learned since the last checkpoint could not be saved: {second}")
            if isinstance(error, EnvironmentFailed):
                error.add_note(
                    "The same command goes on from there, and where the failure is drawn from the episode's seed it "
                    "comes again: a mended environment is another one, which begins with what was learned by "
                    f"{option('start-from')}"
                )
            raise

    @contextmanager
    def _timed(self, what: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.spend(what, time.perf_counter() - start)

    def spend(self, what: str, seconds: float) -> None:
        """Time of one of the activities."""
        self._seconds[what] += seconds
