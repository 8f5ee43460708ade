"""The golden frames of Tests/Fixtures/v1, in both directions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from parley_client import (
    BlocksChanged,
    Deleted,
    Edited,
    EntrancesChanged,
    Joined,
    Left,
    Message,
    Mute,
    MuteChanged,
    Part,
    Position,
    Presence,
    Reacted,
    Reaction,
    ReadBy,
    Renamed,
    RoleChanged,
    RoomChanged,
    ThreadAdded,
    ThreadRemoved,
    TypingBy,
    UnknownEvent,
    User,
    UserChanged,
    VisibilityChanged,
    decoding,
    frames,
)
from parley_client.errors import from_frame
from support import golden

GOLDEN = golden()
PLACE = {"coordinates": [8.54, 47.37], "type": "Point"}
PICTURE = Part("image/jpeg", url="https://files.example/1.jpg", name="1.jpg", size=48211, width=800, height=600)
FILM = Part("video/mp4", url="https://files.example/2.mp4", duration_ms=4200)
TEXT = Part("text/plain", content="from the tower")
POINT = Part("application/geo+json", content=PLACE)
ROOM, MESSAGE = "0190a1", "0190b7"

#: Every command of the fixtures, with its `ref`.
COMMANDS: dict[str, tuple[dict[str, Any], int | None]] = {
    "auth": (frames.auth("eyJhbGciOiJIUzI1NiJ9.e30.x"), 19),
    "delete": (frames.delete(ROOM, MESSAGE), 7),
    "edit": (frames.edit(ROOM, MESSAGE, "Hello!"), 6),
    "history": (frames.history(ROOM), 13),
    "history-before": (frames.history(ROOM, before=100, limit=50), 14),
    "history-range": (frames.history(ROOM, before=100, after=40, limit=200), 15),
    "join": (frames.join("Garden"), 16),
    "leave": (frames.leave(ROOM), 17),
    "message": (frames.message(ROOM, "Hello"), None),
    "message-idempotent": (frames.message(ROOM, 'Hello, "world" ☃', client_id="c-1"), 1),
    "message-parts": (frames.message(ROOM, "Look", client_id="c-3", parts=[PICTURE, POINT, TEXT]), 4),
    "message-parts-only": (frames.message(ROOM, "", parts=[FILM]), 5),
    "message-reply": (frames.message(ROOM, "I agree", reply_to=41, ack="accepted"), 3),
    "message-stored": (frames.message(ROOM, "important", client_id="c-2", ack="stored"), 2),
    "ping": (frames.ping(1790000000123), None),
    "react": (frames.react(ROOM, MESSAGE, "👍", True), 8),
    "react-off": (frames.react(ROOM, MESSAGE, "👍", False), 9),
    "read": (frames.read(ROOM, 42), 10),
    "read-all": (frames.read(ROOM), None),
    "resume": (frames.resume({ROOM: Position("k3f9", 40), "direct.6.0190c2.0190d4": Position("", 0)}), 11),
    "resume-nothing": (frames.resume({}), 12),
    "typing": (frames.typing(ROOM, True), None),
    "typing-off": (frames.typing(ROOM, False), None),
    "watch": (frames.watch(["0190c2", "0190d4"]), 18),
    "watch-nobody": (frames.watch([]), None),
}

EVENT: dict[str, Any] = {"thread_id": ROOM, "epoch": "k3f9", "date_ms": 1795255200123}
AUTHOR: dict[str, Any] = {"id": MESSAGE, "sender_id": "0190c2", "sender_name": "alice"}
TARGET: dict[str, Any] = {"message_id": MESSAGE, "message_seq": 43}
BOB: dict[str, Any] = {"user_id": "0190d4", "username": "bob"}

#: Every event of the fixtures.
EVENTS: dict[str, Any] = {
    "event-deleted": Deleted(**EVENT, seq=46, **TARGET, by_id="0190c2"),
    "event-edited": Edited(**EVENT, seq=45, **TARGET, text="Hello!", by_id="0190c2"),
    "event-joined": Joined(**EVENT, seq=48, **BOB, by_id="0190d4"),
    "event-joined-by": Joined(**EVENT, seq=48, **BOB, by_id="0190c2"),
    "event-left": Left(**EVENT, seq=49, **BOB, by_id="0190d4"),
    "event-message": Message(**EVENT, seq=43, **AUTHOR, text='Hello, "world" ☃', client_id="c-1"),
    "event-message-deleted": Message(**EVENT, seq=43, **AUTHOR, text="", is_deleted=True),
    "event-message-edited": Message(
        **EVENT,
        seq=43,
        **AUTHOR,
        text="Hello!",
        edited_ms=1795255201123,
        reactions=(Reaction("👍", 2, ("0190c2", "0190d4")),),
    ),
    "event-message-parts": Message(
        **EVENT, seq=44, **AUTHOR, text="Look", parts=(PICTURE, POINT, TEXT, FILM), reply_to=41
    ),
    "event-reaction": Reacted(**EVENT, seq=47, **TARGET, user_id="0190d4", emoji="👍", on=True),
    "event-renamed": Renamed(**EVENT, seq=50, title="Garden 2", by_id="0190c2"),
    "event-role": RoleChanged(**EVENT, seq=51, user_id="0190d4", role="moderator", by_id="0190c2"),
    "event-visibility": VisibilityChanged(**EVENT, seq=52, visibility="private", by_id="0190c2"),
    "event-message-named": Message(**EVENT, seq=43, **AUTHOR, text="Hello", sender_display_name="Alice Liddell"),
    "user": UserChanged(User("0190d4", "bob", "Bob B.", "/v1/attachments/0190f3")),
    "user-plain": UserChanged(User("0190d4", "bob")),
    "presence": Presence("0190d4", True, 1795255200),
    "presence-unknown": Presence("0190d4", False, None),
    "read-receipt": ReadBy(ROOM, "0190d4", 42),
    "typing-notice": TypingBy(ROOM, "0190d4", "bob", True),
    "thread-removed": ThreadRemoved(ROOM),
    "room": RoomChanged(ROOM, "Planting", False, 30, frozenset({"attach", "mention"})),
    "room-archived": RoomChanged(ROOM, is_archived=True),
    "room-blocked": RoomChanged("direct.6.0190c2.0190d4", is_blocked=True),
    "blocks": BlocksChanged(("0190d4",)),
}


def names(direction: str) -> list[str]:
    return [name for name, each in GOLDEN.items() if each["direction"] == direction]


def parsed(name: str) -> Any:
    fields = frames.decode(json.dumps(GOLDEN[name]["frame"]))
    assert fields is not None
    return frames.parse(fields)


def test_every_command_of_the_fixtures_is_here() -> None:
    assert sorted(COMMANDS) == sorted(names("client"))


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_sent_byte_for_byte(name: str) -> None:
    command, ref = COMMANDS[name]
    expected = json.dumps(GOLDEN[name]["frame"], ensure_ascii=False, separators=(",", ":"))
    assert frames.encode(command, ref) == expected


@pytest.mark.parametrize("name", names("server"))
def test_every_frame_of_the_server_is_understood(name: str) -> None:
    frame = parsed(name)
    assert frame is not None and not isinstance(frame, UnknownEvent)


@pytest.mark.parametrize("name", EVENTS)
def test_an_event_is_read(name: str) -> None:
    assert parsed(name) == EVENTS[name]


def test_hello_is_read() -> None:
    hello = parsed("hello")
    assert (hello.user.username, hello.ping_interval, hello.frame_bytes) == ("alice", 25.0, 65_536)
    assert hello.ticket == "t.0190e9.c2ln"
    assert [(each.id, each.title, each.epoch, each.seq, each.unread, each.read_seq) for each in hello.threads] == [
        (ROOM, "Garden", "k3f9", 42, 2, 40),
        ("direct.6.0190c2.0190d4", "bob", "", 0, 0, 0),
    ]
    assert not hello.has_more and parsed("hello-more").has_more
    assert not parsed("hello-unavailable").threads[0].is_available


END = 1795255200123


@pytest.mark.parametrize(
    ("value", "mute"),
    [
        (None, None),
        ({}, Mute()),
        ({"until_ms": END, "reason": "spam"}, Mute(END, "spam")),
        ({"until_ms": None, "reason": "", "by": "later"}, Mute()),
    ],
)
def test_a_mute_is_read_from_a_frame_and_from_threads(value: Any, mute: Mute | None) -> None:
    assert frames.parse({"type": "mute", "thread_id": ROOM, "mute": value}) == MuteChanged(ROOM, mute)
    [thread, other] = GOLDEN["hello"]["frame"]["threads"]
    hello = frames.parse({**GOLDEN["hello"]["frame"], "threads": [{**thread, "mute": value}, other]})
    assert isinstance(hello, frames.Hello)
    assert [each.mute for each in hello.threads] == [mute, None] and hello.server_time == END
    added = frames.parse({**GOLDEN["thread-added"]["frame"], "thread": {**thread, "mute": value}})
    assert isinstance(added, ThreadAdded) and added.thread.mute == mute


@pytest.mark.parametrize("value", [True, "spam", 7, [], {"until_ms": "soon"}, {"until_ms": 1.5}, {"reason": 7}])
def test_a_value_that_is_not_a_mute_mutes_nobody(value: Any) -> None:
    assert frames.parse({"type": "mute", "thread_id": ROOM, "mute": value}) is None
    [thread, other] = GOLDEN["hello"]["frame"]["threads"]
    hello = frames.parse({**GOLDEN["hello"]["frame"], "threads": [{**thread, "mute": value}, other]})
    assert isinstance(hello, frames.Hello) and [each.mute for each in hello.threads] == [None, None]


def test_a_frame_without_a_mute_and_a_hello_without_a_time_tell_nothing() -> None:
    assert frames.parse({"type": "mute", "thread_id": ROOM}) is None
    for time in ("noon", None, True):
        hello = frames.parse({**GOLDEN["hello"]["frame"], "server_time": time})
        assert isinstance(hello, frames.Hello) and hello.server_time is None


def test_the_states_of_threads_are_read() -> None:
    states = parsed("resumed").threads
    assert {id: each.state for id, each in states.items()} == {
        "t1": "live",
        "t2": "replayed",
        "t3": "page",
        "t4": "rolled_back",
        "t5": "gone",
        "t6": "denied",
    }
    assert (states["t3"].epoch, states["t3"].from_seq, states["t3"].to_seq) == ("k3f9", 41, 4100)
    assert parsed("behind").threads == {ROOM: 118}
    bye = parsed("bye")
    assert (bye.reconnect_after, bye.ticket) == (3.2, "t.0190e9.c2ln")
    added = parsed("thread-added")
    assert isinstance(added, ThreadAdded) and added.thread.seq == 48


def test_receipts_pages_and_errors_are_read() -> None:
    receipt = decoding.receipt(GOLDEN["ack-repeat"]["frame"])
    assert (receipt.id, receipt.seq, receipt.client_id, receipt.is_repeat) == (MESSAGE, 43, "c-1", True)
    assert decoding.receipt(GOLDEN["ack"]["frame"]).seq == 0
    page = decoding.page(GOLDEN["page"]["frame"])
    assert [type(each) for each in page.events] == [Joined, Message]
    assert (page.has_more_before, page.has_more_after, page.head_seq) == (True, False, 42)
    assert decoding.page(GOLDEN["page-empty"]["frame"]).events == ()
    error = from_frame(GOLDEN["error-rate"]["frame"])
    assert (error.code, error.retryable, error.retry_after) == ("rate_limited", True, 0.05)
    assert not from_frame(GOLDEN["error"]["frame"]).retryable


def test_what_a_later_version_adds_is_ignored() -> None:
    fields = {**GOLDEN["event-message"]["frame"], "colour": "blue"}
    assert frames.parse(fields) == EVENTS["event-message"]
    event = frames.parse({"type": "poll", **EVENT, "seq": 7, "question": "?"})
    assert isinstance(event, UnknownEvent) and event.seq == 7 and event.fields["question"] == "?"
    assert frames.parse({"type": "weather", "degrees": 20}) is None
    broken = frames.parse({"type": "edited", **EVENT, "seq": 8})
    assert isinstance(broken, UnknownEvent) and broken.seq == 8


@pytest.mark.parametrize("text", ["", "[]", "7", '{"type":7}', "{", "[" * 100_000, '{"type":"hello"}'])
def test_what_is_no_frame_is_ignored(text: str) -> None:
    fields = frames.decode(text)
    assert fields is None or frames.parse(fields) is None


def test_a_text_that_is_no_unicode_is_refused_at_once() -> None:
    with pytest.raises(ValueError):
        frames.encode(frames.message(ROOM, "\ud800"))


def test_news_of_the_ways_into_threads() -> None:
    assert frames.parse({"type": "entrances"}) == EntrancesChanged()
    assert frames.parse({"type": "entrances", "thread_id": "a"}) == EntrancesChanged("a")
