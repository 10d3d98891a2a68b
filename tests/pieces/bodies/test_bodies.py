"""Contracts over all bodies, and normalisation by hand."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pacer.pieces import MLP, BatchNorm, Expected, LayerNorm, Network, NoNorm, Residual
from pacer.pieces.bodies.base import headed, headed_init
from pacer.pieces.sizes import check_sizes

OBSERVATION, EXTRA, ROWS, SAMPLES = 4, 3, 6, 5
NORMS = {"plain": NoNorm(), "layer norm": LayerNorm(), "soft layer norm": LayerNorm(4.0), "batch norm": BatchNorm()}
BODIES = {
    **{f"perceptron, {name}": MLP((8, 12), norm) for name, norm in NORMS.items()},
    "perceptron, one layer": MLP((8,)),
    **{f"residual, {name}": Residual(8, blocks=2, expansion=2, norm=norm) for name, norm in NORMS.items()},
}


@pytest.fixture(params=BODIES.values(), ids=BODIES.keys())
def body(request):
    return request.param


def inputs(seed=0):
    rng = np.random.default_rng(seed)
    obs = rng.normal(size=(ROWS, OBSERVATION)).astype(np.float32)
    return obs, rng.normal(size=(SAMPLES, ROWS, EXTRA)).astype(np.float32)


def network(body, extra=EXTRA):
    """A network whose statistics and scales are not the neutral ones."""
    made = body.init(jax.random.key(0), OBSERVATION, extra)
    rng = np.random.default_rng(1)
    params = jax.tree.map(lambda x: np.asarray(x + rng.uniform(0, 0.3, x.shape).astype(np.float32)), made.params)
    stats = jax.tree.map(lambda x: np.asarray(x + rng.uniform(0, 1, x.shape).astype(np.float32)), made.stats)
    return Network(params, stats)


def close(a, b, **tolerance):
    for x, y in zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True):
        np.testing.assert_allclose(x, y, **tolerance)


def test_a_soft_norm_lets_small_features_pass_and_holds_large_ones():
    shape = np.array([[-1.0, 0.0, 1.0, 4.0]]) - 1.0
    for size, expected in ((1e-3, 1e-3 * shape * 5**0.5 / 2), (1e3, shape / shape.std() * 5**0.5)):
        found, _ = LayerNorm(4.0).apply(Network(()), size * shape + 7.0, np)
        np.testing.assert_allclose(found, expected, rtol=1e-3)


def test_features_have_the_width_they_say_and_statistics_their_structure(body):
    obs, extra = inputs()
    for training in (False, True):
        first, stats = body.enter(network(body), obs, extra, training=training)
        assert first.shape == (SAMPLES, ROWS, body.widths[0])
        features, stats = body.features(network(body), obs, extra, training=training)
        assert features.shape == (SAMPLES, ROWS, body.widths[1])
        assert jax.tree.structure(stats) == jax.tree.structure(network(body).stats)
    alone, _ = body.features(network(body, 0), obs, None)
    assert alone.shape == (ROWS, body.widths[1])


@pytest.mark.parametrize("training", [False, True])
def test_numpy_computes_what_jax_does(body, training):
    obs, extra = inputs()
    found, stats = body.features(network(body), obs, extra, np, training)
    expected, expected_stats = jax.jit(body.features, static_argnums=(3, 4))(network(body), obs, extra, jnp, training)
    assert type(found) is np.ndarray
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    close(stats, expected_stats, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("training", [False, True])
def test_the_observation_may_be_one_input_with_the_extra(body, training):
    """The split first layer is a plain one over both inputs."""
    obs, extra = inputs()
    split = network(body)
    first = split.params["first"]
    weight = np.concatenate([first["observation"], first["extra"]])
    whole = {**split.params, "first": {"observation": weight, "extra": weight[:0], "bias": first["bias"]}}
    both = np.concatenate([np.broadcast_to(obs, (SAMPLES, *obs.shape)), extra], -1)
    found = body.features(split, obs, extra, np, training)
    expected = body.features(Network(whole, split.stats), both, None, np, training)
    close(found, expected, rtol=1e-4, atol=1e-5)


def test_the_observation_part_is_computed_once_per_state(body):
    """No product in the program has the observation repeated for every sample."""
    program = jax.make_jaxpr(body.features)(network(body), *inputs())
    products = [eqn.invars[0].aval.shape for eqn in program.eqns if eqn.primitive.name == "dot_general"]
    assert [shape for shape in products if shape[-1] == OBSERVATION] == [(ROWS, OBSERVATION)]


def test_gradients_are_finite_even_where_all_rows_agree(body):
    made = headed_init(jax.random.key(0), body, OBSERVATION, EXTRA, 2)
    obs, extra = (np.ones_like(x) for x in inputs())

    @jax.jit
    @jax.grad
    def gradient(params):
        return (headed(body, made._replace(params=params), obs, extra, training=True)[0] ** 2).sum()

    for leaf in jax.tree.leaves(gradient(made.params)):
        assert jnp.isfinite(leaf).all()


def test_a_perceptron_by_hand():
    body, (obs, extra) = MLP((8, 12)), inputs()
    params = network(body).params
    first, second = params["first"], params["hidden"][0]
    x = np.maximum(obs @ first["observation"] + extra @ first["extra"] + first["bias"], 0)
    x = np.maximum(x @ second["weight"] + second["bias"], 0)
    np.testing.assert_allclose(body.features(network(body), obs, extra, np)[0], x, rtol=1e-5)


def test_residual_blocks_by_hand():
    body, (obs, extra) = BODIES["residual, layer norm"], inputs()
    params = network(body).params
    x = obs @ params["first"]["observation"] + extra @ params["first"]["extra"] + params["first"]["bias"]

    def normalised(x):
        return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)

    for block in params["blocks"]:
        up = np.maximum(normalised(x) @ block["up"]["weight"] + block["up"]["bias"], 0)
        x = x + up @ block["down"]["weight"] + block["down"]["bias"]
    np.testing.assert_allclose(body.features(network(body), obs, extra, np)[0], normalised(x), rtol=1e-3, atol=1e-4)


class TestBatchNorm:
    NORM = BatchNorm(rate=0.25)
    X = np.array([[[1.0, 10.0], [3.0, 10.0]], [[5.0, 30.0], [7.0, 30.0]]], np.float32)  # means 4, 20; variances 5, 100
    NETWORK = Network(
        {"scale": np.array([2.0, 1.0], np.float32), "shift": np.array([0.5, 0.0], np.float32)},
        {"mean": np.array([1.0, 10.0], np.float32), "variance": np.array([4.0, 25.0], np.float32)},
    )

    def test_learning_uses_the_batchs_statistics_and_moves_the_running_ones(self):
        found, stats = self.NORM.apply(self.NETWORK, self.X, np, training=True)
        np.testing.assert_allclose(found[..., 0], 2 * (self.X[..., 0] - 4) / 5**0.5 + 0.5, rtol=1e-4)
        np.testing.assert_allclose(found[..., 1], (self.X[..., 1] - 20) / 10, rtol=1e-4)
        np.testing.assert_allclose(stats["mean"], [1 + 0.25 * 3, 10 + 0.25 * 10], rtol=1e-6)
        np.testing.assert_allclose(stats["variance"], [4 + 0.25 * 1, 25 + 0.25 * 75], rtol=1e-6)

    def test_playing_uses_the_running_ones_and_leaves_them(self):
        found, stats = self.NORM.apply(self.NETWORK, self.X, np)
        np.testing.assert_allclose(found[..., 0], 2 * (self.X[..., 0] - 1) / 2 + 0.5, rtol=1e-4)
        np.testing.assert_allclose(found[..., 1], (self.X[..., 1] - 10) / 5, rtol=1e-4)
        assert stats is self.NETWORK.stats

    def test_the_gradient_sees_that_the_batch_moves_its_own_mean(self):
        """A shift of all rows changes nothing when learning."""

        def shifted(by, training):
            return (self.NORM.apply(self.NETWORK, self.X + by, jnp, training)[0] ** 3).sum()

        assert jax.grad(shifted)(0.0, True) == pytest.approx(0.0, abs=1e-3)
        assert abs(jax.grad(shifted)(0.0, False)) > 1


def test_a_body_of_ones_own_may_have_one_hidden_width():
    @dataclass(frozen=True)
    class OneWidth(MLP):
        hidden: int = 64

        def __post_init__(self):
            pass

    check_sizes(Expected(OneWidth()))
    with pytest.raises(ValueError, match="hidden is 0: expected 1 to 65536"):
        check_sizes(Expected(OneWidth(0)))


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: MLP(()), r"hidden is \(\): expected at least one layer"),
        (lambda: MLP((8, 0)), "each of width 1 or more"),
        (lambda: Residual(width=0), "expected width, blocks and expansion of 1 or more"),
    ],
)
def test_bodies_without_width_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
