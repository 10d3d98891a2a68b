"""A small world for tests, and versions of it that misbehave."""

import multiprocessing
import os
import signal

import gymnasium
import numpy as np

LOW, HIGH = np.array([-0.5, 0.0], np.float32), np.array([1.0, 3.0], np.float32)


class Drift(gymnasium.Env):
    """A point that drifts: terminates when it is far out, else is truncated after a length drawn at reset.

    PACER_TEST_SIGNAL, such as SIGTERM:37, sends that signal to the process in that step of its first Drift.
    """

    made = 0

    def __init__(self):
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (3,))
        self.action_space = gymnasium.spaces.Box(LOW, HIGH)
        self.steps = 0  # over all episodes
        name, _, step = os.environ.get("PACER_TEST_SIGNAL", "").partition(":")
        self.signal = (signal.Signals[name], int(step)) if name and not Drift.made else None
        Drift.made += 1

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.position = self.np_random.normal(size=2) * 0.3
        self.left = int(self.np_random.integers(3, 30))
        return self.observation(), {}

    def step(self, action):
        self.steps += 1
        if self.signal and self.steps == self.signal[1]:
            os.kill(os.getpid(), self.signal[0])
        push = (np.asarray(action, np.float64) - LOW) / (HIGH - LOW) - 0.5
        self.position = self.position + 0.3 * push + 0.05 * self.np_random.normal(size=2)
        self.left -= 1
        far = bool(np.abs(self.position).max() > 1.0)
        return self.observation(), -float(np.abs(self.position).sum()), far, self.left == 0, {}

    def observation(self):
        return np.array([*self.position, self.left / 10], np.float32)


class Faulty(Drift):
    """A Drift whose answer to one step is changed by `fault(obs, reward)`."""

    def __init__(self, fault, step):
        super().__init__()
        self.fault, self.at = fault, step

    def step(self, action):
        obs, reward, terminated, truncated, info = super().step(action)
        if self.steps == self.at:
            obs, reward = self.fault(obs, reward)
        return obs, reward, terminated, truncated, info


class Moody(Drift):
    """Not reproducible: no two episodes start alike, whatever the seed."""

    resets = 0

    def reset(self, *, seed=None, options=None):
        Moody.resets += 1
        return super().reset(seed=Moody.resets, options=options)


def fail(obs, reward):
    raise RuntimeError("the simulator fell over")


class Breaks(Faulty):
    """A Drift that falls over; like all here, workers can import it."""

    def __init__(self):
        super().__init__(fail, step=5)


class Nowhere(Drift):
    """A Drift that only the process of the tests can make."""

    def __init__(self):
        super().__init__()
        if multiprocessing.parent_process():
            raise OSError("no display")


gymnasium.register(id="Drift-v0", entry_point="tests.worlds:Drift")
