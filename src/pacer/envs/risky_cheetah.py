"""HalfCheetah in which running fast is risky: above a speed limit, a step may cost a large penalty."""

from typing import Any, ClassVar

import numpy as np
from gymnasium.envs.mujoco.half_cheetah_v4 import HalfCheetahEnv
from gymnasium.utils import EzPickle
from numpy.typing import NDArray


class RiskyHalfCheetah(HalfCheetahEnv):
    """HalfCheetah-v4 with reward r - penalty * [velocity > speed_limit] * Bernoulli(probability).

    The other published variant has probability 0.05 and loses the forward reward too on a penalised step:
    `probability=0.05, keep_forward_reward=False`. Further keyword arguments go to HalfCheetah.
    """

    EPISODE_SUMS: ClassVar = {"penalties": "penalised"}
    EPISODE_MEANS: ClassVar = {"above_limit": "above_limit", "velocity": "velocity"}

    def __init__(
        self,
        penalty: float = 70.0,
        probability: float = 0.1,
        speed_limit: float = 4.0,
        keep_forward_reward: bool = True,
        **kwargs: Any,
    ) -> None:
        if not 0.0 <= probability <= 1.0:
            raise ValueError(f"probability is {probability!r}, expected a number from 0 to 1")
        if penalty < 0.0:
            raise ValueError(f"penalty is {penalty!r}, expected a number of at least 0: it is subtracted")
        self.penalty = penalty
        self.probability = probability
        self.speed_limit = speed_limit
        self.keep_forward_reward = keep_forward_reward
        super().__init__(**kwargs)
        # After HalfCheetah's own, so that a pickled copy is made with these arguments and not with its.
        EzPickle.__init__(self, penalty, probability, speed_limit, keep_forward_reward, **kwargs)

    def step(self, action: NDArray[np.float32]) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """A step of HalfCheetah; `info` tells how fast it was, what that cost, and the reward without the penalty."""
        observation, reward, terminated, truncated, info = super().step(action)
        velocity = info["x_velocity"]
        fast = bool(velocity > self.speed_limit)
        penalised = bool(fast and self.np_random.random() < self.probability)
        penalty = self.penalty if penalised else 0.0
        info |= {"penalty": penalty, "penalised": penalised, "above_limit": fast}
        info |= {"velocity": velocity, "original_reward": reward}
        reward -= penalty
        if penalised and not self.keep_forward_reward:
            reward -= info["reward_run"]
        return observation, float(reward), terminated, truncated, info

    def render(self) -> Any:
        """A picture of the cheetah, also on a machine without a screen."""
        from pacer.envs.video import choose_opengl, require_screen

        require_screen() if self.render_mode == "human" else choose_opengl()
        return super().render()
