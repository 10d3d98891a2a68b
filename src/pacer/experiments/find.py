"""Experiments by name, or by the path of a file of the user's own."""

from importlib import import_module
from pathlib import Path

from pacer.errors import PacerError, near
from pacer.experiments.experiment import Experiment
from pacer.imports import imported

CATALOGUE = Path(__file__).parent / "catalogue"


def names() -> list[str]:
    """The experiments of the package."""
    return sorted(file.stem for file in CATALOGUE.glob("[!_]*.py"))


def is_file(source: str) -> bool:
    """Whether a path is meant, not a name."""
    return source.endswith(".py")


def find(source: str) -> Experiment:
    """The experiment of a name, or the `EXPERIMENT` of a Python file, which is run."""
    if is_file(source):
        return _checked(getattr(imported(source), "EXPERIMENT", None), source)
    if source not in names():
        raise PacerError(
            f"unknown experiment {source!r}.{near(source, names())} They are {', '.join(names())}; "
            "one of your own is a Python file, given by its path"
        )
    return _checked(import_module(f"pacer.experiments.catalogue.{source}").EXPERIMENT, source)


def _checked(experiment: object, source: str) -> Experiment:
    if not isinstance(experiment, Experiment):
        raise PacerError(f"{source} defines no EXPERIMENT: expected EXPERIMENT = Experiment(about, cells, ...)")
    if not experiment.cells:
        raise PacerError(f"{source}: the experiment has no cells")
    return experiment
