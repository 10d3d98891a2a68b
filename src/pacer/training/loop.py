"""The run: collect, remember, learn, evaluate, record; and go on exactly where it stopped."""

import time
from collections import deque
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from pacer import learner
from pacer.agent import Agent, Policy
from pacer.config import Config
from pacer.errors import PacerError
from pacer.observers.events import Episode
from pacer.pieces.trees import from_arrays, to_arrays
from pacer.pieces.types import Array, Network
from pacer.runs.arrays import load_arrays, save_arrays
from pacer.runs.files import load_json, save_json
from pacer.runs.folder import RunFolder, verify_checkpoint
from pacer.training import seeds
from pacer.training.collect import Collector, Position
from pacer.training.evaluate import evaluate, mean_return
from pacer.training.replay import Replay
from pacer.training.statistics import Moments
from pacer.training.stopping import Stopped, signals
from pacer.training.world import MakeEnvironment, World

SNAPSHOTS = (0.1, 0.5, 1.0)  # fractions of the run at which a policy is kept for heat maps
RECENT = 10  # episodes in the training return that is shown

Report = Callable[[dict[str, Any]], None]


class Diverged(PacerError):
    """Learning produced numbers that are not finite; the last checkpoint is from before."""


def run(config: Config, folder: RunFolder, make: MakeEnvironment, report: Report = lambda facts: None) -> None:
    """Train until `config.steps`, from the folder's checkpoint if it has one."""
    training = Training(config, folder, make, report)
    try:
        folder.begin(training.load_checkpoint())
        try:
            with signals(training.stop):
                _advance_until_done(training)
        except BaseException:
            folder.describe(status="failed")
            raise
    finally:
        training.close()
    if not training.done:
        folder.describe(status="stopped")
        raise Stopped(training.stop_signal)
    folder.finish(config.steps)
    if not config.schedule.keep_replay:
        (folder.path / "replay.bin").unlink(missing_ok=True)


def _advance_until_done(training: "Training") -> None:
    try:
        training.restore_episode()
        training.evaluate_if_due()
        while not training.done and not training.stop_signal:
            training.advance()
            training.evaluate_if_due()
    except Exception:
        if training.whole:
            training.checkpoint()  # whatever went wrong, what was learned is kept
        raise
    if training.stop_signal:
        training.checkpoint()


class Training:
    """The state of a run between two blocks, and the step from one to the next."""

    def __init__(self, config: Config, folder: RunFolder, make: MakeEnvironment, report: Report) -> None:
        self.config = config
        self.recipe = config.recipe
        self.schedule = config.schedule
        self.folder = folder
        self.report = report
        self.world = World(make, config.environment)
        self.examination = World(make, config.environment)
        if self.world.env is self.examination.env:
            raise PacerError(f"{config.environment} returned the same environment twice: it must make a new one")
        self.space = self.world.space
        self.collector = Collector(self.world, config.seed)
        self.replay = Replay(self.space, self.schedule.replay_capacity)
        self.state = learner.init(self.recipe, self.space, jax.random.key(seeds.integer(config.seed, seeds.INITIAL)))
        self.moments = Moments.empty(self.space.observation)
        self.position = Position()
        self.step = 0
        self.evaluation_due = False
        """Whether the evaluation of this step is still to come."""
        self.whole = True
        """Whether the state is that after a complete block, so that a checkpoint may be taken."""
        self.recent: deque[float] = deque(maxlen=RECENT)
        self.best = -np.inf
        self.stop_signal = 0
        self.seconds = {"collect": 0.0, "learn": 0.0, "evaluate": 0.0}
        self.policy = self._policy()

    @property
    def done(self) -> bool:
        return self.step >= self.config.steps and not self.evaluation_due

    def stop(self, signal_number: int) -> None:
        """End after the current block."""
        self.stop_signal = signal_number

    def advance(self) -> None:
        """One block: steps, updates, a row in the log, and what is to be kept."""
        block, position = self._timed("collect", self._collect)
        self.whole = False
        self.replay.append(block.transitions, block.kinds)
        self.moments = self.moments.fold(block.transitions.obs)
        self.position = position
        self.recent.extend(block.returns)
        self.step += self.schedule.block
        metrics = self._timed("learn", self._learn) if self.step >= self.schedule.learn_after else {}
        self.policy = self._policy()
        self.evaluation_due = self._due(self.schedule.evaluate_every)
        facts = self._record(metrics)
        self.whole = True
        if self.step in {self._snapshot(fraction) for fraction in SNAPSHOTS}:
            self._agent().save(self.folder.path / "snapshots" / str(self.step))
        if self._due(self.schedule.checkpoint_every):
            self.checkpoint()
        self.report(facts)

    def evaluate_if_due(self) -> None:
        """Comes after the checkpoint of its step, so that nothing is lost by an evaluation that fails or hangs."""
        if self.evaluation_due and not self.stop_signal:
            self._timed("evaluate", self._evaluate)

    def checkpoint(self) -> None:
        """Everything that resuming needs; the replay only grows by what is new."""
        if [p.name for p in self.folder.checkpoints()[:1]] == [str(self.step)]:
            return
        self.replay.save(self.folder.path / "replay.bin")
        self._agent().save(self.folder.path / "agent")
        temporary = self.folder.new_checkpoint()
        save_arrays(temporary / "state.safetensors", to_arrays({"state": self.state, "moments": self.moments}))
        save_json(
            temporary / "progress.json",
            {
                "step": self.step,
                "position": list(self.position),
                "recent": list(self.recent),
                "evaluation_due": self.evaluation_due,
                "best": self.best if np.isfinite(self.best) else None,
                "replay": {"written": self.replay.written, "open": self.replay.open},
                "logs": self.folder.log_sizes(),
            },
        )
        self.folder.commit_checkpoint(temporary, self.step)

    def load_checkpoint(self) -> dict[str, int]:
        """Take the state of the newest checkpoint, if there is one; the sizes that the logs had at that time."""
        checkpoints = self.folder.checkpoints()
        if not checkpoints:
            return {}
        verify_checkpoint(checkpoints[0])
        progress = load_json(checkpoints[0] / "progress.json")
        file = checkpoints[0] / "state.safetensors"
        stored = from_arrays(load_arrays(file), {"state": self.state, "moments": self.moments}, file)
        self.state, self.moments = jax.device_put(stored["state"]), stored["moments"]
        self.step = progress["step"]
        self.position = Position(*progress["position"])
        self.recent.extend(progress["recent"])
        self.evaluation_due = progress["evaluation_due"]
        self.best = -np.inf if progress["best"] is None else progress["best"]
        if not (self.folder.path / "replay.bin").exists():
            raise PacerError(f"{self.folder.path} kept no replay: its run cannot be extended")
        self.replay.load(self.folder.path / "replay.bin", progress["replay"]["written"], progress["replay"]["open"])
        self.policy = self._policy()
        return dict(progress["logs"])

    def restore_episode(self) -> None:
        """Bring the world to where the checkpoint left it, or begin a new episode where that cannot be."""
        steps = self.position.steps
        if not steps:
            return
        self.world.steps = self.step - steps
        if steps > self.replay.capacity:
            problem = f"the current episode of {steps} steps is longer than the replay"
        elif not self.collector.restore(self.position, *self.replay.tail(steps)):
            problem = f"{self.config.environment} is not reproducible"
        else:
            return
        self.replay.close_episode()
        self.position = Position(self.position.episode + 1)
        self.folder.describe(bit_exact=False)
        self.report({"warning": f"{problem}: a new episode begins"})

    def close(self) -> None:
        self.world.close()
        self.examination.close()

    def _collect(self) -> Any:
        rng = seeds.generator(self.config.seed, seeds.ACTING, self.step)
        exploration, size = self.recipe.exploration, self.space.action

        def random(obs: Array) -> Array:
            return rng.uniform(-1.0, 1.0, size).astype(np.float32)

        def act(obs: Array) -> Array:
            return exploration.perturb(self.policy.sampled(obs, rng), rng)

        choose = random if self.step < self.schedule.warm_up else act
        self.world.steps = self.step
        return self.collector.run(self.position, self.schedule.block, choose)

    def _learn(self) -> dict[str, float]:
        rng = seeds.generator(self.config.seed, seeds.DRAWING, self.step)
        batches = self.replay.sample(rng, self.schedule.updates, self.recipe.batch, self.recipe.discount)
        key = jax.random.key(seeds.integer(self.config.seed, seeds.LEARNING, self.step))
        self.state, metrics, finite = learner.learn(self.recipe, self.state, batches, self.moments.scaling(), key)
        metrics = {name: float(value) for name, value in jax.device_get(metrics).items()}
        bad = [f"{name} {value}" for name, value in metrics.items() if not np.isfinite(value)]
        if not finite:
            raise Diverged(
                f"learning on {self.config.environment} diverged at step {self.step} "
                f"({', '.join(bad) or 'parameters that are not finite'}). The last checkpoint and policy are kept; "
                "try a smaller learning rate or reward scale, in another folder"
            )
        return metrics

    def _policy(self) -> Policy:
        network: Network = jax.tree.map(np.asarray, self.state.online.actor)
        return Policy(self.recipe.actor, self.space, network, self.moments.scaling())

    def _agent(self) -> Agent:
        networks = jax.tree.map(np.asarray, self.state.online)
        return Agent(self.recipe, networks, self.moments.scaling(), self.world.low, self.world.high)

    def _record(self, metrics: dict[str, float]) -> dict[str, Any]:
        train_return = float(np.mean(self.recent)) if self.recent else float("nan")
        facts = {"step": self.step, "episodes": self.position.episode, "train_return": train_return, **metrics}
        seconds = dict(self.seconds)
        if metrics and self._due(self.schedule.log_every):
            self.folder.append("progress.csv", [facts])
            self.folder.append("timings.csv", [{"step": self.step, **seconds}])
            self.seconds = dict.fromkeys(self.seconds, 0.0)
        return {**facts, "seconds": seconds}

    def _evaluate(self) -> None:
        count, seed = self.schedule.evaluation_episodes, self.config.seed
        episodes = evaluate(self.examination, self.policy, count, seed, self.step)
        self.folder.append("evaluations.csv", [_evaluation_row(self.step, episode) for episode in episodes])
        self.evaluation_due = False
        greedy = mean_return(episodes, "greedy")
        if greedy > self.best:
            self.best = greedy
            self._agent().save(self.folder.path / "best")
        self.report({"step": self.step, "greedy": greedy, "sampled": mean_return(episodes, "sampled")})

    def _due(self, every: int) -> bool:
        return self.step == self.config.steps or self.step % every == 0

    def _snapshot(self, fraction: float) -> int:
        blocks = -(-int(fraction * self.config.steps) // self.schedule.block)
        return blocks * self.schedule.block

    def _timed(self, what: str, work: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        result = work()
        self.seconds[what] += time.perf_counter() - start
        return result


def _evaluation_row(step: int, episode: Episode) -> dict[str, Any]:
    return {
        "step": step,
        "mode": episode.mode,
        "episode": episode.episode,
        "return": episode.total,
        "length": episode.length,
    }
