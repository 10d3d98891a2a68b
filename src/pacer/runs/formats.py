"""The format of all files, and what older ones mean.

A field or an array that files before a format did not have is entered here with the value that says what they meant,
which need not be today's default. What is entered nowhere and missing is refused. Fields that went are entered too:
agents whose files have them act as before, and runs of that time cannot go on. CONTRIBUTING.md has the
steps.
"""

from typing import Any

FORMAT = 11
OLDEST = 2
RESUMABLE = 7  # the oldest whose runs are all trained today as they were then

FIELDS: dict[int, dict[str, dict[str, Any]]] = {
    3: {"Config": {"wrappers": [], "source": "", "start_from": ""}},
    4: {
        "Recipe": {"noise": {"piece": "White"}, "return_units": False},
        "PushForward": {"skip": 0.0},
        "Quantile": {"mean": "quantiles"},
        "MMD": {"root": True},
    },
    8: {"Recipe": {"normalise_observations": True}},
    9: {"Schedule": {"snapshot_every": 0}},
    10: {"Recipe": {"return_steps": 1, "return_correction": 1.0}},
    11: {"Recipe": {"return_decay": 1.0}, "LayerNorm": {"softness": 1e-5}},
}
"""By the format that brought them: class, field, and its value in files from before, as JSON has it."""
GONE: dict[int, dict[str, tuple[str, ...]]] = {
    7: {"PolicyBackup": ("penalty_actions",), "Balanced": ("wider", "pace"), "Repulsion": ("each_dimension",)},
    8: {"WidthDual": ("bound", "bound_per_dimension")},
}
"""By the format that took them: class, and fields of learning alone that files from before may have."""
ARRAYS: dict[int, dict[str, float]] = {4: {"scaling/unit": 1.0}, 8: {"scaling/limit": 5.0}}
"""By the format that brought them: the name of an agent's array, and what it is filled with in files from before."""


def upgraded(value: Any, found: int) -> Any:
    """A JSON value of format `found` as one of today's."""
    if isinstance(value, list):
        return [upgraded(item, found) for item in value]
    if not isinstance(value, dict):
        return value
    given = {key: upgraded(item, found) for key, item in value.items()}
    name = given.get("piece")
    if not isinstance(name, str):
        return given
    missing: dict[str, Any] = {}
    for brought in sorted(FIELDS, reverse=True):  # the oldest format that names a field knows what it was
        if brought > found:
            missing |= FIELDS[brought].get(name, {})
    if found < 7 and name == "PolicyBackup" and given.get("penalty_actions", 1) != 1:
        given["penalty_in_return"] = False  # a penalty of compared actions, which no return has any more
    gone = {field for took, classes in GONE.items() if took > found for field in classes.get(name, ())}
    return {**missing, **{key: item for key, item in given.items() if key not in gone}}


def missing_arrays(found: int) -> dict[str, float]:
    """Arrays that agents of format `found` lack, and what fills them."""
    newer = sorted((brought for brought in ARRAYS if brought > found), reverse=True)
    return {name: fill for brought in newer for name, fill in ARRAYS[brought].items()}
