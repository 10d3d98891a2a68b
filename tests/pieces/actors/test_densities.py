"""Densities of the actors that have one: quadrature, Jacobians by autodiff, SciPy's normal, and the IDAC bound."""

from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import norm

from pacer.pieces import MLP, Flow, Gaussian, Network, SemiImplicit, Space
from pacer.pieces.actors.flow import join, split
from pacer.pieces.actors.squash import squash_log_det

BODY = MLP((16, 16))
OBS = np.array([[0.5, -1.0, 2.0]], np.float32)
FLOW = Flow(BODY, coupling=8)
SEMI = SemiImplicit(BODY, mixing_noise=2, mixture=0)


def lively(actor, size, boost=1.4):
    """A network whose outputs depend strongly on all inputs: fresh ones are nearly standard normal."""
    shapes = jax.eval_shape(lambda key: actor.init(key, Space(3, size)), jax.random.key(0))
    rng = np.random.default_rng(3)

    def draw(shape):
        bound = boost * max(shape.shape[0], 1) ** -0.5
        return rng.uniform(-bound, bound, shape.shape).astype(np.float32)

    return jax.tree.map(draw, shapes)


def invert(flow, network, raw):
    """The noise that makes a raw action: each layer moves one half by what it makes of the other."""
    state, _ = flow._embed(network, OBS, jnp, training=False)
    for number, layer in reversed(list(enumerate(network.params["layers"]))):
        kept, moved = split(raw, number)
        log_scale, shift = flow._coupling(layer, kept, state, jnp)
        raw = join(kept, (moved - shift) * jnp.exp(-log_scale), number, jnp)
    return raw


@partial(jax.jit, static_argnums=0)
def density(actor, network, noise):
    return actor.sample(network, OBS, noise[:, None], jax.random.key(0))[0]


def density_on(actor, network, noise):
    """Actions (G, A) and log-densities (G,) of noises (G, E) in one state."""
    found = density(actor, network, noise.astype(np.float32))
    return np.asarray(found.action[:, 0], np.float64), np.asarray(found.log_prob[:, 0], np.float64)


@pytest.mark.parametrize(
    "actor, mixing",
    [(Gaussian(BODY), ()), (SEMI, (0.4, -1.3)), (SEMI, (-2.0, 0.1)), (FLOW, ()), (replace(FLOW, layers=3), ())],
    ids=["gaussian", "semi-implicit", "semi-implicit, other noise", "flow", "flow, three layers"],
)
def test_density_integrates_to_one_over_a_line(actor, mixing):
    """Trapezia under exp(log_prob) over the actions themselves, which grow with the noise."""
    grid = np.linspace(-7, 7, 4001)[:, None]
    noise = np.concatenate([np.tile(mixing, (len(grid), 1)), grid], 1)
    action, log_prob = density_on(actor, lively(actor, 1, 1.0), noise)  # livelier ones reach 1 in float32
    assert (np.diff(action[:, 0]) > -1e-6).all()  # tanh in float32 is rough near the ends
    assert np.trapezoid(np.exp(log_prob), action[:, 0]) == pytest.approx(1.0, abs=2e-3)


def test_flow_density_integrates_to_one_over_a_square():
    """The inverse takes a grid of raw actions to noise; da = (1 - tanh^2) draw."""
    network = lively(FLOW, 2)
    line = np.linspace(-12, 12, 401)
    raw = np.stack(np.meshgrid(line, line, indexing="ij"), -1).reshape(-1, 2)
    noise = jax.jit(lambda n, r: invert(FLOW, n, r[:, None])[:, 0])(network, raw.astype(np.float32))
    action, log_prob = density_on(FLOW, network, np.asarray(noise))
    inside = np.abs(raw).max(1) < 4  # beyond, float32 cannot tell the actions from 1
    np.testing.assert_allclose(action[inside], np.tanh(raw[inside]), atol=1e-4)
    area = np.exp(log_prob - 2 * np.log(np.cosh(raw)).sum(1))
    assert area.sum() * (line[1] - line[0]) ** 2 == pytest.approx(1.0, abs=1e-2)


@pytest.mark.parametrize("size, layers", [(1, 2), (3, 2), (5, 3)])
def test_flow_inverts_and_its_log_determinant_is_that_of_the_jacobian(size, layers):
    actor = replace(FLOW, layers=layers)
    network = lively(actor, size)
    noise = np.random.default_rng(0).normal(size=(6, size)).astype(np.float32)

    @jax.jit
    def run(network, noise):
        raw, log_det, _ = actor.flow(network, OBS, noise)
        jacobians = jax.vmap(jax.jacfwd(lambda n: actor.transform(network, OBS, n[None])[0][0]))(noise)
        return invert(actor, network, raw), raw, log_det, jacobians

    returned, raw, log_det, jacobians = run(network, noise)
    np.testing.assert_allclose(returned, noise, atol=1e-4)
    assert np.abs(raw - noise).max() > 0.1  # the flow does something
    determinants = np.linalg.slogdet(jacobians)[1]
    np.testing.assert_allclose(log_det, determinants, atol=1e-4)
    action, log_prob = density_on(actor, network, noise)
    np.testing.assert_allclose(action, np.tanh(raw), atol=1e-6)
    expected = norm.logpdf(noise).sum(1) - determinants + 2 * np.log(np.cosh(raw)).sum(1)
    np.testing.assert_allclose(log_prob, expected, atol=1e-3)


def test_flow_moves_every_dimension_and_lets_halves_depend_on_each_other():
    network = lively(FLOW, 4)
    run = jax.jit(lambda network, noise: jax.jacfwd(lambda n: FLOW.transform(network, OBS, n[None])[0][0])(noise))
    jacobian = np.asarray(run(network, jnp.full(4, 0.3)))
    assert (np.abs(np.diag(jacobian) - 1) > 1e-3).all()
    assert (np.abs(jacobian[:2, 2:]) > 1e-6).any()
    assert (np.abs(jacobian[2:, :2]) > 1e-6).any()


def moments(network, mixing):
    """Mean and deviation of the conditional Gaussian by a plain NumPy perceptron, mixing (..., E)."""
    params = jax.tree.map(lambda x: np.asarray(x, np.float64), network.params)
    first = params["body"]["first"]
    x = np.maximum(OBS[0] @ first["observation"] + mixing @ first["extra"] + first["bias"], 0)
    for layer in params["body"]["hidden"]:
        x = np.maximum(x @ layer["weight"] + layer["bias"], 0)
    output = x @ params["head"]["weight"] + params["head"]["bias"]
    mean, log_deviation = np.split(output, 2, axis=-1)
    return mean, np.exp(np.clip(log_deviation, -20, 2))


def test_without_mixture_the_bound_is_the_conditional_gaussian():
    network = lively(SEMI, 2)
    noise = np.random.default_rng(1).normal(size=(50, 4))
    action, log_prob = density_on(SEMI, network, noise)
    mean, deviation = moments(network, noise[:, :2])
    raw = mean + deviation * noise[:, 2:]
    np.testing.assert_allclose(action, np.tanh(raw), atol=1e-5)
    expected = norm.logpdf(raw, mean, deviation).sum(1) + 2 * np.log(np.cosh(raw)).sum(1)
    np.testing.assert_allclose(log_prob, expected, atol=1e-3)


def test_more_mixture_lowers_the_bound_towards_the_marginal():
    network = lively(SEMI, 1, 2.0)
    rng = np.random.default_rng(2)
    noise = rng.normal(size=(3000, 3))
    means = []
    for mixture in (0, 3, 30):
        action, log_prob = density_on(replace(SEMI, mixture=mixture), network, noise)
        means.append(log_prob.mean())
    mean, deviation = moments(network, noise[:, :2])
    raw = mean + deviation * noise[:, 2:]
    centres, widths = moments(network, rng.normal(size=(1500, 2)))  # an independent, large mixture
    marginal = np.log(norm.pdf(raw, centres.T, widths.T).mean(1)) + 2 * np.log(np.cosh(raw[:, 0]))
    np.testing.assert_allclose(action[:, 0], np.tanh(raw[:, 0]), atol=1e-5)
    truth = marginal.mean()
    gaps = np.array(means) - truth
    assert gaps[0] > gaps[1] > gaps[2] > -0.01  # the marginal itself is known to about a hundredth
    assert gaps[2] < 0.15 * gaps[0]
    assert gaps[0] > 0.3


def test_the_gradient_through_the_action_alone_is_that_of_the_mean_bound():
    """Leaving the Gaussians fixed drops a score of mean zero: central differences of the whole mean agree."""
    actor = replace(SEMI, mixture=2)
    network = lively(actor, 1)
    noise = np.random.default_rng(5).normal(size=(60_000, 1, 3)).astype(np.float32)
    direction = jax.tree.map(lambda x: np.sin(np.arange(x.size)).reshape(x.shape).astype(np.float32), network.params)

    def mean_bound(step, params, noise):
        moved = jax.tree.map(lambda x, d: x + step * d, params, direction)
        actions, _ = actor.sample(Network(moved, network.stats), OBS, noise, jax.random.key(6))
        return actions.log_prob.mean()

    run = jax.jit(jax.value_and_grad(mean_bound))
    high, low = (run(step, network.params, noise)[0] for step in (0.01, -0.01))
    _, gradient = run(0.0, network.params, noise)
    assert abs(gradient) > 0.5
    assert gradient == pytest.approx(float(high - low) / 0.02, abs=0.03)


@pytest.mark.parametrize("raw", [-30.0, -3.0, 0.0, 0.7, 12.0])
def test_squash_keeps_its_digits_for_large_actions(raw):
    exact = 2 * np.log(2) - 2 * np.logaddexp(raw, -raw)
    assert squash_log_det(jnp.array([raw])) == pytest.approx(exact, rel=1e-6, abs=1e-6)
