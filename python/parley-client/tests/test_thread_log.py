from __future__ import annotations

from itertools import permutations

from parley_client import LogEvent, Page, Position
from parley_client.thread_log import ThreadLog, covered_to


def event(seq: int, epoch: str = "e") -> LogEvent:
    return LogEvent("a", epoch, seq, 0)


def page(*seqs: int, head: int, more: bool = False, epoch: str = "e") -> Page:
    return Page(tuple(event(seq, epoch) for seq in seqs), False, more, epoch, head)


def log(seq: int = 0) -> ThreadLog:
    return ThreadLog("a", Position("e", seq))


def test_events_are_passed_on_once_and_in_order() -> None:
    it = log()
    assert [it.takes(event(seq)) for seq in (1, 1, 2, 1, 3)] == [True, False, True, False, True]
    assert not it.needs_repair and it.position == Position("e", 3)


def test_events_in_any_order_and_pages_make_the_whole_log() -> None:
    for order in permutations(range(1, 6)):
        it, seen = log(), []
        for seq in order:
            if it.takes(event(seq)):
                seen.append(seq)
            while it.needs_repair:
                after = it.seq
                rest = [each for each in range(after + 1, it.known_to + 1)][:2]
                found = page(*rest, head=it.known_to, more=rest[-1] < it.known_to)
                seen += [each.seq for each in it.take_page(found, after, it.generation, it.known_to)]
        assert seen == [1, 2, 3, 4, 5], order


def test_a_page_covers_places_that_do_not_exist() -> None:
    it = log(2)
    it.missing_to(6)
    assert [each.seq for each in it.take_page(page(3, head=6), 2, 0, 6)] == [3]
    assert it.seq == 6 and it.takes(event(7))
    assert covered_to(page(3, 4, head=9, more=True), 2) == 4
    assert covered_to(page(head=0), 2) == 2


def test_what_arrives_while_a_page_is_on_its_way_is_asked_for_again() -> None:
    it = log(1)
    it.missing_to(3)
    assert not it.takes(event(4))
    it.take_page(page(2, 3, head=3), 1, it.generation, 3)
    assert it.needs_repair and it.seq == 3


def test_an_end_that_never_comes_is_given_up() -> None:
    it = log(1)
    it.missing_to(9)
    it.take_page(page(2, head=2), 1, 0, 9)
    assert not it.needs_repair and it.seq == 2


def test_a_log_that_starts_over_is_loaded_from_its_valid_end() -> None:
    it = log(8)
    it.missing_to(12)
    it.rolled_back("f", 5)
    assert it.needs_repair and it.position == Position("f", 4)
    assert it.take_page(page(9, 10, head=12), 8, 0, 12) == [], "a page of the former numbering"
    assert [each.seq for each in it.take_page(page(5, head=5, epoch="f"), 4, 1, 4)] == [5]
    assert not it.needs_repair and it.takes(event(6, "f"))


def test_a_client_that_had_less_stays_where_it_was() -> None:
    it = log(3)
    it.rolled_back(None, 9)
    assert it.position == Position("e", 3) and it.needs_repair


def test_a_new_epoch_alone_voids_nothing() -> None:
    it = log(3)
    it.missing_to(3, "f")
    assert it.position == Position("f", 3) and not it.needs_repair
    assert it.takes(event(4, "f"))
