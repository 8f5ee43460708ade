"""A server with one thread, which cuts, forgets, repeats and leaves out, as its random numbers decide."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from random import Random
from typing import Any

from parley_client.errors import ParleyError
from support import FakeSocket, FakeTransport, Handshake, hello, message

#: Events of one page.
PAGE = 5
#: The most missing events that a resume replays.
REPLAY = 8


class Link(FakeSocket):
    """A connection. Its frames wait in ``outgoing`` until the server delivers them."""

    def __init__(self, server: Server) -> None:
        super().__init__(server.command)
        self.outgoing: list[dict[str, Any]] = []
        self.is_live = False
        self.hello_seq = server.head
        self.hello_epoch = server.epoch
        #: The refs of sends that expect an ack when they are stored.
        self.unstored: list[tuple[int, dict[str, Any]]] = []


class Server:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.log: list[dict[str, Any]] = []
        self.epoch = "e1"
        self.stored_to = 0
        self.links: list[Link] = []
        self.mute: dict[str, Any] | None = None
        #: For each former epoch the last place that is still valid.
        self._valid: dict[str, int] = {}
        self.is_calm = False
        #: Whether a log that started over was without its newest events.
        self.has_lost = False
        self.transport = FakeTransport(self._handshake)

    @property
    def head(self) -> int:
        return len(self.log)

    def open_links(self) -> list[Link]:
        return [link for link in self.links if link.is_open]

    def _handshake(self, headers: Mapping[str, str], ticket: str | None) -> Handshake:
        if not self.is_calm and self.random.random() < 0.2:
            return ParleyError("unavailable", retryable=True, status=503, retry_after=self.random.randrange(2))
        link = Link(self)
        self.links.append(link)
        link.outgoing.append(hello(self.head, epoch=self.epoch if self.log else "", mute=self.mute))
        return link

    # Events

    def append(self, event: dict[str, Any]) -> dict[str, Any]:
        event = {**event, "seq": self.head + 1, "epoch": self.epoch, "id": f"{self.epoch}-{self.head + 1}"}
        self.log.append(event)
        self._send(event)
        return event

    def post(self) -> None:
        self.append(message(0, f"{self.epoch}/{self.head + 1}"))

    def _send(self, frame: dict[str, Any]) -> None:
        for link in self.links:
            if link.is_live:
                link.outgoing.append(frame)

    def store(self) -> None:
        self.stored_to = self.head
        for link in self.links:
            for ref, event in link.unstored:
                link.outgoing.append(_ack(event, ref, "stored"))
            link.unstored.clear()

    def roll_back(self) -> None:
        """The log is lost; what is stored begins a new one."""
        former, lost = self.head, self.stored_to < self.head
        self.has_lost = self.has_lost or lost
        self._valid[self.epoch] = former
        self._valid = {epoch: min(seq, self.stored_to) for epoch, seq in self._valid.items()}
        del self.log[self.stored_to :]
        self.epoch = f"e{int(self.epoch[1:]) + 1}"
        state = "rolled_back" if lost else "live"
        for link in self.links:
            link.unstored.clear()
        fields: dict[str, Any] = {"state": state, "from": self.head + 1, "to": former}
        if not lost or self.random.random() < 0.7:
            fields["epoch"] = self.epoch
        self._send({"type": "resumed", "threads": {"a": fields}})

    def leave_out(self, link: Link) -> None:
        """The client reads too slowly: events that wait for it are left out."""
        events = [frame for frame in link.outgoing if frame["type"] == "message"]
        if not events or any(frame["type"] == "resumed" for frame in link.outgoing):
            return
        link.outgoing = [frame for frame in link.outgoing if frame["type"] != "message"]
        if self.random.random() < 0.7:
            threads = {"a": {"from": events[0]["seq"], "to": events[-1]["seq"]}}
            link.outgoing.append({"type": "behind", "threads": threads})
        else:
            # Nothing tells it but the next event.
            self.post()

    def repeat(self, link: Link) -> None:
        if self.log and link.is_live and not any(frame["type"] == "resumed" for frame in link.outgoing):
            link.outgoing.append(self.random.choice(self.log))

    def change_mute(self) -> None:
        """A moderator mutes the user, or ends that. Every socket of the user learns it, also before its resume."""
        self.mute = None if self.mute is not None else {"reason": f"{self.random.randrange(1_000_000)}"}
        for link in self.open_links():
            link.outgoing.append({"type": "mute", "thread_id": "a", "mute": self.mute})

    async def deliver(self, link: Link, count: int) -> None:
        for _ in range(min(count, len(link.outgoing))):
            link.deliver(link.outgoing.pop(0))
            await asyncio.sleep(0)

    # Commands

    def command(self, socket: FakeSocket, command: dict[str, Any]) -> None:
        assert isinstance(socket, Link)
        ref = command.get("ref")
        [(name, fields)] = [(name, value) for name, value in command.items() if name != "ref"]
        if name == "resume":
            assert len(socket.sent) == 1, "resume is not the first command"
            socket.outgoing.append({**self._resumed(socket, fields["threads"].get("a")), "ref": ref})
        elif name == "message":
            assert isinstance(ref, int)
            self._message(socket, fields, ref)
        elif name == "history":
            socket.outgoing.append({**self._page(fields), "ref": ref})
        elif name == "ping":
            socket.outgoing.append({"type": "pong", "ping": fields, "server_time": 0})
        else:
            self._change(socket, name, fields, ref)

    def _change(self, link: Link, name: str, fields: Any, ref: int | None) -> None:
        if name == "read":
            link.outgoing.append({"type": "ack", "ref": ref})
            return
        target = next((event for event in self.log if event["id"] == fields["message_id"]), None)
        if target is None:
            link.outgoing.append({"type": "error", "ref": ref, "code": "not_found", "message": "", "retryable": False})
            return
        edited = {"type": "edited", "thread_id": "a", "date_ms": 0, "message_id": target["id"], "by_id": "me"}
        event = self.append({**edited, "message_seq": target["seq"], "text": fields["text"]})
        link.outgoing.append(_ack(event, ref, None))

    def _message(self, link: Link, fields: dict[str, Any], ref: int) -> None:
        if not self.is_calm and self.random.random() < 0.15:
            frame = {"type": "error", "ref": ref, "code": "unavailable", "message": "", "retryable": True}
            link.outgoing.append(frame)
            if self.random.random() < 0.5:
                return
        known = next((event for event in self.log if event.get("client_id") == fields["client_id"]), None)
        if known is not None:
            assert known["text"] == fields["text"], "a repeated send was changed"
        event = known or self.append(message(0, fields["text"], sender="me", client_id=fields["client_id"]))
        if any(frame.get("ref") == ref for frame in link.outgoing if frame["type"] == "error"):
            return
        link.outgoing.append(_ack(event, ref, "accepted"))
        if event["seq"] <= self.stored_to:
            link.outgoing.append(_ack(event, ref, "stored"))
        else:
            link.unstored.append((ref, event))

    def _resumed(self, link: Link, position: dict[str, Any] | None) -> dict[str, Any]:
        link.is_live = True
        if position is not None:
            state = self._state(link, position["epoch"], position["seq"])
            return {"type": "resumed", "threads": {"a": state}}
        # The client continues where hello was, whose numbering may have started over since.
        state = self._state(link, link.hello_epoch, link.hello_seq)
        return {"type": "resumed", "threads": {"a": state} if state["state"] in ("rolled_back", "page") else {}}

    def _state(self, link: Link, epoch: str, seq: int) -> dict[str, Any]:
        valid = self.head if epoch == self.epoch or seq == 0 else self._valid.get(epoch, 0)
        fields = {"epoch": self.epoch, "from": seq + 1, "to": self.head}
        if seq > valid:
            return {**fields, "state": "rolled_back", "from": valid + 1, "to": seq}
        if self.head - seq > REPLAY:
            return {**fields, "state": "page"}
        link.outgoing.extend(self.log[seq:])
        return {**fields, "state": "replayed" if self.head > seq else "live"}

    def _page(self, fields: dict[str, Any]) -> dict[str, Any]:
        after = fields.get("after", 0)
        found = [event for event in self.log if after < event["seq"] < fields.get("before", 1 << 60)]
        events = found[:PAGE] if "after" in fields else found[-PAGE:]
        return {
            "type": "page",
            "thread_id": "a",
            "epoch": self.epoch if self.log else "",
            "events": events,
            "has_more_before": bool(events) and events[0]["seq"] > 1,
            "has_more_after": bool(events) and events[-1]["seq"] < self.head,
            "head_seq": self.head,
        }


def _ack(event: dict[str, Any], ref: int | None, level: str | None) -> dict[str, Any]:
    fields = {name: event.get(name) for name in ("thread_id", "epoch", "seq", "date_ms", "id", "client_id")}
    if level is None:
        del fields["id"], fields["client_id"]
    return {"type": "ack", "ref": ref, "level": level, **fields}
