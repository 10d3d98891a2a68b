"""The table of episodes: tails of returns, and what environments measure."""

import numpy as np

from pacer.reports.episodes import episode_table
from pacer.reports.text import csv_text


def test_episodes_of_all_seeds_stand_together_with_what_happened_in_them():
    seeds = [
        {"return": np.arange(1.0, 11.0), "length": np.full(10, 100), "penalties": np.zeros(10)},
        {"return": np.arange(11.0, 21.0), "length": np.full(10, 200), "penalties": np.ones(10)},
    ]
    none = [{"return": np.empty(0), "length": np.empty(0)}]
    made = episode_table("pacer/Risky-v0", {"td3": none, "sac": seeds, "dsac": [{"return": np.array([5.0])}]})
    assert made.name == "episodes-pacer-Risky-v0"
    rows = {row[0]: dict(zip(made.columns, row, strict=True)) for row in made.rows}
    assert list(rows) == ["dsac", "sac"]
    sac = rows["sac"]
    assert (sac["seeds"], sac["episodes"], sac["return"]) == ("2", "20", "10.5 ± 5.77")
    assert (sac["CVaR 0.1"], sac["CVaR 0.25"], sac["median"]) == ("1.50", "3.00", "10.5")
    assert (sac["length"], sac["penalties"]) == ("150", "0.50")
    assert rows["dsac"]["penalties"] == "-"
    assert csv_text(made).splitlines()[0].endswith("cvar_0.25,mean_length,mean_penalties")
