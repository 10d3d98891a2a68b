"""The implicit quantile network: z(s, a, level) for any level, by quantile Huber TD learning (PACER, DSAC, IDAC)."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import jax
import jax.numpy as jnp

from pacer.pieces.bodies.base import Body, ensemble, ensemble_init
from pacer.pieces.bodies.dense import dense, dense_init, product
from pacer.pieces.bodies.mlp import MLP
from pacer.pieces.bodies.norms import NoNorm, Norm
from pacer.pieces.critics.base import Critic, scaled_heads
from pacer.pieces.critics.levels import centred_quantile_loss, cosines_of, draw_levels, quantile_loss
from pacer.pieces.sizes import check_positive
from pacer.pieces.types import Array, Network, Returns, Space, Transition


@dataclass(frozen=True)
class Quantile(Critic):
    """Cosine features of the level scale the features of (s, a)."""

    distributional: ClassVar[bool] = True
    body: Body = MLP()
    levels: int = 32
    members: int = 2
    cosines: int = 64
    merge: Literal["last", "first"] = "last"
    """Where the level enters: after the last hidden layer (one product for all levels) or after the first (DSAC)."""
    gate: Literal["linear", "sigmoid"] = "linear"
    """How the level's features scale: by 1 + x, or by sigmoid(x) (DSAC), which is flat at first and never negative."""
    gate_norm: Norm = NoNorm()
    """Normalisation of the level's features, as in DSAC's code; one that learns nothing."""
    shared_levels: bool = True
    """One draw of levels for the whole batch, or one per state: the same expected gradient, for less."""
    level_floor: float = 0.1
    threshold: float = 1.0
    """Where the Huber loss turns from a square into a line: in units of return or, with a mean by squares, in units of
    the spread of the target's atoms."""
    mean: Literal["quantiles", "squares", "head"] = "quantiles"
    """How the mean is learned: as that of the quantiles; by squared error, which keeps it right; or by squared error
    and a head of its own, for which alone the body learns. Levels then find the shape around the mean in features of
    the mean, and neither their draws nor what they learn disturb it."""

    def __post_init__(self) -> None:
        check_positive(self, "threshold")
        if self.gate_norm.learns:
            raise ValueError(f"gate_norm is {self.gate_norm}: expected NoNorm() or LayerNorm()")
        if self.mean == "head" and (self.merge, self.gate, self.gate_norm) != ("last", "linear", NoNorm()):
            raise ValueError(
                f"merge is {self.merge!r}, gate {self.gate!r}, gate_norm {self.gate_norm}: expected 'last', 'linear' "
                "and NoNorm() where the mean has a head of its own; mean='squares' goes with others"
            )

    def init(self, key: Array, space: Space) -> Network:
        return ensemble_init(key, self.members, lambda k: self._init_member(k, space))

    def evaluate(
        self, network: Network, obs: Array, action: Array, key: Array, training: bool = False
    ) -> tuple[Returns, Any]:
        batch = () if self.shared_levels else obs.shape[:-1]
        level, mass = draw_levels(key, (*batch, self.levels), self.level_floor)
        mean, shape, stats = self._parts(network, obs, action, level, training)
        if self.mean == "head":
            mean = mean - (mass * shape).sum(-1, keepdims=True)  # of these levels, not only of all
        return Returns(mean + shape, level, mass), stats

    def at(
        self, network: Network, obs: Array, action: Array, level: Array, training: bool = False
    ) -> tuple[Array, Any]:
        """Quantiles (M, ..., B, K) at given levels (K,), (B, K) or (..., B, K); statistics after them."""
        mean, shape, stats = self._parts(network, obs, action, level, training)
        return mean + shape, stats

    def error(self, online: Network, batch: Transition, predicted: Returns, goal: Returns) -> Array:
        loss = quantile_loss if self.mean == "quantiles" else centred_quantile_loss
        return loss(predicted, goal, self.threshold)

    def rescaled(self, params: Any, factor: Array) -> Any:
        scaled = scaled_heads(params, factor)
        if self.mean != "head":
            return scaled
        return tuple({**m, "shape": {**m["shape"], "head": factor * m["shape"]["head"]}} for m in scaled)

    def _parts(
        self, network: Network, obs: Array, action: Array, level: Array, training: bool
    ) -> tuple[Array | float, Array, Any]:
        """What is known of the mean apart from the quantiles (M, ..., B, 1), quantiles, statistics after them."""
        cosines = cosines_of(level, self.cosines)
        value, stats = ensemble(network, lambda n: self._member(n, obs, action, cosines, training))
        return (value[..., :1], value[..., 1:], stats) if self.mean == "head" else (0.0, value, stats)

    def _init_member(self, key: Array, space: Space) -> Network:
        body_key, level_key, head_key = jax.random.split(key, 3)
        body = self.body.init(body_key, *space)
        first, last = self.body.widths
        level = dense_init(level_key, self.cosines, last if self.merge == "last" else first)
        params = {"body": body.params, "level": level, "head": dense_init(head_key, last, 1)}
        if self.mean == "head":
            shape_head = dense_init(jax.random.fold_in(head_key, 1), last, 1)["weight"][:, 0]
            params["shape"] = {"level": params.pop("level")["weight"], "head": shape_head}
        return Network(params, body.stats)

    def _member(self, network: Network, obs: Array, action: Array, cosines: Array, training: bool) -> tuple[Array, Any]:
        params, body = network.params, Network(network.params["body"], network.stats)
        if self.mean == "head":
            x, stats = self.body.features(body, obs, action, training=training)
            shape = shape_of(params["shape"], jax.lax.stop_gradient(x) if training else x, cosines)
            return jnp.concatenate([dense(params["head"], x), shape], -1), stats
        head, bias = params["head"]["weight"][:, 0], params["head"]["bias"][0]
        if self.merge == "last" and cosines.ndim > 2 and self.gate == "linear" and self.gate_norm == NoNorm():
            # Every state has levels of its own: with the sum over features first, no array has (B, K, W) numbers.
            x, stats = self.body.features(body, obs, action, training=training)
            x = x * head
            series = product(x, params["level"]["weight"].T)  # (..., B, cosines)
            constant = product(x, 1 + params["level"]["bias"][:, None])  # (..., B, 1)
            return jnp.einsum("...kc,...c->...k", cosines, series) + constant + bias, stats
        gate, _ = self.gate_norm.apply(Network(()), dense(params["level"], cosines))  # (K, W) or (B, K, W)
        gate = 1 + gate if self.gate == "linear" else jax.nn.sigmoid(gate)
        if self.merge == "last":
            x, stats = self.body.features(body, obs, action, training=training)
            if gate.ndim == 2:
                return product(x, (gate * head).T) + bias, stats
            return jnp.einsum("...w,...kw->...k", x, gate * head) + bias, stats
        x, stats = self.body.enter(body, obs, action, training=training)
        x, stats = self.body.refine(body._replace(stats=stats), x[..., None, :] * gate, training=training)
        return x @ head + bias, stats


def shape_of(params: dict[str, Array], x: Array, cosines: Array) -> Array:
    """Quantiles (..., B, K) less their mean: cosines, and nothing constant, have a mean of 0 over all levels."""
    if cosines.ndim == 2:
        return product(x, (product(cosines, params["level"]) * params["head"]).T)
    return jnp.einsum("...kc,...c->...k", cosines, product(x * params["head"], params["level"].T))
