"""Groups of readers of the stream of events: acknowledgements, hand-over, and the calls of operators."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import threading
import time
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from random import Random

import pytest

from event_server import KEY, EventServer, stored_message
from parley_client import (
    ApiKey,
    CursorRolledBack,
    EventBatch,
    EventGroup,
    LogEvent,
    MalformedAnswer,
    ParleyError,
    Rest,
    sync,
    worker_name,
)
from parley_client.event_groups import decoded
from parley_client.transport import Response, Stream
from support import FakeTransport, response, run
from test_events import line_of, lines, rest, seqs


def acknowledged(server: EventServer) -> list[tuple[str, str]]:
    return [(content.get("worker", ""), content["cursor"]) for _, content in server.moves]


def free(server: EventServer) -> None:
    """Waits until the server has noticed that the answers have ended."""
    deadline = time.monotonic() + 20
    while server.followers or any(group.until for group in server.groups.values()):
        assert time.monotonic() < deadline
        time.sleep(0.01)


# Acknowledgements


def test_a_batch_is_acknowledged_when_the_next_one_is_asked_for() -> None:
    with EventServer(part=2) as server:
        server.add_messages(5)
        batches = rest(server).all_events(follow=True, group="crm", worker="a")
        assert seqs(next(batches)) == [1, 2] and server.moves == []
        assert seqs(next(batches)) == [3, 4] and acknowledged(server) == [("a", "m1.2")]
        batches.close()
        free(server)
        other = rest(server).all_events(follow=True, group="crm", worker="b")
        assert seqs(next(other)) == [3, 4]
        assert seqs(next(other)) == [5]
        other.close()
        assert acknowledged(server) == [("a", "m1.2"), ("b", "m1.4")]
        free(server)
        expected = {"limit": "200", "group": "crm", "worker": "a", "after": "start"}
        assert server.queries[0] == expected


def test_a_loop_that_ends_early_may_acknowledge_its_last_batch() -> None:
    with EventServer(part=2) as server:
        server.add_messages(4)
        client = rest(server)
        batches = client.all_events(follow=True, group="crm")
        client.acknowledge_events("crm", next(batches).cursor)
        batches.close()
        assert acknowledged(server) == [(worker_name(), "m1.2")]


@pytest.mark.parametrize("part", [150, 700])
def test_a_group_reads_to_the_end_and_leaves_its_lease_to_the_next_worker(part: int) -> None:
    with EventServer(part=part) as server:
        server.add_messages(1_500)
        waits: list[object] = []
        for worker, expected in (("a", 1_500), ("b", 0), ("c", 3)):
            if worker == "c":
                server.add_messages(3)
            batches = rest(server).all_events(group="crm", worker=worker, on_wait=lambda *each: waits.append(each))
            assert sum(len(batch.events) for batch in batches) == expected
            assert server.groups["crm"].cursor == f"m1.{len(server.events)}"
            free(server)
        assert waits == []


def test_batches_without_events_are_acknowledged_from_time_to_time() -> None:
    with EventServer(part=1) as server:
        server.add_messages(200)
        batches = rest(server).all_events(kinds=["joined"], group="crm", worker="a")
        assert sum(1 for _ in batches) == 200
        assert server.groups["crm"].cursor == "m1.200"
        assert len(server.moves) < 20


LOST = ParleyError("disconnected", retryable=True)


class Calls:
    """An API of virtual time: answers of the stream one after the other, and of acknowledgements."""

    def __init__(self, *answers: bytes | ParleyError | tuple[int, str]) -> None:
        self.transport, self.left = FakeTransport(lambda *_: ParleyError("x")), list(answers)
        self.places: list[str] = []
        self.is_live: list[bool] = []
        self.extensions: list[Response | ParleyError] = []
        self.refusals: list[Response | ParleyError] = []
        self.acknowledged: list[str] = []
        self.transport.respond = self._respond
        self.transport.streams.append(self._answer)
        self.rest = Rest("http://test", ApiKey(KEY), transport=self.transport, random=Random(1))

    def _respond(self, method: str, path: str, body: bytes | None) -> Response | ParleyError:
        if (method, path) == ("GET", "/v1/admin/events?group=crm&worker=a&limit=1"):
            return self.extensions.pop(0)
        assert (method, path) == ("PUT", "/v1/admin/event-groups/crm") and body is not None
        self.acknowledged.append(json.loads(body)["cursor"])
        return self.refusals.pop(0) if self.refusals else response(204)

    def _answer(self, url: str, _: object) -> Stream:
        async def chunks(body: bytes) -> AsyncIterator[bytes]:
            yield body

        self.places.append(url.partition("after=")[2])
        self.is_live.append("follow=1" in url)
        self.transport.streams.append(self._answer)
        value = self.left.pop(0) if len(self.left) > 1 else self.left[0]
        if isinstance(value, ParleyError):
            raise value
        if isinstance(value, tuple):
            return Stream(value[0], {}, chunks(lines({"error": {"code": value[1], "message": "m"}})))
        return Stream(200, {}, chunks(value))


def test_an_acknowledgement_that_fails_is_repeated_before_the_next_answer() -> None:
    async def work() -> None:
        calls = Calls(lines(line_of(stored_message(1)), {"cursor": "c1"}), lines({"cursor": "c2"}))
        calls.refusals += [LOST] * 7
        batches = calls.rest.all_events(follow=True, group="crm", worker="a")
        assert (await anext(batches)).cursor == "c1"
        assert (await anext(batches)).cursor == "c2"
        assert calls.acknowledged == ["c1"] * 8 and calls.places == ["start", "c1"]
        await batches.aclose()

    run(work())


@pytest.mark.parametrize(("status", "code"), [(409, "conflict"), (404, "not_found")])
def test_an_acknowledgement_that_is_refused_ends_the_turn_and_not_the_loop(status: int, code: str) -> None:
    waits: list[ParleyError] = []

    async def work() -> None:
        calls = Calls(lines(line_of(stored_message(1)), {"cursor": "c1"}, {"cursor": "never"}), lines({"cursor": "c2"}))
        calls.refusals.append(response(status, {"error": {"code": code, "message": "m"}}))
        batches = calls.rest.all_events(follow=True, group="crm", worker="a", on_wait=lambda e, _: waits.append(e))
        assert [(await anext(batches)).cursor for _ in range(2)] == ["c1", "c2"]
        assert calls.acknowledged == ["c1"], "a place that the group does not have any longer is not sent again"
        assert calls.places == ["start", "c1"], "a group that was deleted is made again where this worker is"
        await batches.aclose()

    run(work())
    assert [error.code for error in waits] == ["conflict"]


def test_an_acknowledgement_that_will_not_succeed_is_an_error() -> None:
    async def work() -> None:
        calls = Calls(lines(line_of(stored_message(1)), {"cursor": "c1"}))
        calls.refusals.append(response(403, {"error": {"code": "forbidden", "message": "m"}}))
        batches = calls.rest.all_events(follow=True, group="crm", worker="a")
        await anext(batches)
        with pytest.raises(ParleyError, match="forbidden"):
            await anext(batches)

    run(work())


def test_a_lease_lasts_as_long_as_its_batch_is_handled() -> None:
    async def work() -> None:
        calls = Calls(lines(line_of(stored_message(1)), {"cursor": "c1", "end": True}), lines({"cursor": "c1"}))
        batches = calls.rest.all_events(follow=True, group="crm", worker="a")
        await anext(batches)
        calls.extensions = [response(200), LOST, response(200)]
        await asyncio.sleep(45)
        assert calls.extensions == [] and calls.acknowledged == []
        await anext(batches)
        assert calls.acknowledged == ["c1"]
        await batches.aclose()

    run(work())


def test_a_worker_that_has_lost_its_lease_extends_it_no_more() -> None:
    async def work() -> None:
        calls = Calls(lines(line_of(stored_message(1)), {"cursor": "c1"}))
        batches = calls.rest.all_events(follow=True, group="crm", worker="a")
        await anext(batches)
        calls.extensions = [response(409, {"error": {"code": "conflict", "message": "m"}}), response(200)]
        await asyncio.sleep(45)
        assert len(calls.extensions) == 1
        await batches.aclose()

    run(work())


def test_a_worker_reads_what_waits_in_pages_and_then_follows() -> None:
    async def work() -> None:
        end = lines({"cursor": "c3", "end": True})
        calls = Calls(lines(line_of(stored_message(1)), {"cursor": "c1"}), end, end, LOST, end)
        batches = calls.rest.all_events(follow=True, group="crm", worker="a")
        for _ in range(4):
            await anext(batches)
        await batches.aclose()
        assert calls.is_live == [False, False, True, True, False, True]

    run(work())


DOCUMENTS = [Path(__file__).parents[1] / "README.md", Path(__file__).parents[3] / "docs" / "events.md"]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_the_examples_of_the_documents_work(document: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = [block.split("```")[0] for block in document.read_text().split("```python\n")[1:]]
    (code,) = [block for block in blocks if 'group="crm"' in block]

    def handle(event: LogEvent, id: str) -> None:
        print(id, event.thread_id)

    with EventServer(part=2) as server:
        server.add_messages(3)
        names = {"parley": rest(server), "handle": handle}

        def end() -> None:
            while (worker_name(), "m1.3") not in acknowledged(server):
                time.sleep(0.01)
            # The next call is refused, and the answer in progress ends.
            server.refuse(403, "forbidden")
            server.drain()

        threading.Thread(target=end, daemon=True).start()
        with pytest.raises(ParleyError, match="forbidden"):
            exec(code, names)
        assert acknowledged(server)[:2] == [(worker_name(), "m1.2"), (worker_name(), "m1.3")]
    assert [line.split(" ")[0] for line in capsys.readouterr().out.splitlines()] == ["a:e:1", "a:e:2", "a:e:3"]


# Turns


def test_a_worker_waits_for_its_turn_and_asks_often() -> None:
    waits: list[tuple[str, float]] = []

    async def work() -> None:
        calls = Calls(*[(409, "conflict")] * 30, lines({"cursor": "c"}))
        follow = calls.rest.all_events(
            follow=True, group="crm", worker="b", on_wait=lambda error, pause: waits.append((error.code, pause))
        )
        assert (await anext(follow)).cursor == "c"
        await follow.aclose()

    run(work())
    assert {code for code, _ in waits} == {"conflict"} and len(waits) == 30
    assert max(pause for _, pause in waits) <= 4


def test_a_worker_that_does_not_follow_gives_up() -> None:
    async def work() -> None:
        calls = Calls((409, "conflict"))
        with pytest.raises(ParleyError, match="conflict"):
            _ = [batch async for batch in calls.rest.all_events(group="crm", worker="b")]
        assert len(calls.places) == 5

    run(work())


def test_a_conflict_without_a_group_is_an_error() -> None:
    async def work() -> None:
        with pytest.raises(ParleyError, match="conflict"):
            await anext(Calls((409, "conflict")).rest.all_events(follow=True))

    run(work())


def test_the_next_worker_takes_over_when_one_ends() -> None:
    with EventServer(part=2) as server:
        server.add_messages(3)
        first = rest(server).all_events(follow=True, group="crm", worker="a")
        assert seqs(next(first)) == [1, 2] and seqs(next(first)) == [3]
        is_waiting, seen = threading.Event(), list[int]()

        def wait(error: ParleyError, pause: float) -> None:
            assert error.code == "conflict"
            is_waiting.set()

        def read() -> None:
            batches = rest(server).all_events(follow=True, group="crm", worker="b", on_wait=wait)
            while not seen or seen[-1] < 4:
                seen.extend(seqs(next(batches)))

        second = threading.Thread(target=read)
        second.start()
        assert is_waiting.wait(20)
        server.add_messages(1)
        first.close()
        second.join(30)
        assert seen == [3, 4], "3 was handled, but not acknowledged"


def test_a_group_that_is_moved_or_deleted_continues_there() -> None:
    with EventServer(part=2) as server:
        server.add_messages(4)
        client = rest(server)
        batches = client.all_events(follow=True, group="crm", worker="a")

        def read_until(seq: int) -> list[int]:
            seen: list[int] = []
            while seq not in seen:
                seen += seqs(next(batches))
            return seen

        assert read_until(4) == [1, 2, 3, 4]
        client.move_event_group("crm", "start")
        assert read_until(4) == [1, 2, 3, 4]
        client.delete_event_group("crm")
        server.add_messages(1)
        assert read_until(5) == [5]
        batches.close()


def test_a_place_that_the_database_lacks_is_an_error() -> None:
    with EventServer(part=2) as server:
        server.add_messages(4)
        client = rest(server)
        assert len(list(client.all_events(group="crm", worker="a"))) == 2
        free(server)
        server.restore(1)
        with pytest.raises(CursorRolledBack):
            next(client.all_events(follow=True, group="crm", worker="b"))
        client.move_event_group("crm", "start")
        assert seqs(next(client.all_events(group="crm", worker="b"))) == [1]


def test_idle_batches_move_no_place() -> None:
    with EventServer(part=2) as server:
        server.add_messages(1)
        batches = rest(server).all_events(follow=True, group="crm", worker="a", idle=0.01)
        seen: list[EventBatch] = []
        while len(seen) < 20:
            seen.append(next(batches))
        batches.close()
        assert sum(len(batch.events) for batch in seen) == 1
        assert acknowledged(server) == [("a", "m1.1")]


def test_workers_that_end_at_random_lose_nothing_and_keep_the_order() -> None:
    for seed in range(3):
        random = Random(seed)
        with EventServer(part=random.randint(1, 5), cuts=0.1, random=random) as server:
            writer = threading.Thread(target=write, args=(server,))
            writer.start()
            seen: list[int] = []
            asyncio.run(asyncio.wait_for(workers(server, seen), 60))
            writer.join()
            first = sorted(range(1, 37), key=seen.index)
            assert first == list(range(1, 37)), f"seed {seed}"


def write(server: EventServer) -> None:
    for _ in range(12):
        server.add_messages(3)


class ShortPauses(Random):
    """Random numbers that make pauses of some milliseconds."""

    def random(self) -> float:
        return 0.02


async def workers(server: EventServer, seen: list[int]) -> None:
    async def read(number: int) -> None:
        random = Random(number)
        async with Rest(server.url, ApiKey(KEY), random=ShortPauses()) as client:
            for life in range(1_000):
                async for batch in client.all_events(follow=True, group="crm", worker=f"w{number}-{life}"):
                    for seq in seqs(batch):
                        seen.append(seq)
                        await asyncio.sleep(0)
                    if random.random() < 0.2:
                        break
                    if 36 in seen:
                        return

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(read(number)) for number in range(3)]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()


# Calls


def test_groups_are_listed_moved_and_deleted() -> None:
    with EventServer() as server:
        server.add_messages(2)
        client = rest(server)
        for name in ("crm", "billing"):
            list(client.all_events(group=name, worker="a"))
        free(server)
        billing, crm = client.event_groups()
        assert (billing.name, crm.name, crm.cursor, crm.worker) == ("billing", "crm", "m1.2", "a")
        assert crm.acknowledged_ms is not None
        client.move_event_group("crm", "start")
        client.delete_event_group("billing")
        assert client.event_groups() == [EventGroup("crm", "start", None, 0, crm.acknowledged_ms)]
        for call in (
            partial(client.delete_event_group, "billing"),
            partial(client.move_event_group, "billing", "end"),
            partial(client.acknowledge_events, "billing", "m1.1", worker="a"),
        ):
            with pytest.raises(ParleyError, match="not_found"):
                call()
        with pytest.raises(ParleyError, match="conflict"):
            client.acknowledge_events("crm", "m1.1", worker="a")
    with pytest.raises(MalformedAnswer):
        decoded({"name": "crm"})


def test_a_name_of_a_worker_says_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    for host in ("web-3.example.org", "wéb 3", "x" * 64, ""):
        monkeypatch.setattr(socket, "gethostname", partial(str, host))
        assert re.fullmatch(r"[A-Za-z0-9._-]{1,60}", worker_name())
        assert worker_name().endswith(f"-{os.getpid()}")


def test_a_filter_that_does_not_exist_is_an_error_in_a_group_too() -> None:
    with EventServer() as server, pytest.raises(ParleyError, match="bad_request"):
        next(sync.Rest(server.url, ApiKey(KEY)).all_events(follow=True, kinds=["none"], group="crm"))
