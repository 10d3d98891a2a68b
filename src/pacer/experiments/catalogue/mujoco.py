"""Max average returns and learning curves on six MuJoCo tasks (Table 2 of the paper)."""

from pacer.experiments.experiment import Experiment, grid

PACER = ("pacer", "pacer-m", "pacer-w", "pacer-m-adaptive")
BASELINES = ("idac", "dsac", "sac", "lsp", "sql", "td3", "ddpg")
TASKS = ("HalfCheetah-v4", "Ant-v4", "Walker2d-v4", "Hopper-v4", "Humanoid-v4", "HumanoidStandup-v4")

EXPERIMENT = Experiment("PACER and seven baselines on six MuJoCo tasks", grid((*PACER, *BASELINES), TASKS))
