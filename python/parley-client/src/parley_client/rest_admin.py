"""The calls of back ends and operators: an API key without a user, or an operator's account."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, AsyncIterator, Iterable
from dataclasses import replace

from . import decoding
from .models import JSON, ImportFailure, ImportReport, Member, Role, Sanction, SanctionKind, Thread, User
from .rest_base import RestBase, sanction_fields, thread_path
from .transport import escaped

#: The records and the bytes of one call of an import.
BATCH_RECORDS = 1_000
_BATCH_BYTES = 1 << 20
#: The seconds of one call of an import: the server hashes the passwords of users one after another.
_BATCH_TIMEOUT = 600.0
#: The failures that a report lists.
_FAILURES = 1_000
#: The counts of a report.
_COUNTS = ("users", "threads", "members", "unchanged")


class AdminCalls(RestBase):
    async def import_records(self, records: Iterable[JSON] | AsyncIterable[JSON]) -> ImportReport:
        """Imports users, threads and members, such as ``{"user": {"id": "7", "username": "ann"}}``.

        The records are sent in parts of at most 1,000, in order. An import may be repeated: existing records stay. A
        failed record stops nothing.
        """
        report = ImportReport()
        lines_before = 0
        async for count, body in _batches(records):
            headers = {"Content-Type": "application/x-ndjson"}
            answer = await self.fetch("POST", "/v1/admin/import", body=body, headers=headers, timeout=_BATCH_TIMEOUT)
            report = _sum(report, answer, lines_before)
            lines_before += count
        return report

    async def create_user(self, username: str, *, password: str | None = None, id: str | None = None) -> User:
        """Creates a user; one with this name and ID may exist."""
        fields = {"username": username, "password": password, "id": id}
        content = {name: value for name, value in fields.items() if value is not None}
        return decoding.user(await self.fetch("POST", "/v1/admin/users", content=content))

    async def set_password(self, user: str, password: str) -> None:
        """Gives a user a password, and ends their sessions."""
        await self.call("PUT", f"/v1/admin/users/{escaped(user)}/password", content={"password": password})

    async def revoke_sessions(self, user: str) -> int:
        """Ends all sessions of a user, and their sockets. Returns the number of sessions."""
        answer = await self.fetch("POST", f"/v1/admin/users/{escaped(user)}/revoke-sessions")
        return decoding.number(answer, "sessions")

    async def create_room(self, title: str, *, id: str | None = None) -> Thread:
        """Creates a room without members; one with this title and ID may exist."""
        content = {"title": title} | ({"id": id} if id else {})
        return decoding.thread(await self.fetch("POST", "/v1/admin/threads", content=content))

    async def put_member(self, thread: Thread | str, user: str, role: Role | None = None) -> Member:
        """Adds a user to any room, or gives a member another role. It ends a removal."""
        content = {"user": user} | ({"role": role} if role else {})
        return decoding.member(await self.fetch("POST", _admin_path(thread, "members"), content=content))

    async def take_member(self, thread: Thread | str, user: str) -> None:
        """Removes a member from any room."""
        await self.call("DELETE", _admin_path(thread, "members", user))

    async def list_sanctions(self, thread: Thread | str) -> AsyncIterator[Sanction]:
        """The mutes and bans of any room that are in force."""
        async for each in self.list_of(_admin_path(thread, "sanctions"), "sanctions", {"limit": 200}):
            yield decoding.sanction(each)

    async def put_sanction(
        self,
        thread: Thread | str,
        user: str,
        kind: SanctionKind,
        *,
        seconds: int | None = None,
        reason: str | None = None,
    ) -> Sanction:
        """Mutes or bans a user in any room, with the parameters of :meth:`Rest.mute`."""
        path, content = _admin_path(thread, "sanctions", user, kind), sanction_fields(seconds, reason)
        return decoding.sanction(await self.fetch("PUT", path, content=content))

    async def take_sanction(self, thread: Thread | str, user: str, kind: SanctionKind) -> None:
        """Ends a mute or a ban in any room."""
        await self.call("DELETE", _admin_path(thread, "sanctions", user, kind))


def _admin_path(thread: Thread | str, *more: str) -> str:
    return thread_path(thread, *more).replace("/v1/", "/v1/admin/", 1)


async def _batches(records: Iterable[JSON] | AsyncIterable[JSON]) -> AsyncIterator[tuple[int, bytes]]:
    lines: list[bytes] = []
    size = 0
    async for record in _each(records):
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        if lines and (len(lines) == BATCH_RECORDS or size + len(line) > _BATCH_BYTES):
            yield len(lines), b"".join(lines)
            lines, size = [], 0
        lines.append(line)
        size += len(line)
    if lines:
        yield len(lines), b"".join(lines)


async def _each(records: Iterable[JSON] | AsyncIterable[JSON]) -> AsyncIterator[JSON]:
    if isinstance(records, AsyncIterable):
        async for record in records:
            yield record
    else:
        for record in records:
            yield record


def _sum(report: ImportReport, answer: JSON, lines_before: int) -> ImportReport:
    failures = tuple(
        ImportFailure(decoding.number(each, "line"), decoding.text(each, "code"), decoding.text(each, "message"))
        for each in decoding.objects(answer, "errors")
    )
    counts = {name: decoding.number(answer, name) for name in (*_COUNTS, "errors_omitted")}
    return merged(report, ImportReport(**counts, errors=failures), lines_before)


def merged(report: ImportReport, later: ImportReport, lines_before: int) -> ImportReport:
    """The report of two parts of an import. ``lines_before`` is the number of records before the later part."""
    listed = (*report.errors, *(replace(each, line=each.line + lines_before) for each in later.errors))
    sums = {name: getattr(report, name) + getattr(later, name) for name in _COUNTS}
    omitted = report.errors_omitted + later.errors_omitted + max(0, len(listed) - _FAILURES)
    return ImportReport(**sums, errors=listed[:_FAILURES], errors_omitted=omitted)
