"""Every piece and every recipe, in a size that tests can afford. A new piece is covered by adding it here."""

from pacer.pieces.actors.deterministic import Deterministic
from pacer.pieces.actors.flow import Flow
from pacer.pieces.actors.gaussian import Gaussian
from pacer.pieces.actors.push_forward import PushForward
from pacer.pieces.actors.semi_implicit import SemiImplicit
from pacer.pieces.critics.categorical import Categorical
from pacer.pieces.critics.expected import Expected
from pacer.pieces.critics.fixed_quantile import FixedQuantile
from pacer.pieces.critics.generator import Generator
from pacer.pieces.critics.proposed import Proposed
from pacer.pieces.critics.quantile import Quantile
from pacer.pieces.encouragers.mmd import MMD
from pacer.pieces.encouragers.reference import TruncatedNormal
from pacer.pieces.encouragers.sliced import Sliced
from pacer.pieces.encouragers.wasserstein import Wasserstein
from pacer.pieces.types import Space
from pacer.presets import Size
from pacer.recipes import RECIPES

WIDTHS = (32, 32)
SMALL = Size(hidden=WIDTHS, levels=8, samples=12, batch=32, warm_up=0)
SPACE = Space(observation=3, action=2)

ACTORS = {
    "push-forward": PushForward(WIDTHS),
    "push-forward, squared noise": PushForward(WIDTHS, noise_power=2),
    "push-forward, medoid": PushForward(WIDTHS, greedy_rule="medoid"),
    "gaussian": Gaussian(WIDTHS),
    "deterministic": Deterministic(WIDTHS),
    "semi-implicit": SemiImplicit(WIDTHS),
    "flow": Flow(WIDTHS, coupling=16),
    "flow, three layers": Flow(WIDTHS, coupling=16, layers=3),
}
CRITICS = {
    "quantile": Quantile(WIDTHS, levels=8),
    "quantile, first": Quantile(WIDTHS, levels=8, merge="first"),
    "quantile, own levels": Quantile(WIDTHS, levels=8, shared_levels=False),
    "quantile, first, own levels": Quantile(WIDTHS, levels=8, merge="first", shared_levels=False),
    "quantile, as in DSAC": Quantile(WIDTHS, levels=8, merge="first", gate="sigmoid", layer_norm=True),
    "quantile, one member": Quantile(WIDTHS, levels=8, members=1),
    "expected": Expected(WIDTHS),
    "expected, one member": Expected(WIDTHS, members=1),
    "fixed quantile": FixedQuantile(WIDTHS, levels=8),
    "truncated": FixedQuantile(WIDTHS, levels=8, members=3, dropped=0.25),
    "categorical": Categorical(WIDTHS, atoms=21, lowest=-5, highest=5),
    "generator": Generator(WIDTHS, levels=8),
    "proposed": Proposed(Quantile(WIDTHS, levels=8), proposal_hidden=(16,)),
}
ENCOURAGERS = {
    "mmd": MMD(samples=12),
    "mmd, squared": MMD(samples=12, kernel="squared_energy"),
    "mmd, gaussian": MMD(samples=12, kernel="gaussian"),
    "mmd, truncated normal": MMD(samples=12, reference=TruncatedNormal(0.4)),
    "wasserstein": Wasserstein(samples=12),
    "wasserstein, p = 1": Wasserstein(samples=12, p=1.0),
    "wasserstein, plain": Wasserstein(samples=12, debiased=False, epsilon=0.05),
    "sliced": Sliced(samples=12),
}
SMALL_RECIPES = {name: SMALL.apply(recipe) for name, (_, recipe) in RECIPES.items()}
