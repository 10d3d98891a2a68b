import gymnasium  # run it: pacer bench examples/own_experiment.py

from pacer.experiments import Experiment, grid


class Target(gymnasium.Env):  # be where the observation says
    observation_space = action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.target = self.np_random.uniform(-1, 1, 2).astype("float32")
        return self.target, {}

    def step(self, action):
        return self.target, -float(abs(action - self.target).sum()), False, False, {}


gymnasium.register("Target-v0", Target, max_episode_steps=20)
EXPERIMENT = Experiment("two recipes", grid(["pacer-m", "sac"], ["Target-v0"]), steps=3_000, seeds=3, size="small")
