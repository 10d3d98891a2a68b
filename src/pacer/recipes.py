"""Every algorithm, as a recipe over shared pieces. Sizes and tasks change numbers (presets.py), never the pieces."""

from dataclasses import replace

from pacer.pieces import (
    MLP,
    MMD,
    Adam,
    Averaging,
    Categorical,
    Deterministic,
    Dual,
    Entropy,
    EpsilonUniform,
    Expected,
    FirstMember,
    Fixed,
    FixedQuantile,
    FlooredDual,
    Flow,
    Gaussian,
    GaussianNoise,
    Generator,
    LayerNorm,
    LowestMember,
    MeanOfMembers,
    MovingDual,
    NoExploration,
    Nothing,
    PolicyBackup,
    Proposed,
    PushForward,
    Quantile,
    Recipe,
    Repulsion,
    SemiImplicit,
    Sliced,
    SoftMaximum,
    Stein,
    TruncatedPool,
    Volume,
    Wasserstein,
    WidthDual,
)

# PACER as we would use it: one setting for every task and every unit of reward.
PACER = Recipe(
    actor=PushForward(skip=0.6, greedy_rule="densest"),
    critic=Quantile(mean="head", threshold=0.1),
    encourager=Volume(),
    weight=FlooredDual(bound_per_dimension=1.0),
    return_units=True,
    policy_delay=1,
)

# The same with larger steps, a soft norm that holds the critic where these would drive it up, and targets that count
# one reward or two.
PACER_SOFT = replace(
    PACER,
    critic=Quantile(body=MLP(norm=LayerNorm(softness=1.0)), mean="head", threshold=0.1),
    actor_optimiser=Adam(6e-4),
    critic_optimiser=Adam(6e-4),
    return_steps=2,
    return_decay=0.5,
    return_correction=0.0,
)

# PACER as published: a push-forward actor, an implicit quantile critic, and an encourager that compares samples.
PACER_M = Recipe(actor=PushForward(), critic=Quantile(), encourager=MMD(), weight=Fixed(0.01))
PACER_W = replace(PACER_M, encourager=Wasserstein())
PACER_M_ADAPTIVE = replace(PACER_M, weight=MovingDual())
PACER_W_ADAPTIVE = replace(PACER_W, weight=MovingDual())

# Its ablations: M and W are encouragers, P the push-forward policy, G epsilon-greedy exploration.
M1P0 = replace(PACER_M, actor=Gaussian())
W1P0 = replace(PACER_W, actor=Gaussian())
M0P1 = replace(PACER_M, encourager=Nothing(), weight=Fixed(0.0))
M0P1G = replace(M0P1, exploration=EpsilonUniform(0.01))
M0P0 = replace(M0P1, actor=Gaussian())
M0P0G = replace(M0P0, exploration=EpsilonUniform(0.01))

# Scalar critics and deterministic policies, and PTD3 between them and PACER.
TD3 = Recipe(
    actor=Deterministic(),
    critic=Expected(),
    exploration=GaussianNoise(0.1),
    backup=PolicyBackup(target_actor=True, smoothing=0.2),
    actor_pessimism=FirstMember(),
    averaging=Averaging(period=2),
)
DDPG = replace(TD3, backup=PolicyBackup(target_actor=True), averaging=Averaging(), policy_delay=1)
PTD3 = replace(TD3, actor=PushForward(), exploration=NoExploration(), backup=PolicyBackup(target_actor=True))
PTD3_M = replace(PTD3, encourager=MMD(), weight=Fixed(0.01))

# Entropy instead of samples: policies with a density, whose entropy is part of the return.
SAC = Recipe(
    actor=Gaussian(),
    critic=Expected(),
    encourager=Entropy(),
    weight=Dual(bound_per_dimension=1.0),
    backup=PolicyBackup(penalty_in_return=True),
    policy_delay=1,
)
SAC_FIXED = replace(SAC, weight=Fixed(0.2))
DSAC = replace(SAC, critic=Quantile(), backup=PolicyBackup(target_actor=True, penalty_in_return=True))
IDAC = replace(DSAC, actor=SemiImplicit())
IDAC_GENERATOR = replace(IDAC, critic=Generator())
LSP = replace(SAC, actor=Flow())
SQL = Recipe(actor=PushForward(), critic=Expected(), backup=SoftMaximum(), improvement=Stein(), policy_delay=1)

# PACER's nearest relative: a scalar critic, and actions that repel each other.
DRAC = Recipe(
    actor=PushForward(skip=0.6, greedy_rule="densest"),
    critic=Expected(),
    encourager=Repulsion(),
    weight=WidthDual(),
    return_units=True,
    policy_delay=1,
)

# More than the paper has: other encouragers, critics and actors in the same frame.
PACER_S = replace(PACER_M_ADAPTIVE, encourager=Sliced())
PACER_QR = replace(PACER_M_ADAPTIVE, critic=FixedQuantile())
PACER_C51 = replace(PACER_M_ADAPTIVE, critic=Categorical(), target_pessimism=LowestMember())
PACER_FQF = replace(PACER_M_ADAPTIVE, critic=Proposed())
PACER_FLOW = replace(PACER_M_ADAPTIVE, actor=Flow())
TQC = replace(
    SAC, critic=FixedQuantile(members=3), target_pessimism=TruncatedPool(0.08), actor_pessimism=MeanOfMembers()
)

RECIPES: dict[str, tuple[str, Recipe]] = {
    "pacer": ("PACER with one setting for every task (the default)", PACER),
    "pacer-soft": ("pacer with larger steps, a soft norm, and one or two rewards in a target", PACER_SOFT),
    "pacer-m-adaptive": ("PACER_M whose encourager weight holds a distance", PACER_M_ADAPTIVE),
    "pacer-w-adaptive": ("PACER_W whose encourager weight holds a distance", PACER_W_ADAPTIVE),
    "pacer-m": ("push-forward actor, implicit quantile critic, MMD encourager", PACER_M),
    "pacer-w": ("the same with an entropic Wasserstein encourager (Sinkhorn divergence)", PACER_W),
    "m1p0": ("ablation: PACER_M with a Gaussian actor", M1P0),
    "w1p0": ("ablation: PACER_W with a Gaussian actor", W1P0),
    "m0p1": ("ablation: PACER_M without encourager", M0P1),
    "m0p1g": ("ablation: m0p1 with epsilon-greedy exploration", M0P1G),
    "m0p0": ("ablation: Gaussian actor and no encourager", M0P0),
    "m0p0g": ("ablation: m0p0 with epsilon-greedy exploration", M0P0G),
    "ptd3": ("TD3 with a push-forward actor instead of added noise", PTD3),
    "ptd3-m": ("PTD3 with an MMD encourager", PTD3_M),
    "sac": ("soft actor-critic with automatic temperature", SAC),
    "sac-fixed": ("soft actor-critic with temperature 0.2", SAC_FIXED),
    "dsac": ("SAC with an implicit quantile critic", DSAC),
    "idac": ("DSAC with a semi-implicit actor", IDAC),
    "idac-generator": ("IDAC with its authors' sorted noise-driven critic", IDAC_GENERATOR),
    "lsp": ("SAC with a normalising-flow actor", LSP),
    "drac": ("push-forward actor whose actions repel each other, scalar critic (DrAC's rule)", DRAC),
    "sql": ("soft Q-learning: Stein variational actor, soft value over uniform actions", SQL),
    "td3": ("twin delayed deterministic policy gradient", TD3),
    "ddpg": ("deterministic policy gradient (twin critics, as in the paper's protocol)", DDPG),
    "pacer-s": ("further: pacer-m-adaptive with a sliced Wasserstein encourager", PACER_S),
    "pacer-qr": ("further: pacer-m-adaptive with quantiles at fixed levels", PACER_QR),
    "pacer-c51": ("further: pacer-m-adaptive with a categorical critic", PACER_C51),
    "pacer-fqf": ("further: pacer-m-adaptive with proposed quantile levels", PACER_FQF),
    "pacer-flow": ("further: pacer-m-adaptive with a flow actor", PACER_FLOW),
    "tqc": ("further: SAC with truncated quantile critics", TQC),
}
