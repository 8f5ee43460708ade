"""A stand-in for a server with stored events: ``/v1/admin/events``, ``event-groups`` and ``import``.

It runs in a thread of its own on a loopback port. The tests of parley-django use it too.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from types import TracebackType
from typing import Any, Self, TypeVar

from aiohttp import web

T = TypeVar("T")
KEY = "pk_events-tests"
KINDS = {
    "message",
    "edited",
    "deleted",
    "reaction",
    "joined",
    "left",
    "role",
    "renamed",
    "visibility",
    "audit",
    "unseen",
    "all",
}


@dataclass
class Group:
    """A group of readers, whose worker has a lease until a time of ``time.monotonic``."""

    cursor: str
    worker: str = ""
    until: float = 0.0
    acknowledged_ms: int | None = None


class EventServer:
    """Events in the order in which they were stored.

    :param part: the events before each cursor
    :param heartbeat: the seconds after which a cursor is repeated
    :param lease: the seconds of a lease
    :param cuts: the probability that the connection is cut instead of sending a line
    """

    def __init__(
        self,
        *,
        part: int = 3,
        heartbeat: float = 15.0,
        cuts: float = 0.0,
        lease: float = 30.0,
        random: Random | None = None,
    ):
        self.part, self.heartbeat, self.cuts, self.lease = part, heartbeat, cuts, lease
        self.groups: dict[str, Group] = {}
        self.events: list[dict[str, Any]] = []
        self.imported: list[dict[str, Any]] = []
        #: The queries of the calls so far.
        self.queries: list[dict[str, str]] = []
        #: The groups and the contents of the acknowledgements and moves so far.
        self.moves: list[tuple[str, dict[str, Any]]] = []
        #: The number of answers in progress.
        self.followers = 0
        self._random = random or Random(1)
        self._mark = 1
        self._refusals: list[Callable[[], web.Response]] = []
        self._errors: list[str] = []
        self._is_draining = False
        self._changed = asyncio.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._thread.start()
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()
        self._call(self._end_tasks())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    async def _end_tasks(self) -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def start(self) -> None:
        """Listens, on the same port as before."""
        self._call(self._start())

    def stop(self) -> None:
        """Cuts every connection, and refuses new ones."""
        self._call(self._runner.cleanup())

    def add(self, *events: dict[str, Any]) -> None:
        async def work() -> None:
            self.events += events
            self._wake()

        self._call(work())

    def add_messages(self, count: int, *, thread: str = "a") -> None:
        before = sum(event["thread_id"] == thread for event in self.events)
        self.add(*(stored_message(before + number, thread=thread) for number in range(1, count + 1)))

    def restore(self, count: int) -> None:
        """Loses the events after the first ``count``, as a database does that was restored."""

        async def work() -> None:
            del self.events[count:]
            self._mark += 1
            self._wake()

        self._call(work())

    def drain(self) -> None:
        """Ends the answers in progress."""

        async def work() -> None:
            self._is_draining = True
            self._wake()

        self._call(work())

    def refuse(self, status: int, code: str = "", *, retry_after: int | None = None) -> None:
        """Answers the next call with an error; without a code, as a proxy does."""
        content = {"error": {"code": code, "message": "as the test wants it"}}
        headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
        body = json.dumps(content) if code else "<html>"
        self._refusals.append(lambda: web.Response(status=status, text=body, headers=headers))

    def fail(self, code: str) -> None:
        """Ends the next part of an answer with an error."""
        self._errors.append(code)

    def _call(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def _start(self) -> None:
        app = web.Application()
        app.router.add_get("/v1/admin/events", self._answer)
        app.router.add_post("/v1/admin/import", self._import)
        app.router.add_get("/v1/admin/event-groups", self._groups)
        app.router.add_put("/v1/admin/event-groups/{group}", self._move)
        app.router.add_delete("/v1/admin/event-groups/{group}", self._forget)
        # An answer ends with its connection, and with it the lease of its worker.
        self._runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port, reuse_address=True)
        await site.start()
        self.port = self._runner.addresses[0][1]

    def _refusal(self, request: web.Request) -> web.Response | None:
        if self._refusals:
            return self._refusals.pop(0)()
        if request.headers.get("Authorization") != f"Bearer {KEY}":
            return _error(401, "unauthorized")
        return _error(403, "forbidden") if "X-Parley-User" in request.headers else None

    async def _import(self, request: web.Request) -> web.StreamResponse:
        refusal = self._refusal(request)
        if refusal is not None:
            return refusal
        counts = {"users": 0, "threads": 0, "members": 0, "unchanged": 0}
        errors = []
        for number, line in enumerate((await request.text()).splitlines(), 1):
            record = json.loads(line)
            ((kind, content),) = record.items()
            if record in self.imported:
                counts["unchanged"] += 1
            elif content.get("username") == "taken":
                errors.append({"line": number, "code": "conflict", "message": "the name taken is taken"})
            else:
                self.imported.append(record)
                counts[f"{kind}s"] += 1
        return web.json_response({**counts, "errors": errors, "errors_omitted": 0})

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.queries.append(dict(request.query))
        refusal = self._refusal(request) or _invalid(request.query)
        if refusal is not None:
            return refusal
        after = request.query.get("after", "start")
        group = None
        if "group" in request.query:
            group = self._leased(request.query, after)
            if group is None:
                known = self.groups[request.query["group"]]
                return _error(409, "conflict", f"the worker {known.worker} reads for the group")
            after = group.cursor
        index = self._index(after)
        if index is None:
            return _error(409, "rolled_back") if "." in after else _error(400, "bad_request")
        follows = request.query.get("follow") == "1"
        limit = int(request.query.get("limit", 1 << 60 if follows else 100))
        kinds = request.query["kinds"].split(",") if "kinds" in request.query else None
        self._is_draining = False
        response = web.StreamResponse(headers={"Content-Type": "application/x-ndjson"})
        worker = request.query.get("worker", "")
        self.followers += 1
        try:
            await response.prepare(request)
            await self._send(request, response, index, follows, limit, kinds, group)
        finally:
            self.followers -= 1
            if group is not None and follows and group.worker == worker:
                group.until = 0.0
        return response

    def _index(self, after: str) -> int | None:
        mark, _, place = after.partition(".")
        if after in ("start", "end"):
            return 0 if after == "start" else len(self.events)
        if mark == f"m{self._mark}" and place.isdigit() and int(place) <= len(self.events):
            return int(place)
        return None

    # Groups

    def _leased(self, query: Any, after: str) -> Group | None:
        """The group whose lease a worker gets; ``None`` while another one has it."""
        cursor = f"m{self._mark}.{len(self.events)}" if after == "end" else after
        group = self.groups.setdefault(query["group"], Group(cursor))
        if group.worker not in ("", query["worker"]) and group.until > time.monotonic():
            return None
        group.worker, group.until = query["worker"], time.monotonic() + self.lease
        return group

    async def _groups(self, request: web.Request) -> web.StreamResponse:
        groups = [
            {
                "name": name,
                "cursor": group.cursor,
                "worker": group.worker,
                "lease_until_ms": int(group.until * 1000),
                "acknowledged_ms": group.acknowledged_ms,
            }
            for name, group in sorted(self.groups.items())
        ]
        return self._refusal(request) or web.json_response({"groups": groups})

    async def _move(self, request: web.Request) -> web.StreamResponse:
        content = await request.json()
        self.moves.append((request.match_info["group"], content))
        refusal = self._refusal(request)
        if refusal is not None:
            return refusal
        group = self.groups.get(request.match_info["group"])
        if group is None:
            return _error(404, "not_found")
        if "worker" not in content:
            group.cursor, group.worker, group.until = content["cursor"], "", 0.0
            self._wake()
        elif content["worker"] != group.worker:
            return _error(409, "conflict")
        else:
            group.cursor, group.acknowledged_ms = content["cursor"], int(time.time() * 1000)
        return web.Response(status=204)

    async def _forget(self, request: web.Request) -> web.StreamResponse:
        refusal = self._refusal(request)
        if refusal is not None:
            return refusal
        found = self.groups.pop(request.match_info["group"], None)
        if found is None:
            return _error(404, "not_found")
        found.worker = ""
        self._wake()
        return web.Response(status=204)

    async def _send(
        self,
        request: web.Request,
        response: web.StreamResponse,
        index: int,
        follows: bool,
        limit: int,
        kinds: list[str] | None,
        group: Group | None,
    ) -> None:
        mark = self._mark
        while True:
            changed = self._changed
            for event in self.events[index : index + min(self.part, limit)]:
                index += 1
                if kinds is None or "all" in kinds or event["type"] in kinds:
                    limit -= 1
                    await self._write(request, response, {"id": event_id(event), "event": event})
            if self._errors:
                error = {"code": self._errors.pop(0), "message": "as the test wants it"}
                await self._write(request, response, {"error": error})
                return
            is_end = index >= len(self.events)
            await self._write(request, response, {"cursor": f"m{mark}.{index}"} | ({"end": True} if is_end else {}))
            if limit <= 0 or self._is_draining or mark != self._mark or (is_end and not follows):
                return
            if is_end:
                with suppress(TimeoutError):
                    async with asyncio.timeout(self.heartbeat):
                        await changed.wait()
            if group is not None:
                if group.worker != request.query["worker"]:
                    await self._write(request, response, {"error": {"code": "conflict", "message": "replaced"}})
                    return
                group.until = time.monotonic() + self.lease

    async def _write(self, request: web.Request, response: web.StreamResponse, line: dict[str, Any]) -> None:
        data = json.dumps(line).encode() + b"\n"
        if self._random.random() < self.cuts:
            await response.write(data[: self._random.randrange(len(data))])
            assert request.transport is not None
            request.transport.abort()
            raise ConnectionResetError
        await response.write(data)


def _error(status: int, code: str, message: str = "") -> web.Response:
    content = {"code": code, "message": message or f"the stand-in says {code}"}
    return web.json_response({"error": content}, status=status)


def _invalid(query: Any) -> web.Response | None:
    kinds = set(query.get("kinds", "message").split(","))
    limit = query.get("limit", "1")
    is_valid = kinds <= KINDS and limit.isdigit() and 1 <= int(limit) <= 1_000 and query.get("follow", "0") in "01"
    return None if is_valid else _error(400, "bad_request")


def stored_message(seq: int, text: str = "", *, thread: str = "a", sender: str = "7") -> dict[str, Any]:
    place = {"type": "message", "thread_id": thread, "epoch": "e", "seq": seq, "date": 0, "date_ms": seq}
    content = {"id": f"{thread}-{seq}", "text": text or f"{seq}", "sender_id": sender, "sender_name": "ann"}
    return place | content


def event_id(event: dict[str, Any]) -> str:
    return f"{event.get('thread_id')}:{event.get('epoch')}:{event.get('seq')}"
