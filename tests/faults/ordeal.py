"""A run that is injured again and again, and must end with the bytes of one that was not."""

import shutil
from contextlib import AbstractContextManager

from tests.tiny_runs import results

LOST, OTHER = "LOST", "OTHER BYTES"  # outcomes that must not be
SCHEDULE = {
    "steps": 300,
    "block": 10,
    "updates": 2,
    "warm_up": 40,
    "learn_after": 20,
    "checkpoint_every": 20,
    "evaluate_every": 100,
    "evaluation_episodes": 1,
    "log_every": 20,
    "replay_capacity": 220,  # smaller than the run, but not than an episode: that could not be replayed
}


class Ordeal(AbstractContextManager):
    """Runs of one recipe in one environment, and what an undisturbed one leaves."""

    def __init__(self, nursery, folder, environment, recipe, ledger):
        self._nursery, self._folder, self._ledger = nursery, folder, ledger
        self._run = {"environment": environment, "recipe": recipe, "schedule": SCHEDULE}
        self._noted = []
        self.ended = 0
        self._attempt(folder / "unbroken")  # what it compiles is kept, so that the next one shows how long a run takes
        shutil.rmtree(folder / "unbroken")
        undisturbed = self._attempt(folder / "unbroken")
        assert undisturbed["code"] == 0, undisturbed
        self.seconds = undisturbed["lasted"]
        """Of a whole run, from its first block of updates."""
        self._unbroken = results(folder / "unbroken")

    def _attempt(self, folder, **injury):
        return self._nursery.run(folder, **self._run, **injury)

    @property
    def path(self):
        return self._folder / str(self.ended)

    def injure(self, **injury):
        """One more attempt, which may be the one that finishes the run: then its bytes are compared."""
        outcome = self._attempt(self.path, **injury)
        assert not outcome["hung"], outcome
        if outcome["code"] == 0:
            self._compare()
        return outcome

    def note(self, attack, outcome):
        """For the ledger, once the bytes that the run ends with are known to be right."""
        self._noted.append((attack, outcome))

    def heal(self):
        """The last attempt, which nothing disturbs."""
        outcome = self._attempt(self.path)
        assert outcome["code"] == 0, outcome
        self._compare()

    def __exit__(self, *_):
        self._tell(LOST)  # what was done to a run that never ended

    def _compare(self):
        found, wanted = results(self.path), self._unbroken
        odd = [name for name in found.keys() | wanted.keys() if found.get(name) != wanted.get(name)]
        self._tell(OTHER if odd else None)
        assert not odd, f"{', '.join(odd)} in {self.path} differ from an undisturbed run's"
        self.ended += 1

    def _tell(self, instead=None):
        for attack, outcome in self._noted:
            self._ledger(attack, instead or outcome)
        self._noted.clear()
