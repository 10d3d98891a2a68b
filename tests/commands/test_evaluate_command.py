"""`pacer evaluate`: the figures it prints."""

import numpy as np
import pytest

from pacer.commands.evaluate import cvar, figures, means, table
from pacer.observers.events import Episode


@pytest.mark.parametrize("level, expected", [(0.1, 0.0), (0.2, 0.5), (0.25, 0.8), (1.0, 4.5), (0.01, 0.0)])
def test_cvar_is_the_mean_of_the_worst(level, expected):
    assert cvar(np.arange(10.0), level) == pytest.approx(expected)


def test_the_figures_are_mean_deviation_quantiles_and_tail():
    returns = np.random.permutation(101)
    found = figures([Episode("greedy", n, float(total), 5 + n, 0.0) for n, total in enumerate(returns)])
    expected = {"mean": 50, "deviation": 29.155, "lowest": 0, "10 %": 10, "50 %": 50, "90 %": 90, "highest": 100}
    assert found == pytest.approx({**expected, "CVaR(0.1)": 4.554}, abs=1e-3)


def test_all_else_is_averaged():
    episodes = [Episode("greedy", n, 0.0, 5 + n, 2.0 * n, {"goals": n**2, "above_limit": 0.5}) for n in range(3)]
    expected = {"length": 6, "discounted": 2, "goals": 5 / 3, "above_limit": 0.5}
    assert means(episodes) == pytest.approx(expected)
    head, *rows = table("of three", {"greedy": means(episodes), "sampled": means(episodes[:1])}).splitlines()[1:]
    assert head.split() == list(expected)
    assert [row.split() for row in rows] == [
        ["greedy", "6.00", "2.00", "1.67", "0.50"],
        ["sampled", "5.00", "0.00", "0.00", "0.50"],
    ]
