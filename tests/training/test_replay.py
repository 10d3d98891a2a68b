"""The replay against a plain list of everything that ever happened."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pacer.errors import PacerError
from pacer.pieces.types import Space, Transition
from pacer.training.replay import GOES_ON, TERMINATED, TRUNCATED, Replay

SPACE = Space(observation=2, action=1)
DISCOUNT = 0.9

episodes = st.lists(st.tuples(st.integers(1, 12), st.sampled_from([TERMINATED, TRUNCATED])), min_size=1, max_size=8)


def experience(lengths_and_ends):
    """Steps (obs, action, reward, next_obs, kind), every observation another number."""
    steps, number = [], 0
    for length, end in lengths_and_ends:
        for left in reversed(range(length)):
            obs, next_obs = np.float32([number, -number]), np.float32([number + 1, -number - 1])
            steps.append((obs, np.float32([number + 0.25]), number + 0.5, next_obs, end if left == 0 else GOES_ON))
            number += 1
        number += 1
    return steps


def append(replay, steps):
    obs, action, reward, next_obs, kinds = (np.asarray(part, np.float32) for part in zip(*steps, strict=True))
    replay.append(Transition(obs, action, reward, next_obs, np.zeros(len(steps))), kinds)


def remembered(steps, capacity):
    """The steps among the newest `capacity` rows, where an episode's last observation takes a row too."""
    rows = []
    for step in steps:
        rows += [step] if step[4] == GOES_ON else [step, None]
    return [row for row in rows[-capacity:] if row is not None]


def drawn(replay, count, seed=0):
    """Distinct transitions among `count` draws, as plain tuples."""
    batch = replay.sample(np.random.default_rng(seed), 2, count, DISCOUNT)
    columns = [np.concatenate(part) for part in batch]
    return {tuple(np.concatenate([np.ravel(x) for x in row]).tolist()) for row in zip(*columns, strict=True)}


def expected(steps):
    discounts = (0.0 if kind == TERMINATED else float(np.float32(DISCOUNT)) for *_, kind in steps)
    rows = (np.concatenate([o, a, [r], n]) for o, a, r, n, _ in steps)
    return {(*row.tolist(), discount) for row, discount in zip(rows, discounts, strict=True)}


@given(episodes, st.integers(2, 40), st.integers(1, 7), st.integers(0, 11))
@settings(max_examples=150, deadline=None)
def test_draws_are_exactly_the_remembered_steps(lengths, capacity, block, cut):
    """Whatever the lengths, the ends, the block and the capacity; the last episode may be cut short."""
    steps = experience(lengths)
    steps = steps[: max(1, len(steps) - cut)]
    replay = Replay(SPACE, capacity)
    for start in range(0, len(steps), block):
        append(replay, steps[start : start + block])
    kept = remembered(steps, capacity)
    assert replay.steps == len(kept)
    assert drawn(replay, 40 * len(kept)) == expected(kept)


@given(episodes, st.integers(2, 40), st.integers(1, 7), st.data())
@settings(max_examples=100, deadline=None)
def test_a_crash_and_a_load_are_as_if_nothing_had_happened(lengths, capacity, block, data):
    steps = experience(lengths)
    unbroken, broken = Replay(SPACE, capacity), Replay(SPACE, capacity)
    checkpoint, since = None, []
    with TemporaryDirectory() as folder:
        path = Path(folder) / "replay.bin"
        for start in range(0, len(steps), block):
            append(unbroken, steps[start : start + block])
            append(broken, steps[start : start + block])
            since.append(steps[start : start + block])
            event = data.draw(st.sampled_from(["nothing", "checkpoint", "crash", "crash after writing"]))
            if event == "checkpoint":
                broken.save(path)
                checkpoint, since = (broken.written, broken.open), []
            elif event != "nothing":
                if event == "crash after writing":  # rows reached the disk, the checkpoint that counts them did not
                    broken.save(path)
                broken = Replay(SPACE, capacity)
                if checkpoint:
                    broken.load(path, *checkpoint)
                for again in since:
                    append(broken, again)
    assert (broken.written, broken.open, broken.steps) == (unbroken.written, unbroken.open, unbroken.steps)
    for a, b in zip(*(r.sample(np.random.default_rng(1), 2, 30, DISCOUNT) for r in (broken, unbroken)), strict=True):
        np.testing.assert_array_equal(a, b)


@given(st.integers(1, 20), st.integers(0, 30))
@settings(max_examples=40, deadline=None)
def test_the_tail_is_the_episode_that_goes_on(length, before):
    steps = experience([(before + 1, TERMINATED), (length + 1, TRUNCATED)])[:-1]
    replay = Replay(SPACE, 25)
    append(replay, steps)
    obs, actions = replay.tail(length)
    np.testing.assert_array_equal(obs, [*(s[0] for s in steps[-length:]), steps[-1][3]])
    np.testing.assert_array_equal(actions, [s[1] for s in steps[-length:]])


def test_an_episode_that_is_closed_still_bootstraps_and_stays_closed_on_disk(tmp_path):
    steps = experience([(6, TERMINATED)])[:4]
    replay = Replay(SPACE, 20)
    append(replay, steps)
    replay.save(tmp_path / "replay.bin")
    replay.close_episode()
    append(replay, experience([(3, TERMINATED)]))
    kept = expected(steps) | expected(experience([(3, TERMINATED)]))
    assert drawn(replay, 400) == kept
    replay.save(tmp_path / "replay.bin")
    again = Replay(SPACE, 20)
    again.load(tmp_path / "replay.bin", replay.written, replay.open)
    assert drawn(again, 400) == kept
    np.testing.assert_array_equal(again._rows, replay._rows)


def test_an_episode_closed_after_a_crash_ends_with_its_last_observation(tmp_path):
    """Rows that reached the disk after the checkpoint leave no trace, not even in the row that was open."""
    steps, others = experience([(9, TERMINATED)]), experience([(3, TERMINATED)])
    replay, path = Replay(SPACE, 30), tmp_path / "replay.bin"
    append(replay, steps[:4])
    replay.save(path)
    checkpoint = replay.written, replay.open
    append(replay, steps[4:8])
    replay.save(path)
    again = Replay(SPACE, 30)
    again.load(path, *checkpoint)
    again.close_episode()
    append(again, others)
    assert drawn(again, 400) == expected(steps[:4]) | expected(others)


def test_rows_go_to_disk_once(tmp_path):
    """A second save writes what is new and leaves the rest of the file alone."""
    steps = experience([(30, TERMINATED)])
    replay, path = Replay(SPACE, 50), tmp_path / "replay.bin"
    append(replay, steps[:20])
    replay.save(path)
    spoilt = bytearray(path.read_bytes())
    row = len(spoilt) // 21  # twenty steps and the current observation
    spoilt[:row] = b"\xff" * row
    path.write_bytes(spoilt)
    append(replay, steps[20:])
    replay.save(path)
    assert path.read_bytes()[:row] == b"\xff" * row
    assert path.stat().st_size == 31 * row


def test_a_short_file_is_refused_by_name(tmp_path):
    replay, path = Replay(SPACE, 50), tmp_path / "replay.bin"
    append(replay, experience([(9, TERMINATED)]))
    replay.save(path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(PacerError, match=r"replay\.bin is shorter than its checkpoint says"):
        Replay(SPACE, 50).load(path, replay.written, replay.open)


def test_a_capacity_that_could_hold_no_step_is_refused():
    with pytest.raises(PacerError, match="at least 2"):
        Replay(SPACE, 1)


def test_a_million_steps_of_half_cheetah_take_less_than_150_mb():
    replay = Replay(Space(observation=17, action=6), 1_000_000)
    arrays = [value for value in vars(replay).values() if isinstance(value, np.ndarray)]
    assert 100e6 < sum(array.nbytes for array in arrays) < 150e6
