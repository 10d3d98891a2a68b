"""The tasks can be solved from their observations: a controller that follows the goal's lidar beats random actions."""

import numpy as np
import pytest

from pacer.envs.navigation.scripted import score
from pacer.envs.navigation.tasks import TASKS

EPISODES = 6


@pytest.mark.slow
@pytest.mark.parametrize("name", TASKS)
def test_driving_at_the_goal_beats_random_actions(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    scripted = score(f"pacer/{name}-v0", "goals", EPISODES)
    random = score(f"pacer/{name}-v0", "random", EPISODES)
    means = {key: np.mean(values) for key, values in (("scripted", scripted.returns), ("random", random.returns))}
    reached, stumbled = np.mean(scripted.goals), np.mean(random.goals)
    with capsys.disabled():
        print(
            f"\n{name}: scripted {means['scripted']:.1f} ({reached:.1f} goals),"
            f" random {means['random']:.1f} ({stumbled:.1f} goals)"
        )
    assert means["scripted"] > means["random"] + 40.0
    assert reached > 3.0
    assert reached > 5.0 * stumbled


@pytest.mark.slow
def test_a_treasure_pays_whoever_stays_with_it() -> None:
    task = TASKS["CarNavigation1"]
    parked = np.mean(score("pacer/CarNavigation1-v0", "parking", EPISODES).returns)
    most = 1_000 * task.probability * task.immovable_reward
    assert 0.8 * most < parked < 1.1 * most
