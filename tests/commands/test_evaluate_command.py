"""`pacer evaluate`: the figures it prints."""

import numpy as np
import pytest

from pacer.commands.evaluate import cvar, figures
from pacer.observers.events import Episode


@pytest.mark.parametrize("level, expected", [(0.1, 0.0), (0.2, 0.5), (0.25, 0.8), (1.0, 4.5), (0.01, 0.0)])
def test_cvar_is_the_mean_of_the_worst(level, expected):
    assert cvar(np.arange(10.0), level) == pytest.approx(expected)


def test_the_figures_are_mean_deviation_quantiles_and_tail():
    found = figures([Episode("greedy", n, float(total), 5 + n) for n, total in enumerate(np.random.permutation(101))])
    expected = {"mean": 50, "deviation": 29.155, "lowest": 0, "10 %": 10, "50 %": 50, "90 %": 90, "highest": 100}
    assert found == pytest.approx({**expected, "CVaR(0.1)": 4.554, "length": 55}, abs=1e-3)
