"""Tables: numbers beside the paper's, grids with holes, seeds that are not done."""

import csv
import io

import numpy as np
import pytest

from pacer.reports.cells import Scored, cells
from pacer.reports.curves import Curve
from pacer.reports.tables import tables
from pacer.reports.text import Table, csv_text, markdown, number, steps


def run(environment, label, seed, values, every=5_000):
    steps = np.arange(1, len(values) + 1) * every
    return Scored(environment, label, seed, {"greedy": Curve(steps, np.array(values, float))})


@pytest.fixture
def grid():
    return [
        *(run("Hopper-v4", "pacer-m", seed, [500 + seed, 2000 + 100 * seed]) for seed in range(3)),
        *(run("Hopper-v4", "sac", seed, [100, 400 + 2000 * (seed == 0)]) for seed in range(2)),
        run("Hopper-v4", "sac", 2, [90]),
        run("Ant-v4", "pacer-m", 0, [7000, 6000]),
        Scored("Ant-v4", "td3", 0, {}),
    ]


def named(made):
    return {table.name: table for table in made}


def test_a_cell_is_of_the_seeds_that_came_furthest(grid):
    sac = next(cell for cell in cells(grid) if cell.label == "sac")
    assert (sac.seeds, sac.begun, sac.steps) == (2, 3, 10_000)
    assert (sac.best_of_mean, sac.mean_of_best, sac.final) == (1400, 1400, 750)
    assert (sac.paper.value, sac.to_paper.seeds) == (3219, 0)
    assert (sac.to_sac.score, sac.to_sac.seeds, sac.to_sac.steps) == (530, 1, np.inf)


def test_a_copy_of_a_run_counts_once():
    (cell,) = cells([run("Hopper-v4", "sac", 0, [1, 2]), run("Hopper-v4", "sac", 0, [1])])
    assert (cell.seeds, cell.begun, cell.best_of_mean) == (1, 1, 2)


def test_the_grid_shows_what_is_missing_and_the_papers_numbers(grid):
    best = named(tables(cells(grid)))["mujoco-best"]
    rows = {row[0]: dict(zip(best.columns, row, strict=True)) for row in best.rows}
    assert rows["pacer-m"]["Hopper-v4"] == "2100 ± 100 (3) [3452 ± 152]"
    assert rows["pacer-m"]["Ant-v4"] == "7000 (1) [6386 ± 378]"
    assert rows["sac"]["Hopper-v4"].startswith("1400 ± 1414 (2 of 3)")
    assert rows["sac"]["Ant-v4"] == "- [5432 ± 357]"
    assert rows["td3"]["Ant-v4"].startswith("- (0 of 1)")
    assert "cells without a run: 2; cells with fewer than 3 seeds: 3" in best.note


def test_all_scores_tell_when_others_were_reached(grid):
    scores = named(tables(cells(grid)))["mujoco-scores"]
    rows = {(row[0], row[1]): dict(zip(scores.columns, row, strict=True)) for row in scores.rows}
    assert rows["Ant-v4", "pacer-m"]["steps to paper's"] == "6386: 5k (1/1)"
    assert rows["Hopper-v4", "pacer-m"]["steps to paper's"] == "3452: never (0/3)"
    assert rows["Hopper-v4", "sac"]["steps to SAC's"] == "530: not by half (1/2)"
    assert rows["Hopper-v4", "pacer-m"]["final"] == "1300"
    assert rows["Ant-v4", "td3"]["final"] == "-"


def test_over_all_tasks_compares_with_sac_in_the_same_size(grid):
    overall = named(tables(cells(grid)))["mujoco-overall"]
    ours, sac = overall.data
    assert (ours["tasks"], ours["runs"], ours["shared_tasks"]) == (2, 4, 1)
    assert ours["mean"] == pytest.approx((1300.5 / 3219 + 6500 / 5432) / 2, rel=1e-3)
    assert ours["improvement"] == pytest.approx(5.5 / 6)  # seed 0 of both ends at 1250
    assert np.isnan(sac["improvement"])
    assert np.isnan(ours["iqm_low"])  # one task has one seed


def test_sac_is_looked_for_in_the_same_size(grid):
    grid += [run("Hopper-v4", f"{name}-paper", seed, [1.0]) for name in ("sac", "my-own") for seed in (0, 1)]
    overall = {row["algorithm"]: row for row in named(tables(cells(grid)))["mujoco-overall"].data}
    assert overall["my-own-paper"]["improvement"] == 0.5
    assert overall["pacer-m"]["improvement"] == pytest.approx(5.5 / 6)


def test_ablation_and_adaptive_come_with_their_rows():
    made = named(tables(cells([run("HumanoidStandup-v4", label, 0, [1e5]) for label in ("m0p0", "pacer-m")])))
    assert [row[:4] for row in made["ablation"].rows][:2] == [
        ["pacer-m", "PACER_M", "100000", "1"],
        ["pacer-w", "PACER_W", "-", "0"],
    ]
    assert "adaptive" not in made
    both = [run("Ant-v4", f"pacer-m{form}-paper", 0, [1.0]) for form in ("", "-adaptive")]
    assert len(named(tables(cells(both)))["adaptive"].rows) == 2


def test_markdown_means_only_what_the_names_say():
    made = tables(cells([run("<script>|x", "sac", 0, [1.0])]))
    text = "".join(map(markdown, made))
    assert "<script>" not in text
    assert "&lt;script&gt;\\|x" in text


def test_csv_is_the_same_where_rounding_is_not():
    made = [Table("", "", "", [], [], [{"mean": 63.727856997138 + noise}]) for noise in (1e-13, -1e-13)]
    assert [csv_text(table) for table in made] == 2 * ["mean\n63.7278569971\n"]


def test_csv_holds_the_numbers_themselves(grid):
    for table in tables(cells(grid)):
        rows = list(csv.DictReader(io.StringIO(csv_text(table))))
        assert len(rows) == len(table.data)
        assert "nan" not in csv_text(table)
    rows = list(csv.DictReader(io.StringIO(csv_text(named(tables(cells(grid)))["mujoco-best"]))))
    assert {row["seeds"] for row in rows} == {"0", "1", "2", "3"}
    assert all(row["best_of_mean"] == "" for row in rows if row["seeds"] == "0")


def test_no_runs_are_no_tables():
    assert tables(cells([])) == []


def test_numbers_have_the_digits_that_help():
    assert [number(v) for v in (198856.4, 92.34, 0.123, -5.0, np.nan, None)] == [
        "198856", "92.3", "0.12", "-5.00", "-", "-",
    ]  # fmt: skip
    assert [steps(v) for v in (500, 12_500, 1_000_000)] == ["500", "12.5k", "1M"]
