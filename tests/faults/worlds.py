"""Worlds that cannot be reasoned with; importing this registers them."""

import ctypes
import time

import gymnasium

from tests.worlds import Drift


class Stuck(Drift):
    """Its 65th step is compiled code that never returns, and lets nobody else run."""

    def step(self, action):
        if self.steps == 64:
            ctypes.PyDLL(None).sleep(1_000)
        return super().step(action)


class Stubborn(Drift):
    """Its 65th step never returns, whatever happens."""

    def step(self, action):
        while self.steps == 64:
            try:
                print("stubborn", flush=True)
                time.sleep(1)
            except BaseException:
                pass
        return super().step(action)


gymnasium.register(id="Stuck-v0", entry_point=Stuck)
gymnasium.register(id="Stubborn-v0", entry_point=Stubborn)
