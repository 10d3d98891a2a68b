"""The environments of this package, made known to Gymnasium; their modules are imported when one is made.

Gymnasium 1.0 dropped its plugin entry point, so `gymnasium.make` cannot find a package that nothing has imported.
`register_with_gymnasium`, called at interpreter start from a `.pth` file or when `pacer` is imported, fills the gap.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

EPISODE_STEPS = 1000

ENVIRONMENTS: dict[str, tuple[str, dict[str, str]]] = {
    "pacer/RiskyHalfCheetah-v0": ("pacer.envs.risky_cheetah:RiskyHalfCheetah", {}),
    **{
        f"pacer/{task}-v0": ("pacer.envs.navigation.env:CarNavigation", {"task": task})
        for task in ("CarNavigation1", "CarNavigation2", "CarNavigation3", "CarNavigation4")
    },
}


def register_environments() -> None:
    """Make the ids known to `gymnasium.make`; calling it again does nothing."""
    from gymnasium.envs.registration import register, registry

    for id, (entry_point, kwargs) in ENVIRONMENTS.items():
        if id not in registry:
            register(id=id, entry_point=entry_point, max_episode_steps=EPISODE_STEPS, kwargs=dict(kwargs))


def register_with_gymnasium() -> None:
    """Register now if Gymnasium is loaded, else as soon as it is; imports nothing itself."""
    if "gymnasium.envs" in sys.modules:
        register_environments()
    elif not any(isinstance(finder, _GymnasiumWatch) for finder in sys.meta_path):
        sys.meta_path.insert(0, _GymnasiumWatch())


class _GymnasiumWatch:
    """Waits for the import of `gymnasium.envs`, lets it happen as usual, and registers when it is done."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module's own spec, whose loader registers after loading; None for every other module."""
        if fullname != "gymnasium.envs":
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.loader is None:
            return spec
        load = spec.loader.exec_module

        def load_and_register(module: ModuleType) -> None:
            load(module)
            register_environments()

        spec.loader.exec_module = load_and_register  # type: ignore[method-assign]
        return spec
