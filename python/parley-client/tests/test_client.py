"""Sending and receiving, against a socket that the test answers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from parley_client import (
    Client,
    Message,
    Mute,
    MuteChanged,
    ParleyError,
    Part,
    Position,
    ReadBy,
    RolledBack,
    ThreadAdded,
    ThreadRemoved,
    Token,
    TypingBy,
)
from support import FakeSocket, FakeTransport, fixed_random, hello, message, run

THREAD = {"id": "b", "title": "B", "kind": "room", "role": "member", "epoch": "e1", "seq": 3}


class Room:
    """A server with a log, which answers everything unless `is_silent`."""

    def __init__(self, seq: int = 0) -> None:
        self.log = [message(each) for each in range(1, seq + 1)]
        self.sockets: list[FakeSocket] = []
        self.is_silent = False
        self.states: dict[str, Any] = {}
        self.mute: dict[str, Any] | None = None
        #: The server's time at the handshakes, in milliseconds.
        self.time: int | None = None
        self.transport = FakeTransport(self._handshake)

    def _handshake(self, *_: object) -> FakeSocket:
        self.sockets.append(FakeSocket(self._command))
        self.socket.deliver(hello(len(self.log), mute=self.mute, time=self.time))
        return self.socket

    @property
    def socket(self) -> FakeSocket:
        return self.sockets[-1]

    def post(self, count: int = 1, is_hidden: bool = False) -> None:
        for _ in range(count):
            self.log.append(message(len(self.log) + 1))
            if not is_hidden:
                self.socket.deliver(self.log[-1])

    def _command(self, socket: FakeSocket, command: dict[str, Any]) -> None:
        if self.is_silent:
            return
        if "resume" in command:
            for position in command["resume"]["threads"].values():
                for event in self.log[position["seq"] :]:
                    socket.deliver(event)
            socket.deliver({"type": "resumed", "ref": command["ref"], "threads": self.states})
        elif "history" in command:
            bounds = command["history"]
            after = bounds.get("after", 0)
            found = self.log[after : after + min(bounds.get("limit", 30), 4)]
            more = after + len(found) < len(self.log)
            page = {"epoch": "e1", "events": found, "head_seq": len(self.log), "has_more_after": more}
            socket.deliver({"type": "page", "ref": command["ref"], "thread_id": "a", **page})
        elif "message" in command:
            send = command["message"]
            self.log.append(message(len(self.log) + 1, send["text"], sender="me", client_id=send["client_id"]))
            socket.deliver(self.log[-1])
            for level in ("accepted", "stored"):
                socket.deliver({**self.log[-1], "type": "ack", "ref": command["ref"], "level": level})
        elif "join" in command:
            socket.deliver({"type": "thread", "op": "added", "thread": THREAD})
            socket.deliver({"type": "ack", "ref": command["ref"], "thread_id": "b"})
        elif "ref" in command:
            socket.deliver({"type": "ack", "ref": command["ref"]})


def use(room: Room, body: Callable[[Client], Awaitable[None]], **arguments: Any) -> None:
    async def work() -> None:
        client = Client("http://test", Token("t"), transport=room.transport, random=fixed_random(), **arguments)
        try:
            await client.connect()
            await body(client)
        finally:
            await client.close(timeout=0)

    run(work())


async def settle() -> None:
    await asyncio.sleep(0.01)


def test_a_send_is_confirmed_and_shown() -> None:
    async def body(client: Client) -> None:
        messages = client.messages("a")
        sending = client.send("a", "Hello", reply_to=7, parts=[Part(attachment="f")])
        assert (await sending.accepted()).seq == 1 and (await sending).seq == 1 and sending.is_done
        assert (await anext(messages)).client_id == sending.client_id
        [command] = room.socket.commands("message")
        expected = {"id": "a", "text": "Hello", "client_id": sending.client_id, "ack": "stored"}
        assert command["message"] == {**expected, "reply_to": 7, "parts": [{"attachment": "f"}]}

    room = Room()
    use(room, body)


def test_what_is_sent_before_the_connection_follows_it() -> None:
    room = Room()

    async def work() -> None:
        client = Client("http://test", Token("t"), transport=room.transport)
        sendings = [client.send("a", f"{number}") for number in range(5)]
        async with client:
            for number, sending in enumerate(sendings):
                assert (await sending).seq == number + 1

    run(work())


def test_leaving_the_block_waits_for_what_was_sent() -> None:
    room = Room()

    async def work() -> None:
        async with Client("http://test", Token("t"), transport=room.transport) as client:
            sendings = [client.send("a", f"{number}") for number in range(20)]
        assert all(sending.is_done for sending in sendings)
        assert [event["text"] for event in room.log] == [f"{number}" for number in range(20)]
        with pytest.raises(ParleyError, match="closed"):
            client.send("a", "late")

    run(work())


def test_a_client_that_was_closed_sends_nothing() -> None:
    async def work() -> None:
        client = Client("http://test", Token("t"), transport=Room().transport)
        sending = client.send("a", "Hello")
        await client.close(timeout=1)
        with pytest.raises(ParleyError, match="closed"):
            await sending
        with pytest.raises(ParleyError, match="closed"):
            client.send("a", "Hello")

    run(work())


def test_what_is_not_confirmed_at_the_end_fails() -> None:
    room = Room()

    async def work() -> None:
        async with Client("http://test", Token("t"), transport=room.transport) as client:
            room.is_silent = True
            sending = client.send("a", "Hello")
        with pytest.raises(ParleyError, match="closed"):
            await sending

    run(work())


def test_bad_texts_and_long_frames_are_refused_here() -> None:
    async def body(client: Client) -> None:
        with pytest.raises(ValueError):
            client.send("a", "\udfff")
        with pytest.raises(ParleyError, match="too_large"):
            await client.send("a", "x" * 70_000)
        assert (await client.send("a", "x")).seq == 1

    use(Room(), body)


def test_the_outbox_is_bounded() -> None:
    async def body(client: Client) -> None:
        room.is_silent = True
        for _ in range(10):
            client.send("a", "Hello")
        with pytest.raises(ParleyError, match="outbox_full"):
            client.send("a", "Hello")

    room = Room()
    use(room, body, outbox_capacity=10)


def test_a_gap_is_filled_and_a_repetition_ignored() -> None:
    async def body(client: Client) -> None:
        messages = client.messages("a")
        room.post(2)
        room.post(6, is_hidden=True)
        room.post()
        room.socket.deliver(room.log[3])
        assert [(await anext(messages)).seq for _ in range(9)] == list(range(3, 12))
        await settle()
        assert client.positions == {"a": Position("e1", 11)}
        room.post(3, is_hidden=True)
        room.socket.deliver({"type": "behind", "threads": {"a": {"from": 12, "to": 14}}})
        assert [(await anext(messages)).seq for _ in range(3)] == [12, 13, 14]

    room = Room(2)
    use(room, body)


def test_a_slow_reader_is_caught_up_from_history() -> None:
    async def body(client: Client) -> None:
        messages, all_events = client.messages("a", capacity=5), client.events(capacity=5)
        room.post(100)
        await settle()
        room.socket.deliver({"type": "typing", "thread_id": "a", "user_id": "u", "username": "u", "on": True})
        assert [(await anext(messages)).seq for _ in range(100)] == list(range(1, 101))
        seqs = [event.seq for event in [await anext(all_events) for _ in range(100)] if isinstance(event, Message)]
        assert seqs == list(range(1, 101))
        room.post(2)
        assert [(await anext(messages)).seq for _ in range(2)] == [101, 102]

    room = Room()
    use(room, body)


def test_a_stream_begins_where_it_is_asked_to() -> None:
    async def body(client: Client) -> None:
        old, new = client.messages("a", after=0), client.messages("a")
        room.post()
        assert [(await anext(old)).seq for _ in range(11)] == list(range(1, 12))
        assert (await anext(new)).seq == 11
        with pytest.raises(ValueError):
            client.messages(after=0)

    room = Room(10)
    use(room, body)


def test_positions_continue_another_client() -> None:
    async def body(client: Client) -> None:
        await settle()
        assert room.socket.sent[0]["resume"]["threads"] == {"a": {"epoch": "e1", "seq": 7}}
        assert client.positions == {"a": Position("e1", 10)}

    room = Room(10)
    use(room, body, positions={"a": Position("e1", 7), "gone": Position("e9", 4)})


def test_a_log_that_starts_over_is_told_and_loaded() -> None:
    async def body(client: Client) -> None:
        events, messages = client.events("a"), client.messages("a")
        mine = client.send("a", "mine")
        await mine
        assert [(await anext(messages)).text for _ in range(1)] == ["mine"]
        await anext(events)
        del room.log[4:]
        room.log += [
            message(5, "new", epoch="e2"),
            message(6, "mine", epoch="e2", sender="me", client_id=mine.client_id),
        ]
        states = {"a": {"state": "rolled_back", "epoch": "e2", "from": 5, "to": 7}}
        room.socket.deliver({"type": "resumed", "threads": states})
        assert await anext(events) == RolledBack("a", 5)
        assert [event.seq for event in [await anext(events), await anext(events)] if isinstance(event, Message)] == [
            5,
            6,
        ]
        assert (await anext(messages)).text == "new"
        room.post()
        assert (await anext(messages)).text == "7", "a send that the log has again is shown once"

    room = Room(6)
    use(room, body)


def test_a_thread_that_is_gone_is_told() -> None:
    async def body(client: Client) -> None:
        events = client.events()
        room.socket.deliver({"type": "thread", "op": "removed", "thread": {**THREAD, "id": "a"}})
        assert await anext(events) == ThreadRemoved("a") and "a" not in client.threads
        assert (await client.join("B")).title == "B"
        assert isinstance(await anext(events), ThreadAdded)
        assert client.positions == {"b": Position("e1", 3)}
        await client.authenticate("t2")
        assert room.socket.commands("auth")[0]["auth"] == {"token": "t2"}

    room = Room()
    use(room, body)


def test_many_threads_are_resumed_in_a_frame_that_the_server_takes() -> None:
    positions = {f"thread-{number:04}": Position("e0" if number < 50 else "e1", 1) for number in range(2_000)}
    threads = [{"id": id, "title": id, "kind": "room", "role": "member", "epoch": "e1", "seq": 2} for id in positions]
    sockets: list[FakeSocket] = []
    asked: set[str] = set()

    def answer(socket: FakeSocket, command: dict[str, Any]) -> None:
        if "resume" in command:
            states = {
                id: {"state": "replayed", "epoch": "e1", "from": 2, "to": 2} for id in command["resume"]["threads"]
            }
            for id in states:
                socket.deliver({**message(2), "thread_id": id})
            socket.deliver({"type": "resumed", "ref": command["ref"], "threads": states})
        elif "history" in command:
            id = command["history"]["id"]
            asked.add(id)
            page: dict[str, Any] = {"epoch": "e1", "events": [{**message(2), "thread_id": id}], "head_seq": 2}
            socket.deliver({"type": "page", "ref": command["ref"], "thread_id": id, **page})

    def handshake(*_: object) -> FakeSocket:
        sockets.append(FakeSocket(answer))
        sockets[-1].deliver({**hello(), "threads": threads})
        return sockets[-1]

    async def work() -> None:
        client = Client("http://test", Token("t"), transport=FakeTransport(handshake), positions=positions)
        events = client.events(capacity=5_000)
        await client.connect()
        seen = {event.thread_id for event in [await anext(events) for _ in range(2_000)] if isinstance(event, Message)}
        assert seen == set(positions)
        resumed = set(sockets[0].sent[0]["resume"]["threads"])
        assert {id for id, position in positions.items() if position.epoch == "e0"} <= resumed
        assert len(str(sockets[0].sent[0])) < 65_536 and asked == set(positions) - resumed
        await client.close(timeout=0)

    run(work())


def test_read_marks_typing_presence_and_what_others_do() -> None:
    async def body(client: Client) -> None:
        events = client.events("a")
        client.watch(["u"])
        client.mark_read("a")
        client.typing("a", False)
        for _ in range(80):
            client.typing("a")
            await asyncio.sleep(0.1)
        client.typing("a", False)
        await settle()
        assert room.socket.commands("watch")[0]["watch"] == {"users": ["u"]}
        assert room.socket.commands("read")[0]["read"] == {"id": "a", "seq": 2}
        typing = [command["typing"]["on"] for command in room.socket.commands("typing")]
        assert typing == [True, True, True, False], "at most every 3.5 s"
        room.socket.deliver({"type": "read", "thread_id": "a", "user_id": "u", "read_seq": 2, "date": 0})
        room.socket.deliver({"type": "typing", "thread_id": "a", "user_id": "u", "username": "u", "on": True})
        room.socket.deliver({"type": "typing", "thread_id": "b", "user_id": "u", "username": "u", "on": True})
        room.socket.deliver({"type": "presence", "user_id": "u", "online": True, "last_seen": None})
        assert [await anext(events) for _ in range(2)] == [ReadBy("a", "u", 2), TypingBy("a", "u", "u", True)]
        room.socket.cut(4300)
        await asyncio.sleep(1)
        assert room.socket.commands("watch"), "a new connection is asked again"

    room = Room(2)
    use(room, body)


NOON = 1_795_255_200_000


def muted(until_ms: int | None = None, reason: str | None = None) -> dict[str, Any]:
    fields = {"until_ms": until_ms, "reason": reason}
    mute = {name: value for name, value in fields.items() if value is not None}
    return {"type": "mute", "thread_id": "a", "mute": mute}


def test_a_mute_begins_is_replaced_and_ends_by_frames() -> None:
    async def body(client: Client) -> None:
        events = client.events("a")
        assert client.mute_of("a") is None
        room.socket.deliver(muted(NOON + 5_000, "spam"))
        assert await anext(events) == MuteChanged("a", Mute(NOON + 5_000, "spam"))
        assert client.mute_of(client.threads["a"]) == Mute(NOON + 5_000, "spam")
        room.socket.deliver(muted())
        assert await anext(events) == MuteChanged("a", Mute())
        await asyncio.sleep(20)
        assert client.mute_of("a") == client.threads["a"].mute == Mute()
        room.socket.deliver({"type": "mute", "thread_id": "a", "mute": 7})
        room.socket.deliver({"type": "mute", "thread_id": "unknown", "mute": {}})
        room.socket.deliver({"type": "mute", "thread_id": "a", "mute": None})
        assert await anext(events) == MuteChanged("a", None)
        assert client.mute_of("a") is client.threads["a"].mute is client.mute_of("unknown") is None

    room = Room()
    room.time = NOON
    use(room, body)


def test_a_mute_ends_by_the_clock_of_the_server() -> None:
    async def body(client: Client) -> None:
        await asyncio.sleep(30)
        room.socket.deliver(muted(NOON + 60_000))
        await asyncio.sleep(29)
        assert client.mute_of("a") == Mute(NOON + 60_000)
        room.socket.deliver(muted(NOON + 90_000))
        await asyncio.sleep(30)
        assert client.mute_of("a") == Mute(NOON + 90_000), "a longer one has replaced it"
        await asyncio.sleep(2)
        assert client.mute_of("a") is None

    room = Room()
    room.time = NOON
    use(room, body)


def test_without_the_time_of_the_server_the_clock_of_the_machine_counts() -> None:
    async def body(client: Client) -> None:
        assert client.mute_of("a") is None
        room.socket.deliver(muted(32_503_680_000_000))
        await settle()
        assert client.mute_of("a") == Mute(32_503_680_000_000)

    room = Room()
    room.mute = {"until_ms": 1_000}
    use(room, body)


def test_hello_tells_of_a_mute_and_of_its_end_while_the_client_was_offline() -> None:
    async def body(client: Client) -> None:
        assert client.mute_of("a") == Mute(None, "spam")
        for mute, expected in [(None, None), ({"until_ms": NOON + 1_000_000}, Mute(NOON + 1_000_000))]:
            room.mute = mute
            room.socket.cut(4300)
            await asyncio.sleep(10)
            assert client.state == "connected" and client.mute_of("a") == expected

    room = Room()
    room.mute, room.time = {"reason": "spam"}, NOON
    use(room, body)


def test_two_copies_of_a_send_are_shown_once_and_deleted_ones_not() -> None:
    async def body(client: Client) -> None:
        messages = client.messages("a")
        copies: list[dict[str, Any]] = [{"client_id": "c"}, {"client_id": "c"}, {"deleted": True}, {}]
        for fields in copies:
            room.log.append(message(len(room.log) + 1, "x", **fields))
            room.socket.deliver(room.log[-1])
        assert [(await anext(messages)).seq for _ in range(2)] == [1, 4]

    room = Room()
    use(room, body)


def test_closing_ends_the_streams() -> None:
    async def work() -> None:
        client = Client("http://test", Token("t"), transport=Room().transport)
        await client.connect()
        seen = asyncio.create_task(_all(client))
        await settle()
        await client.close()
        assert await seen == []
        stream = client.messages("a")
        await stream.aclose()
        with pytest.raises(StopAsyncIteration):
            await anext(stream)

    async def _all(client: Client) -> list[Message]:
        return [each async for each in client.messages("a")]

    run(work())


def test_a_stream_that_nobody_holds_is_forgotten() -> None:
    async def body(client: Client) -> None:
        client.messages("a")
        assert len(client._engine.streams) == 0

    use(Room(), body)
