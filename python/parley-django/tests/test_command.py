"""``manage.py parley_events`` as a process, against a stand-in for the server: kills, cuts, signals, two processes."""

from __future__ import annotations

import signal
from random import Random

import pytest

from event_server import EventServer
from site_process import Site


def ids(*seqs: int, thread: str = "a") -> list[str]:
    return [f"{thread}:e:{seq}" for seq in seqs]


def test_events_are_handled_in_order_and_a_second_run_adds_nothing(site: Site) -> None:
    with EventServer() as server:
        server.add_messages(7)
        for _ in range(2):
            output = site.run("parley_events", "--once", SHOP_PARLEY=server.url)
            assert "(deleted, message) for the consumer default" in output
        server.add_messages(2)
        site.run("parley_events", "--once", SHOP_PARLEY=server.url)
        assert [query["after"] for query in server.queries] == ["start", "m1.7", "m1.7"]
        assert {query["kinds"] for query in server.queries} == {"deleted,message"}
    assert (site.handled, site.totals) == (ids(*range(1, 10)), {"a": 9})


@pytest.mark.parametrize("size", [1, 100])
def test_kills_between_handler_and_commit_and_after_it_lose_and_double_nothing(site: Site, size: int) -> None:
    random = Random(size)
    with EventServer(part=7) as server:
        site.settings = {"SHOP_PARLEY": server.url, "SHOP_EVENTS": str(size)}
        server.add_messages(30)
        seq = 0
        for number in range(6):
            seq = len(site.handled) + random.randint(1, 5)
            place = "commit" if number % 2 else "handler"
            site.run("parley_events", "--once", status=-signal.SIGKILL, SHOP_KILL=f"{place}:{seq}")
            assert site.handled == ids(*range(1, len(site.handled) + 1))
            assert site.totals.get("a", 0) == len(site.handled), "a total without its event, or the reverse"
            site.expire()
        assert 0 < len(site.handled) < 30
        site.run("parley_events", "--once")
    assert (site.handled, site.totals) == (ids(*range(1, 31)), {"a": 30})


def test_what_follows_a_commit_may_fail_and_doubles_nothing(site: Site) -> None:
    with EventServer(part=3) as server:
        server.add_messages(5)
        output = site.run("parley_events", "--once", SHOP_PARLEY=server.url, SHOP_KILL="after:2")
    assert "after the commit of the events a:e:1, a:e:2, a:e:3" in output and "ZeroDivisionError" in output
    assert (site.handled, site.totals) == (ids(*range(1, 6)), {"a": 5})


def test_an_event_that_is_refused_holds_up_the_ones_after_it_until_it_succeeds(site: Site) -> None:
    with EventServer(part=5) as server:
        server.add_messages(2)
        server.add({**server.events[0], "seq": 3, "text": "refuse me"})
        server.add_messages(1)
        process = site.start("parley_events", SHOP_PARLEY=server.url, SHOP_EVENTS="4")
        # The first attempt, of all four, stores the problem too: the two before it are then handled alone.
        site.until(lambda: site.handled == ids(1, 2), "the events before it")
        site.until(lambda: "a:e:3: ValueError('the text is refused')" in site.problem, "a stored problem")
        assert site.handled == ids(1, 2)
        (site.folder / "repaired").touch()
        site.until(lambda: site.handled == ids(1, 2, 3, 4), "the repetition")
        site.until(lambda: site.problem == "", "the end of the problem")
        assert site.totals == {"a": 4} and process.poll() is None


def test_an_event_that_is_refused_can_be_skipped(site: Site) -> None:
    with EventServer(part=5) as server:
        site.settings = {"SHOP_PARLEY": server.url}
        server.add_messages(1)
        server.add({**server.events[0], "seq": 2, "text": "refuse me"})
        server.add_messages(1)
        site.start("parley_events")
        site.until(lambda: "a:e:2" in site.problem, "a stored problem")
        site.run("parley_events", "--skip", "a:e:2")
        site.until(lambda: site.handled == ids(1, 3), "the event after it")
    assert site.rows("SELECT skipped FROM parley_django_eventcursor") == [("[]",)]
    assert site.totals == {"a": 2}


def test_signals_end_it_between_two_events(site: Site) -> None:
    with EventServer(part=5) as server:
        site.settings = {"SHOP_PARLEY": server.url}
        server.add_messages(5)
        process = site.start("parley_events", SHOP_KILL="slow:2")
        site.until((site.folder / "repaired").exists, "the second event")
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0, site.output()
        assert (site.handled, site.totals) == (ids(1, 2), {"a": 2})
        assert site.rows("SELECT holder, done FROM parley_django_eventcursor") == [("", '["a:e:1", "a:e:2"]')]
        process = site.start("parley_events")
        site.until(lambda: site.handled == ids(*range(1, 6)), "the rest")
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0, "a wait for events ends at once"
        assert site.rows("SELECT holder, done, cursor FROM parley_django_eventcursor") == [("", "[]", "m1.5")]
    assert site.totals == {"a": 5}


def test_a_second_process_waits_and_takes_over_after_a_kill(site: Site) -> None:
    with EventServer() as server:
        site.settings = {"SHOP_PARLEY": server.url}
        first = site.start("parley_events")
        server.add_messages(1)
        site.until(lambda: site.handled == ids(1), "the first event")
        assert "follows for the consumer default" in site.run("parley_events", "--no-wait", status=1)
        second = site.start("parley_events")
        first.kill()
        server.add_messages(2)
        site.until(lambda: site.handled == ids(1, 2, 3), "the hand-over")
        third = site.start("parley_events")
        second.terminate()
        assert second.wait(10) == 0
        server.add_messages(1)
        site.until(lambda: site.handled == ids(1, 2, 3, 4), "the second hand-over")
        assert third.poll() is None
    assert site.totals == {"a": 4}


def test_two_consumers_have_cursors_of_their_own(site: Site) -> None:
    with EventServer() as server:
        site.settings = {"SHOP_PARLEY": server.url}
        server.add_messages(1)
        place = {"thread_id": "a", "epoch": "e", "seq": 2, "date_ms": 2}
        server.add(place | {"type": "joined", "user_id": "7", "username": "ann", "by_id": "7"})
        site.run("parley_events", "--once")
        site.run("parley_events", "--once", "--consumer", "everything")
        assert "kinds" not in server.queries[-1]
    assert [text for (text,) in site.rows("SELECT text FROM shop_handled ORDER BY id")] == ["1", "Message", "Joined"]


def test_a_restored_database_is_an_error_until_an_operator_decides(site: Site) -> None:
    with EventServer() as server:
        site.settings = {"SHOP_PARLEY": server.url}
        server.add_messages(4)
        site.run("parley_events", "--once")
        server.restore(2)
        for _ in range(2):
            output = site.run("parley_events", status=1)
            assert "restored to an earlier state" in output and "--restart start" in output
        assert len(site.handled) == 4
        site.run("parley_events", "--once", "--restart", "end")
        server.add_messages(1)
        site.run("parley_events", "--once")
        assert site.handled[4:] == ids(3)
        site.run("parley_events", "--once", "--restart", "start")
        assert site.handled[5:] == ids(1, 2, 3)


def test_cuts_and_restarts_of_the_server_lose_and_double_nothing(site: Site) -> None:
    with EventServer(part=3, cuts=0.1) as server:
        process = site.start("parley_events", SHOP_PARLEY=server.url, SHOP_EVENTS="2")
        for number in range(15):
            server.add_messages(2, thread=f"t{number % 3}")
        site.until(lambda: len(site.handled) >= 10, "some events")
        server.stop()
        server.add_messages(5, thread="t0")
        server.start()
        site.until(lambda: len(site.handled) >= 35, "all events")
        process.terminate()
        assert process.wait(10) == 0
        assert len(server.queries) > 2
    for thread, count in (("t0", 15), ("t1", 10), ("t2", 10)):
        own = [event for event in site.handled if event.startswith(thread)]
        assert own == ids(*range(1, count + 1), thread=thread)
    assert site.totals == {"t0": 15, "t1": 10, "t2": 10}


def test_what_will_not_succeed_later_ends_the_command_with_its_reason(site: Site) -> None:
    with EventServer() as server:
        site.settings = {"SHOP_PARLEY": server.url}
        server.refuse(401, "unauthorized")
        assert "The events cannot be read: unauthorized" in site.run("parley_events", status=1)
        assert "those with handlers: default, everything" in site.run("parley_events", "--consumer", "x", status=1)
        assert "has not begun" in site.run("parley_events", "--consumer", "everything", "--skip", "a", status=1)
    assert site.rows("SELECT holder FROM parley_django_eventcursor") == [("",)]
