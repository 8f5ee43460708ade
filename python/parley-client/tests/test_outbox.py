from __future__ import annotations

import pytest

from parley_client import ParleyError, Position
from parley_client.frames import ThreadState
from parley_client.outbox import Entry, Outbox


def entry(thread: str = "a", op: str = "message") -> Entry:
    return Entry(thread, op, {})  # type: ignore[arg-type]


def filled(*entries: Entry, capacity: int = 10) -> Outbox:
    outbox = Outbox(capacity)
    for each in entries:
        outbox.add(each)
    return outbox


def test_one_command_of_each_thread_is_due() -> None:
    one, two, other = entry(), entry(), entry("b")
    outbox = filled(one, two, other)
    assert outbox.due(0) == [one, other]
    one.state = "sending"
    assert outbox.due(0) == [other]
    one.state = "accepted"
    assert outbox.due(0) == [two, other]


def test_a_refused_command_holds_back_those_behind_it() -> None:
    one, two = entry(), entry()
    outbox = filled(one, two)
    one.not_before = 5
    assert outbox.due(4) == [] and outbox.next_due(4) == 5
    assert outbox.due(5) == [one]


def test_after_a_cut_all_but_acknowledged_changes_is_sent_again() -> None:
    message, change, mark = entry(), entry(op="change"), entry(op="read")
    outbox = filled(message, change, mark)
    for each in outbox:
        each.state = "accepted"
    mark.state = "sending"
    outbox.interrupted()
    assert (message.state, change.state, mark.state) == ("waiting", "accepted", "waiting")
    assert outbox.due(0) == [mark, message]


def test_a_change_stays_until_its_event() -> None:
    change = entry(op="change")
    outbox = filled(change)
    change.state, change.position = "accepted", Position("e", 5)
    outbox.settle("a", Position("e", 4))
    outbox.settle("b", Position("e", 9))
    outbox.settle("a", Position("f", 9))
    assert outbox.has(change) and outbox.is_settled
    outbox.settle("a", Position("e", 5))
    assert not outbox.has(change) and len(outbox) == 0


def test_a_log_that_starts_over_repeats_what_was_acknowledged() -> None:
    message, change, mark = entry(), entry(op="change"), entry(op="read")
    outbox = filled(message, change, mark)
    message.state = change.state = "accepted"
    change.position = Position("e", 5)
    outbox.resumed("a", ThreadState("live", "f"))
    assert (message.state, change.position) == ("accepted", Position("f", 5))
    outbox.resumed("a", ThreadState("rolled_back", "g", 3))
    assert (message.state, change.state) == ("waiting", "waiting")
    assert not outbox.has(mark), "its place means another event"


def test_the_last_read_mark_of_a_thread_counts() -> None:
    first, second = entry(op="read"), entry(op="read")
    outbox = filled(first, second, capacity=0)
    assert not outbox.has(first) and outbox.due(0) == [second]
    outbox.remove(first)
    assert outbox.has(second)
    outbox.remove(second)
    assert outbox.is_settled


def test_a_full_outbox_refuses() -> None:
    outbox = filled(entry(), entry(), capacity=2)
    with pytest.raises(ParleyError, match="outbox_full"):
        outbox.add(entry("b"))
    assert len(outbox) == 2


def test_at_most_200_sends_wait_to_be_stored() -> None:
    outbox = filled(*(entry() for _ in range(300)), capacity=300)
    sent = 0
    while due := outbox.due(0):
        due[0].state = "accepted"
        sent += 1
    assert sent == 200
