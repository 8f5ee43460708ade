"""The stream of stored events, against a stand-in for the server."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from event_server import KEY, EventServer, event_id, stored_message
from parley_client import (
    ApiKey,
    AuditEvent,
    CursorRolledBack,
    Deleted,
    EventBatch,
    MalformedAnswer,
    Message,
    ParleyError,
    Rest,
    UnknownEvent,
    UnseenMessage,
    sync,
)
from parley_client.rest_events import MAX_BATCH, BatchDecoder
from parley_client.transport import Stream
from support import FakeTransport, run


def lines(*values: Any) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def line_of(event: dict[str, Any]) -> dict[str, Any]:
    return {"id": event_id(event), "event": event}


def seqs(batch: EventBatch) -> list[int]:
    return [stored.event.seq for stored in batch.events]


def rest(server: EventServer) -> sync.Rest:
    return sync.Rest(server.url, ApiKey(KEY))


# Batches as values


def test_an_answer_may_be_cut_into_pieces_anywhere() -> None:
    answer = lines(
        *[line_of(stored_message(seq)) for seq in (1, 2)],
        {"cursor": "c2"},
        {"later": "version"},
        line_of(stored_message(3)),
        {"cursor": "c3", "end": True},
    )
    expected = [([1, 2], "c2", False), ([3], "c3", True)]
    for size in (1, 2, 7, 64, len(answer)):
        decoder = BatchDecoder()
        pieces = [answer[start : start + size] for start in range(0, len(answer), size)]
        batches = [batch for piece in pieces for batch in decoder.feed(piece)]
        assert [(seqs(batch), batch.cursor, batch.is_end) for batch in batches] == expected


def test_kinds_of_later_versions_pass_through() -> None:
    strange = {"type": "pinned", "thread_id": "a", "epoch": "e", "seq": 4, "date_ms": 1, "note": "x"}
    renamed = {"type": "user.renamed", "user_id": "7"}
    broken = stored_message(5) | {"text": 7}
    deleted = {**stored_message(6), "type": "deleted", "message_id": "m", "message_seq": 1, "by_id": "7"}
    content = [line_of(strange), {"id": "u-1", "event": renamed}, line_of(broken), line_of(deleted), {"cursor": "c"}]
    (batch,) = BatchDecoder().feed(lines(*content))
    assert [(stored.id, stored.type) for stored in batch.events] == [
        ("a:e:4", "pinned"),
        ("u-1", "user.renamed"),
        ("a:e:5", "message"),
        ("a:e:6", "deleted"),
    ]
    first, second, third, fourth = (stored.event for stored in batch.events)
    assert isinstance(first, UnknownEvent) and (first.seq, first.fields["note"]) == (4, "x")
    assert isinstance(second, UnknownEvent) and (second.thread_id, second.fields) == ("", renamed)
    assert isinstance(third, UnknownEvent) and third.seq == 5
    assert isinstance(fourth, Deleted)


def test_rows_of_the_audit_log_are_audit_events() -> None:
    row = {"type": "audit", "id": "17", "at_ms": 9, "action": "mute", "actor": {"kind": "user", "id": "u1"}}
    more = row | {"thread_id": "t", "user_id": "u2", "reason": "spam", "after": {"until_ms": None}}
    content = [{"id": f"audit:{at}", "event": each} for at, each in enumerate((row, more, {"type": "audit"}))]
    (batch,) = BatchDecoder().feed(lines(*content, {"cursor": "c"}))
    assert [stored.type for stored in batch.events] == ["audit"] * 3
    first, second, third = (stored.event for stored in batch.events)
    assert isinstance(first, AuditEvent) and isinstance(second, AuditEvent)
    assert (first.thread_id, first.seq, first.date_ms, first.id, first.action) == ("", 0, 9, "17", "mute")
    assert (first.user_id, first.reason, first.before, first.after) == (None, None, None, None)
    assert (second.thread_id, second.user_id, second.reason) == ("t", "u2", "spam")
    assert second.actor == {"kind": "user", "id": "u1"} and second.after == {"until_ms": None}
    assert isinstance(third, UnknownEvent)


def test_messages_that_their_recipients_have_not_seen() -> None:
    row = {"type": "unseen", "thread_id": "t", "seq": 7, "at_ms": 9, "user_id": "u1", "mention": True, "quiet": False}
    row |= {"unread": {"thread": 2, "total": 3}, "collapse_key": "k"}
    content = [{"id": f"unseen:{at}", "event": each} for at, each in enumerate((row, {"type": "unseen"}))]
    (batch,) = BatchDecoder().feed(lines(*content, {"cursor": "c"}))
    first, second = (stored.event for stored in batch.events)
    assert isinstance(first, UnseenMessage)
    assert (first.thread_id, first.seq, first.date_ms, first.user_id) == ("t", 7, 9, "u1")
    assert (first.unread, first.unread_total, first.collapse_key) == (2, 3, "k")
    assert first.is_mention and not first.is_quiet
    assert isinstance(second, UnknownEvent)


@pytest.mark.parametrize(
    "content",
    [b"<html>\n", b"[]\n", b'{"cursor":7}\n', b'{"event":{}}\n', b'{"id":"a","event":{}}\n', b'{"error":"x"}\n'],
)
def test_what_is_not_in_the_format_is_an_error(content: bytes) -> None:
    with pytest.raises(MalformedAnswer):
        list(BatchDecoder().feed(content))


def test_memory_is_bounded() -> None:
    decoder = BatchDecoder()
    with pytest.raises(MalformedAnswer, match="too long"):
        for _ in range(100):
            list(decoder.feed(b"x" * (64 << 10)))
    one = lines(line_of(stored_message(1)))
    assert len(next(iter(BatchDecoder().feed(one * MAX_BATCH + lines({"cursor": "c"})))).events) == MAX_BATCH
    with pytest.raises(MalformedAnswer, match="without a cursor"):
        list(BatchDecoder().feed(one * (MAX_BATCH + 1)))
    large = lines(line_of(stored_message(1, "x" * (3 << 20))))
    with pytest.raises(MalformedAnswer, match="without a cursor"):
        list(BatchDecoder().feed(large * 11))


def test_an_error_ends_an_answer() -> None:
    for code, retryable in [("unavailable", True), ("bad_request", False)]:
        with pytest.raises(ParleyError) as caught:
            list(BatchDecoder().feed(lines({"error": {"code": code, "message": "m"}})))
        assert (caught.value.code, caught.value.message, caught.value.retryable) == (code, "m", retryable)
    with pytest.raises(CursorRolledBack):
        list(BatchDecoder().feed(lines({"error": {"code": "rolled_back"}})))


# In virtual time


def api(*answers: bytes | ParleyError | tuple[int, str]) -> tuple[Rest, list[str]]:
    """An API whose calls have these answers, the last one again and again; and their URLs."""
    transport, urls, left = FakeTransport(lambda *_: ParleyError("x")), [], list(answers)

    async def chunks(body: bytes) -> AsyncIterator[bytes]:
        yield body

    def answer(url: str, _: object) -> Stream:
        urls.append(url.partition("after=")[2])
        transport.streams.append(answer)
        value = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(value, ParleyError):
            raise value
        if isinstance(value, tuple):
            return Stream(value[0], {}, chunks(lines({"error": {"code": value[1], "message": ""}})))
        return Stream(200, {}, chunks(value))

    transport.streams.append(answer)
    return Rest("http://test", ApiKey(KEY), transport=transport, random=Random(1)), urls


LOST = ParleyError("disconnected", retryable=True)


def test_pages_are_read_to_the_end() -> None:
    one, two = lines(line_of(stored_message(1)), {"cursor": "c1"}), lines({"cursor": "c2", "end": True})

    async def work() -> None:
        client, urls = api(one, LOST, (503, "unavailable"), two)
        batches = [batch async for batch in client.all_events()]
        assert [batch.cursor for batch in batches] == ["c1", "c2"]
        assert urls == ["start", "c1", "c1", "c1"]

    run(work())


def test_a_page_that_cannot_be_had_is_an_error_after_five_attempts() -> None:
    async def work(answer: bytes | ParleyError) -> tuple[str, int]:
        client, urls = api(answer)
        with pytest.raises(ParleyError) as caught:
            _ = [batch async for batch in client.all_events()]
        return caught.value.code, len(urls)

    assert run(work(LOST)) == ("disconnected", 5)
    assert run(work(b"")) == ("bad_answer", 5)


def test_following_never_gives_up_and_waits_longer_each_time() -> None:
    waits: list[float] = []

    async def work() -> None:
        client, urls = api(*[LOST] * 50, lines({"cursor": "c", "end": True}))
        follow = client.all_events(after="c0", follow=True, on_wait=lambda error, pause: waits.append(pause))
        assert (await anext(follow)).cursor == "c"
        assert set(urls) == {"c0"} and len(waits) == 50
        await follow.aclose()

    run(work())
    assert waits[0] <= 0.5 and max(waits) > 10 and max(waits) <= 30


@pytest.mark.parametrize(
    "status", [(400, "bad_request"), (401, "unauthorized"), (403, "forbidden"), (404, "not_found")]
)
def test_what_will_not_succeed_later_ends_following(status: tuple[int, str]) -> None:
    async def work() -> None:
        client, urls = api(status)
        with pytest.raises(ParleyError) as caught:
            await anext(client.all_events(follow=True))
        assert (caught.value.status, caught.value.code) == status and len(urls) == 1

    run(work())


def test_the_pauses_are_short_again_after_progress() -> None:
    waits: list[float] = []

    async def work() -> None:
        answers: list[bytes | ParleyError | tuple[int, str]] = []
        for number in range(30):
            answers += [lines({"cursor": f"c{number}"}), LOST]
        client, _ = api(*answers)
        follow = client.all_events(follow=True, on_wait=lambda error, pause: waits.append(pause))
        async for batch in follow:
            if batch.cursor == "c29":
                break
        await follow.aclose()

    run(work())
    assert len(waits) == 29 and max(waits) <= 1.0


def test_a_cursor_that_the_database_lacks_is_an_error_of_its_own() -> None:
    async def work() -> None:
        client, _ = api(lines({"cursor": "c1"}), (409, "rolled_back"))
        follow = client.all_events(follow=True)
        assert (await anext(follow)).cursor == "c1"
        with pytest.raises(CursorRolledBack) as caught:
            await anext(follow)
        assert (caught.value.code, caught.value.retryable) == ("rolled_back", False)

    run(work())


def test_idle_batches_come_while_nothing_does() -> None:
    async def work(after: str) -> list[str]:
        client, _ = api(*[LOST] * 10, lines({"cursor": "c", "end": True}))
        batches = client.all_events(after=after, follow=True, idle=5)
        seen = [batch.cursor async for batch in _until(batches, "c")]
        idle = await anext(batches)
        assert (idle.events, idle.cursor) == ((), "c")
        await batches.aclose()
        return seen

    assert set(run(work("c0"))) == {"c0", "c"}
    assert run(work("end")) == ["c"], "what is stored before `end` is known must not be skipped"


async def _until(batches: AsyncIterator[EventBatch], cursor: str) -> AsyncIterator[EventBatch]:
    async for batch in batches:
        yield batch
        if batch.cursor == cursor:
            return


# On a loopback port


def test_events_arrive_in_order_as_they_are_stored() -> None:
    with EventServer(part=2) as server:
        server.add_messages(5)
        batches = rest(server).all_events(follow=True)
        seen = [seqs(next(batches)) for _ in range(3)]
        assert seen == [[1, 2], [3, 4], [5]]
        server.add_messages(1)
        batch = next(batches)
        assert isinstance(batch.events[0].event, Message) and batch.events[0].id == "a:e:6" and batch.is_end
        batches.close()
        assert server.queries == [{"follow": "1", "after": "start"}]


def test_the_connection_ends_with_the_iteration() -> None:
    with EventServer(heartbeat=0.01) as server:
        batches = rest(server).all_events(follow=True)
        next(batches)
        assert server.followers == 1
        batches.close()
        deadline = time.monotonic() + 10
        while server.followers and time.monotonic() < deadline:
            time.sleep(0.01)
        assert server.followers == 0


def test_filters_are_sent_and_refused_ones_are_errors() -> None:
    with EventServer() as server:
        server.add(stored_message(1), {**stored_message(2), "type": "pinned"}, stored_message(3))
        found = [seqs(batch) for batch in rest(server).all_events(kinds=["message"], thread="a", user="id:7")]
        assert found == [[1, 3]]
        expected = {"kinds": "message", "thread": "a", "user": "id:7", "limit": "1000", "after": "start"}
        assert server.queries == [expected]
        with pytest.raises(ParleyError, match="bad_request"):
            next(rest(server).all_events(kinds=["none"]))
        with pytest.raises(ParleyError, match="forbidden"):
            next(rest(server).as_user("id:7").all_events())


def test_drains_refusals_and_restarts_lose_nothing_and_double_nothing() -> None:
    with EventServer(part=2) as server:
        server.add_messages(3)
        batches = rest(server).all_events(follow=True)
        seen: list[int] = []

        def read_until(seq: int) -> None:
            while not seen or seen[-1] < seq:
                seen.extend(seqs(next(batches)))

        read_until(3)
        server.drain()
        server.add_messages(1)
        read_until(4)
        server.fail("unavailable")
        server.add_messages(1)
        read_until(5)
        server.stop()
        server.add_messages(1)
        server.start()
        read_until(6)
        server.refuse(429, "rate_limited", retry_after=0)
        server.refuse(502)
        server.drain()
        server.add_messages(2)
        read_until(8)
        assert seen == list(range(1, 9))
        server.restore(4)
        with pytest.raises(CursorRolledBack):
            read_until(9)


def test_random_cuts_lose_nothing_and_double_nothing() -> None:
    for seed in range(5):
        random = Random(seed)
        with EventServer(part=random.randint(1, 5), cuts=0.2, random=random) as server:
            writer = threading.Thread(target=add_all, args=(server,))
            writer.start()
            seen: list[int] = []
            client = Rest(server.url, ApiKey(KEY), random=QuickRandom())

            async def read(client: Rest = client, seen: list[int] = seen) -> None:
                async with client:
                    async for batch in client.all_events(follow=True):
                        seen += seqs(batch)
                        if len(seen) >= 40:
                            return

            asyncio.run(asyncio.wait_for(read(), 60))
            writer.join()
            assert seen == list(range(1, 41)), f"seed {seed}"
            assert len(server.queries) > 2, f"seed {seed} cuts nothing"


def test_the_example_of_the_readme_works(capsys: pytest.CaptureFixture[str]) -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text()
    code = next(block for block in readme.split("```python\n") if "all_events" in block).split("```")[0]
    cursors: list[str] = []

    class End(Exception):
        pass

    def save(cursor: str) -> None:
        cursors.append(cursor)
        if cursor == "m1.5":
            raise End

    with EventServer(part=2) as server:
        server.add_messages(5)
        names = {"parley": rest(server), "load_cursor": lambda: cursors[-1] if cursors else None, "save_cursor": save}
        with pytest.raises(End):
            exec(code, names)
        assert cursors == ["m1.2", "m1.4", "m1.5"]
    assert capsys.readouterr().out.splitlines()[0] == "a:e:1 message a"


def add_all(server: EventServer) -> None:
    for _ in range(10):
        server.add_messages(4)


class QuickRandom(Random):
    """Random numbers that make every pause short."""

    def random(self) -> float:
        return 0.0


def test_records_of_an_import_are_read_in_the_thread_of_the_caller() -> None:
    threads = set()

    def records(count: int) -> Any:
        for number in range(count):
            threads.add(threading.current_thread())
            yield {"user": {"id": f"{number}", "username": "taken" if number in (3, 1_500) else f"u{number}"}}

    with EventServer() as server:
        report = rest(server).import_records(records(2_500))
    assert threads == {threading.current_thread()}
    assert report.users == 2_498 and [each.line for each in report.errors] == [4, 1_501]
