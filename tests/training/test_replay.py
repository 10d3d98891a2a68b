"""The replay against a plain list of everything that ever happened."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pacer.errors import PacerError
from pacer.pieces.types import Space
from pacer.training.play import Step
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


class Filled:
    """A replay of several lanes, and how many rows of them count."""

    def __init__(self, capacity, lanes=1, block=7):
        self.replay = Replay(SPACE, capacity, lanes, block)
        self.rows, self.going_on = np.zeros(lanes, np.int64), np.zeros(lanes, bool)

    def append(self, steps, lane=0):
        for obs, action, reward, next_obs, kind in steps:
            step = Step(lane, obs, action, next_obs, reward, kind == TERMINATED, kind == TRUNCATED, {})
            self.rows[lane] = self.replay.add(lane, self.rows[lane], step)
            self.going_on[lane] = not step.ended

    def close_episode(self):
        """As a run does that cannot go on with its episode."""
        self.rows[0] += 1
        self.going_on[0] = False

    def save(self, folder):
        """To disk; what a checkpoint remembers of it."""
        self.replay.save(folder, self.rows, self.going_on)
        return self.rows.copy(), self.going_on.copy()

    def load(self, folder, checkpoint):
        self.rows, self.going_on = (part.copy() for part in checkpoint)
        self.replay.load(folder, self.rows, self.going_on)

    def sample(self, rng, updates, batch):
        return self.replay.sample(self.rows, rng, updates, batch, DISCOUNT)


def remembered(steps, capacity):
    """The steps among the newest `capacity` rows, where an episode's last observation takes a row too."""
    rows = []
    for step in steps:
        rows += [step] if step[4] == GOES_ON else [step, None]
    return [row for row in rows[-capacity:] if row is not None]


def drawn(replay, count, seed=0):
    """Distinct transitions among `count` draws, as plain tuples."""
    batch = replay.sample(np.random.default_rng(seed), 2, count)
    columns = [np.concatenate(part) for part in batch]
    return {tuple(np.concatenate([np.ravel(x) for x in row]).tolist()) for row in zip(*columns, strict=True)}


def expected(steps):
    discounts = (0.0 if kind == TERMINATED else float(np.float32(DISCOUNT)) for *_, kind in steps)
    rows = (np.concatenate([o, a, [r], n]) for o, a, r, n, _ in steps)
    return {(*row.tolist(), discount) for row, discount in zip(rows, discounts, strict=True)}


@given(episodes, st.integers(2, 40), st.integers(0, 11))
@settings(max_examples=150, deadline=None)
def test_draws_are_exactly_the_remembered_steps(lengths, capacity, cut):
    """Whatever the lengths, the ends and the capacity; the last episode may be cut short."""
    steps = experience(lengths)
    steps = steps[: max(1, len(steps) - cut)]
    replay = Filled(capacity)
    replay.append(steps)
    kept = remembered(steps, capacity)
    assert drawn(replay, 40 * len(kept)) == expected(kept)


@given(st.lists(episodes, min_size=2, max_size=4), st.integers(2, 30))
@settings(max_examples=60, deadline=None)
def test_lanes_remember_their_own_and_are_drawn_alike(lives, capacity):
    """Draws are uniform over all steps, so a lane that holds more is drawn more often."""
    replay, kept = Filled(capacity * len(lives), len(lives)), []
    for lane, lengths in enumerate(lives):
        steps = [(o + 1_000 * lane, a, r, n + 1_000 * lane, k) for o, a, r, n, k in experience(lengths)]
        replay.append(steps, lane)
        kept.append(remembered(steps, capacity))
    everything = [step for lane in kept for step in lane]
    assert drawn(replay, 60 * len(everything)) == expected(everything)
    batch = replay.sample(np.random.default_rng(0), 1, 4_000)
    share = (batch.obs[0, :, 0] < 500).mean()
    np.testing.assert_allclose(share, len(kept[0]) / len(everything), atol=0.05)


@given(st.lists(episodes, min_size=1, max_size=3), st.integers(2, 30))
@settings(max_examples=60, deadline=None)
def test_the_step_that_was_paid_most_is_found_among_those_that_are_remembered(lives, capacity):
    replay, kept = Filled(capacity * len(lives), len(lives)), []
    for lane, lengths in enumerate(lives):
        steps = [(o, a, r - 7.5, n, k) for o, a, r, n, k in experience(lengths)]
        replay.append(steps, lane)
        kept += remembered(steps, capacity)
    most = replay.replay.most_paid(replay.rows, DISCOUNT)
    assert abs(most.reward[0]) == max(abs(reward) for _, _, reward, _, _ in kept)
    assert {len(part) for part in most} == {1}


@given(episodes, st.integers(2, 40), st.integers(0, 11), st.integers(2, 5))
@settings(max_examples=60, deadline=None)
def test_steps_that_follow_are_those_of_the_episode_and_its_last_fills_up(lengths, capacity, cut, ahead):
    steps = experience(lengths)
    steps = steps[: max(1, len(steps) - cut)]
    replay = Filled(capacity)
    replay.append(steps)
    place = {step[2]: number for number, step in enumerate(steps)}  # rewards are all different
    batch = replay.replay.sample(replay.rows, np.random.default_rng(0), 2, 50, DISCOUNT, ahead)
    assert {part.shape[:3] for part in batch} == {(2, ahead, 50)}
    for update in range(2):
        for column in range(50):
            drawn = [tuple(part[update, step, column] for part in batch) for step in range(ahead)]
            at, follows = place[drawn[0][2]], True
            for step, (obs, action, reward, next_obs, discount) in enumerate(drawn):
                if step:
                    follows = follows and steps[at][4] == GOES_ON and at + 1 < len(steps)
                    at += follows
                want_obs, want_action, want_reward, want_next, kind = steps[at]
                np.testing.assert_array_equal([*obs, *action, *next_obs], [*want_obs, *want_action, *want_next])
                assert reward == want_reward
                assert discount == (1 if not follows else 0 if kind == TERMINATED else np.float32(DISCOUNT))


def test_a_lane_without_a_step_yet_is_not_drawn():
    replay = Filled(40, lanes=3)
    replay.append(experience([(5, TERMINATED)]), lane=1)
    assert drawn(replay, 200) == expected(experience([(5, TERMINATED)]))


@given(episodes, st.integers(2, 40), st.integers(1, 7), st.data())
@settings(max_examples=50, deadline=None)
def test_a_crash_and_a_load_are_as_if_nothing_had_happened(lengths, capacity, block, data):
    steps = experience(lengths)
    unbroken, broken = Filled(capacity), Filled(capacity)
    checkpoint, since = None, []
    with TemporaryDirectory() as name:
        folder = Path(name)
        for start in range(0, len(steps), block):
            unbroken.append(steps[start : start + block])
            broken.append(steps[start : start + block])
            since.append(steps[start : start + block])
            event = data.draw(st.sampled_from(["nothing", "checkpoint", "crash", "crash after writing"]))
            if event == "checkpoint":
                checkpoint, since = broken.save(folder), []
            elif event != "nothing":
                if event == "crash after writing":  # rows reached the disk, the checkpoint that counts them did not
                    broken.save(folder)
                broken = Filled(capacity)
                if checkpoint:
                    broken.load(folder, checkpoint)
                for again in since:
                    broken.append(again)
    assert (broken.rows, broken.going_on) == (unbroken.rows, unbroken.going_on)
    for a, b in zip(*(r.sample(np.random.default_rng(1), 2, 30) for r in (broken, unbroken)), strict=True):
        np.testing.assert_array_equal(a, b)


@given(episodes, st.integers(2, 20), st.integers(1, 7))
@settings(max_examples=30, deadline=None)
def test_a_block_that_fails_has_overwritten_nothing_that_counts(lengths, capacity, block):
    """Not even in a full ring, and not even what was never saved."""
    steps = experience(lengths)
    replay, again = Filled(capacity, block=block), Filled(capacity, block=block)
    replay.append(steps)
    before, counted = drawn(replay, 600), (replay.rows.copy(), replay.going_on.copy())
    replay.append(experience([(1, TERMINATED)] * block))
    replay.rows, replay.going_on = counted
    with TemporaryDirectory() as folder:
        again.load(Path(folder), replay.save(Path(folder)))
    assert drawn(again, 600) == before


@given(st.integers(1, 20), st.integers(0, 30))
@settings(max_examples=40, deadline=None)
def test_the_tail_is_the_episode_that_goes_on(length, before):
    steps = experience([(before + 1, TERMINATED), (length + 1, TRUNCATED)])[:-1]
    replay = Filled(25)
    replay.append(steps)
    obs, actions, rewards = replay.replay.tail(0, replay.rows[0], length)
    np.testing.assert_array_equal(obs, [*(s[0] for s in steps[-length:]), steps[-1][3]])
    np.testing.assert_array_equal(actions, [s[1] for s in steps[-length:]])
    np.testing.assert_array_equal(rewards, [s[2] for s in steps[-length:]])


def test_an_episode_that_is_closed_still_bootstraps_and_stays_closed_on_disk(tmp_path):
    steps = experience([(6, TERMINATED)])[:4]
    replay = Filled(20)
    replay.append(steps)
    replay.save(tmp_path)
    replay.close_episode()
    replay.append(experience([(3, TERMINATED)]))
    kept = expected(steps) | expected(experience([(3, TERMINATED)]))
    assert drawn(replay, 400) == kept
    again = Filled(20)
    again.load(tmp_path, replay.save(tmp_path))
    assert drawn(again, 400) == kept


def test_an_episode_closed_after_a_crash_ends_with_its_last_observation(tmp_path):
    """Rows that reached the disk after the checkpoint leave no trace, not even in the row that was open."""
    steps, others = experience([(9, TERMINATED)]), experience([(3, TERMINATED)])
    replay = Filled(30)
    replay.append(steps[:4])
    checkpoint = replay.save(tmp_path)
    replay.append(steps[4:8])
    replay.save(tmp_path)
    again = Filled(30)
    again.load(tmp_path, checkpoint)
    again.close_episode()
    again.append(others)
    assert drawn(again, 400) == expected(steps[:4]) | expected(others)


def test_rows_go_to_disk_once(tmp_path):
    """A second save writes what is new and leaves the rest of the file alone."""
    steps = experience([(30, TERMINATED)])
    replay, path = Filled(400), tmp_path / "0-0.bin"
    replay.append(steps[:20])
    replay.save(tmp_path)
    spoilt = bytearray(path.read_bytes())
    row = (len(spoilt) - 8) // 20  # twenty steps and the current observation
    spoilt[:row] = b"\xff" * row
    path.write_bytes(spoilt)
    replay.append(steps[20:])
    replay.save(tmp_path)
    assert path.read_bytes()[:row] == b"\xff" * row
    assert path.stat().st_size == 31 * row


def test_a_short_file_is_refused_by_name(tmp_path):
    replay = Filled(50, lanes=2)
    replay.append(experience([(9, TERMINATED)]), lane=1)
    checkpoint = replay.save(tmp_path)
    path = tmp_path / "1-2.bin"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(PacerError, match=r"1-2\.bin is shorter than its checkpoint says"):
        Filled(50, lanes=2).load(tmp_path, checkpoint)


def test_files_are_never_much_larger_than_the_capacity_and_hold_every_row(tmp_path):
    """Whoever keeps the checkpoints drops what no checkpoint names; rows that come between two saves are not lost."""
    replay = Filled(40, block=7)
    steps = experience([(12, TERMINATED), (5, TRUNCATED)] * 30)
    named = {}
    for start in range(0, len(steps), 7):
        replay.append(steps[start : start + 7])
        if replay.replay.crowded(replay.rows):
            named = replay.replay.save(tmp_path, replay.rows, replay.going_on)
            for path in tmp_path.iterdir():
                if path.name not in named:
                    path.unlink()
    row = 4 * (2 + 1 + 2)
    assert 40 * row <= sum(path.stat().st_size for path in tmp_path.iterdir()) <= (40 + 5 + 1) * row
    for name, size in named.items():
        kinds = np.frombuffer((tmp_path / name).read_bytes()[: size // row * row], np.float32).reshape(-1, 5)[:, 0]
        assert (np.diff(kinds) <= 1).all()  # the numbers of observations, one after the other


def test_a_capacity_that_could_hold_no_step_is_refused():
    with pytest.raises(PacerError, match="at least 2"):
        Replay(SPACE, 1)
    with pytest.raises(PacerError, match=r"at least 2 for each environment \(4\)"):
        Replay(SPACE, 7, lanes=4)


def test_a_million_steps_of_half_cheetah_take_less_than_150_mb():
    replay = Replay(Space(observation=17, action=6), 1_000_000)
    arrays = [value for value in vars(replay).values() if isinstance(value, np.ndarray)]
    assert 100e6 < sum(array.nbytes for array in arrays) < 150e6
