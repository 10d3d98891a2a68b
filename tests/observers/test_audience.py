"""Those who watch a run: told in order, dropped with a warning when they fail, heard when they ask for an end."""

import pytest

from pacer.observers import STOP, Audience, Finished, Started, Warned


class Keeper:
    def __init__(self, answer=None):
        self.seen, self.answer = [], answer

    def __call__(self, event):
        self.seen.append(event)
        return self.answer


def failing(event):
    raise ValueError("no such port")


def test_everyone_is_told_everything_in_order():
    order = []
    audience = Audience([lambda event: order.append((1, event)), lambda event: order.append((2, event))])
    for event in (Started(0), Finished(10, "finished")):
        audience.tell(event)
    assert order == [(n, event) for event in (Started(0), Finished(10, "finished")) for n in (1, 2)]
    assert not audience.asked_to_stop


def test_one_that_fails_is_dropped_with_a_warning_and_the_others_go_on():
    before, after = Keeper(), Keeper()
    audience = Audience([before, failing, after])
    audience.tell(Started(0))
    audience.tell(Finished(10, "finished"))
    warning = Warned("the observer failing failed and is no longer told anything: ValueError('no such port')")
    assert before.seen == [Started(0), warning, Finished(10, "finished")]
    assert after.seen == [warning, Started(0), Finished(10, "finished")]


def test_those_who_fail_at_the_warning_too_are_dropped_as_well():
    keeper = Keeper()
    audience = Audience([failing, failing, keeper])
    audience.tell(Started(0))
    assert [type(event) for event in keeper.seen] == [Warned, Warned, Started]


def test_an_essential_one_that_fails_ends_the_run():
    def log(event):
        failing(event)

    log.essential = True
    with pytest.raises(ValueError, match="no such port"):
        Audience([log]).tell(Started(0))


def test_an_end_is_asked_for_with_stop_and_with_nothing_else():
    for answer in (None, True, "STOP"):
        audience = Audience([Keeper(answer)])
        audience.tell(Started(0))
        assert not audience.asked_to_stop
    audience = Audience([Keeper(), Keeper(STOP), Keeper()])
    audience.tell(Started(0))
    assert audience.asked_to_stop
