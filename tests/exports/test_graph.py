"""Every actor, traced: NumPy and onnxruntime play what the agent plays, for one row and for many."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pacer.errors import PacerError
from pacer.exports.folder import graphs_of, probes
from pacer.exports.graph import trace
from pacer.exports.onnx_file import write_onnx
from pacer.exports.play import OPERATIONS
from tests.small import ACTORS, each, small_agent


def play(graph, **inputs):
    known = {**graph.constants, **inputs}
    for operation, names, output, options in graph.nodes:
        known[output] = OPERATIONS[operation](*(known[name] for name in names), **options)
    return known["action"]


def players(graph, path, outputs):
    """Functions that play a graph."""
    onnxruntime = pytest.importorskip("onnxruntime", reason="needs the extra pacer-rl[export]")
    write_onnx(graph, outputs, path, {})
    session = onnxruntime.InferenceSession(str(path))
    return [lambda **inputs: play(graph, **inputs), lambda **inputs: session.run(["action"], inputs)[0]]


# A norm and a body are translated alike under every actor.
ONCE = [name for name in ACTORS if "," not in name or name.startswith("push-forward, ")]
OTHERS = {name: actor for name, actor in ACTORS.items() if name not in ONCE}


@pytest.mark.parametrize("actor", each({name: ACTORS[name] for name in ONCE}))
def test_every_actor_is_played_alike(actor, tmp_path):
    check(actor, 2, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("actor", each(OTHERS))
def test_every_other_actor_is_played_alike(actor, tmp_path):
    check(actor, 2, tmp_path)


@pytest.mark.parametrize("name", ["flow", "push-forward, medoid"])  # a half of nothing, and ties
def test_one_action_is_enough(name, tmp_path):
    check(ACTORS[name], 1, tmp_path)


def check(actor, actions, tmp_path):
    agent = small_agent(actor, actions)
    obs, noise = probes(agent)
    inner = np.asarray(agent.policy.push(obs, noise))
    assert inner.std() > 0.05
    expected = agent.low + (inner + 1) / 2 * (agent.high - agent.low)
    graphs = graphs_of(agent)
    for player in players(graphs["sampled"], tmp_path / "sampled.onnx", actions):
        made = player(observation=obs, noise=noise)
        np.testing.assert_allclose(made, expected, rtol=0, atol=1e-5)
        np.testing.assert_allclose(player(observation=obs[:1], noise=noise[:1]), expected[:1], rtol=0, atol=1e-5)
    best, _ = agent.predict(obs, deterministic=True)
    picks = getattr(actor, "greedy_rule", "zero") != "zero"  # and may pick another where two are as good as equal
    for player in players(graphs["greedy"], tmp_path / "greedy.onnx", actions):
        assert (np.abs(player(observation=obs) - best).max(-1) < 1e-5).mean() >= (0.98 if picks else 1)


def best_of_several(x):
    """A choice among samples by a value, as a critic would make it."""
    samples = jnp.tanh(x * jnp.linspace(0.5, 1.5, 6)[:, None])
    return samples[jnp.argmax((samples * jnp.array([1.0, -2.0, 0.5, 1.0])).sum(-1))]


FUNCTIONS = {
    "choice": best_of_several,
    "gather": lambda x: jnp.take(jnp.arange(20.0).reshape(5, 4), jnp.argmin(x), axis=0) * x,
    "along an axis": lambda x: jnp.take_along_axis(x.reshape(2, 2), (x.reshape(2, 2) > 0).astype(int), 1).ravel(),
    "comparisons": lambda x: jnp.where((x > 0) & ~(x >= 1) | (x == 0.3) | (x != x), jnp.clip(x, -0.2, 0.2), -x),
    "curves": lambda x: jax.nn.sigmoid(x) + jnp.log1p(jnp.abs(x)) + jnp.expm1(-jnp.abs(x)) + jnp.sin(x) * jnp.cos(x),
    "powers": lambda x: jax.lax.rsqrt(1 + x**2) + (1 + jnp.abs(x)) ** -3 + jnp.sign(x) * jnp.floor(x) - jnp.ceil(x),
    "parts": lambda x: jnp.concatenate([*jnp.split(x, 2)[::-1], jnp.ones(1)]) * jnp.max(x) - jnp.min(x),
    "products": lambda x: (jnp.arange(8.0).reshape(2, 4) @ x) @ jnp.outer(x, x)[:2] + jnp.dot(x, x),
    "turns": lambda x: (x.reshape(2, 2).T @ jnp.arange(6.0).reshape(2, 3)).ravel(),
    "random constants": lambda x: x + jax.random.normal(jax.random.key(0), (4,)),
    "a constant": lambda x: jnp.arange(4.0),
}


QUICK = ("choice", "along an axis", "parts", "products")


@pytest.mark.parametrize("name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in FUNCTIONS])
def test_what_a_new_piece_may_use_is_known(name, tmp_path):
    function = FUNCTIONS[name]
    rows = np.random.default_rng(1).normal(size=(20, 4)).astype(np.float32)
    expected = jax.jit(jax.vmap(function))(rows)
    for player in players(trace(function, x=4), tmp_path / "function.onnx", expected.shape[1]):
        np.testing.assert_allclose(player(x=rows), expected, rtol=1e-5, atol=1e-5)


def test_what_is_not_known_is_named():
    with pytest.raises(PacerError, match="cannot be exported: it uses sort"):
        trace(jnp.sort, x=4)


def test_nothing_is_kept_that_leads_nowhere():
    graph = trace(lambda x: (jnp.exp(x), x + 1)[1], x=4)
    assert [node.operation for node in graph.nodes] == ["Add", "Identity"]
    assert len(graph.constants) == 1
