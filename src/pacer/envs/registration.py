"""The environments of this package, made known to Gymnasium; their modules are imported when one is made."""

from gymnasium.envs.registration import register, registry

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
    for id, (entry_point, kwargs) in ENVIRONMENTS.items():
        if id not in registry:
            register(id=id, entry_point=entry_point, max_episode_steps=EPISODE_STEPS, kwargs=dict(kwargs))
