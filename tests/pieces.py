"""Every piece and every recipe, in a size that tests can afford. A new piece is covered by adding it here."""

from pacer.actors.gaussian import Gaussian
from pacer.actors.push_forward import PushForward
from pacer.critics.quantile import Quantile
from pacer.encouragers.mmd import MMD
from pacer.encouragers.reference import TruncatedNormal
from pacer.presets import Size
from pacer.recipes import RECIPES
from pacer.types import Space

SMALL = Size(hidden=(32, 32), levels=8, samples=12, batch=32, warm_up=0)
SPACE = Space(observation=3, action=2)

ACTORS = {
    "push-forward": PushForward(hidden=(32, 32)),
    "push-forward, squared noise": PushForward(hidden=(32, 32), noise_power=2),
    "push-forward, medoid": PushForward(hidden=(32, 32), greedy_rule="medoid"),
    "gaussian": Gaussian(hidden=(32, 32)),
}
CRITICS = {
    "quantile": Quantile(hidden=(32, 32), levels=8),
    "quantile, first": Quantile(hidden=(32, 32), levels=8, merge="first"),
    "quantile, own levels": Quantile(hidden=(32, 32), levels=8, shared_levels=False),
    "quantile, first, own levels": Quantile(hidden=(32, 32), levels=8, merge="first", shared_levels=False),
    "quantile, one member": Quantile(hidden=(32, 32), levels=8, members=1),
}
ENCOURAGERS = {
    "mmd": MMD(samples=12),
    "mmd, squared": MMD(samples=12, kernel="squared_energy"),
    "mmd, gaussian": MMD(samples=12, kernel="gaussian"),
    "mmd, truncated normal": MMD(samples=12, reference=TruncatedNormal(0.4)),
}
SMALL_RECIPES = {name: SMALL.apply(recipe) for name, (_, recipe) in RECIPES.items()}
