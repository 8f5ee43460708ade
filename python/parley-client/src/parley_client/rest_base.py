"""Authenticated REST calls, repeated where that is safe."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from random import Random
from types import TracebackType
from typing import Any, Self

from . import decoding
from .credentials import Credentials
from .errors import MalformedAnswer, ParleyError
from .models import JSON, Thread
from .policy import wait_before
from .transport import CALL_TIMEOUT, AiohttpTransport, Response, Transport, escaped, refusal

#: How often a call is made, in all, while the answer is that it may succeed later.
ATTEMPTS = 5
#: The longest pause that a server may ask for in between, in seconds. Beyond it, the caller gets the error.
PATIENCE = 30.0


class RestBase:
    """Authenticated calls, repeated where that is safe.

    :param url: the server, ``http://…`` or ``https://…``
    :param credentials: ``None`` for :meth:`Rest.sign_up` alone
    """

    def __init__(
        self,
        url: str,
        credentials: Credentials | None,
        *,
        transport: Transport | None = None,
        random: Random | None = None,
    ) -> None:
        self._url = url
        self._credentials = credentials
        self._transport = transport or AiohttpTransport(url)
        self._random = random or Random()
        self._fields: dict[str, str] = {}
        self._is_closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the session that a password began, and the connections."""
        self._is_closed = True
        if self._credentials is not None:
            await self._credentials.end(self._transport)
        await self._transport.close()

    async def headers(self) -> dict[str, str]:
        """The header fields of an authenticated call."""
        return (await self._credentials.headers(self._transport) if self._credentials else {}) | self._fields

    def renew(self, refused: Mapping[str, str]) -> bool:
        """Whether there may be other credentials than the refused ones."""
        return self._credentials is not None and self._credentials.renew(dict(refused))

    async def call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        content: object = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = CALL_TIMEOUT,
        is_repeatable: bool = True,
    ) -> Response:
        """One call. It is repeated, up to 5 times in all, after 429 and 503, and if its answer was lost.

        :param query: ``None`` values are left out
        :param content: sent as JSON
        :param timeout: seconds for each attempt
        :param is_repeatable: whether the call may be made again if it is unknown whether it was made
        :raises ParleyError: any other answer than success
        """
        fields = {name: _spelled(value) for name, value in (query or {}).items() if value is not None}
        extra = dict(headers or {})
        if content is not None:
            extra["Content-Type"] = "application/json"
            body = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
        is_renewed = False
        attempt = 0
        while True:
            try:
                own = await self.headers()
                response = await self._transport.request(
                    method, path, headers=own | extra, query=fields or None, body=body, timeout=timeout
                )
                if 200 <= response.status < 300:
                    return response
                if response.status == 401 and not is_renewed and self.renew(own):
                    is_renewed = True
                    continue
                raise refusal(response.status, response.headers, response.body)
            except ParleyError as error:
                is_lost = error.code == "disconnected" or error.status in (502, 504)
                attempt += 1
                may_repeat = error.retryable and (is_repeatable or not is_lost)
                if not may_repeat or attempt >= ATTEMPTS or error.retry_after > PATIENCE:
                    raise
                await asyncio.sleep(error.retry_after + wait_before(attempt - 1, "back-off", self._random))

    async def fetch(self, method: str, path: str, **arguments: Any) -> JSON:
        """The object that a call answers with; the parameters are the same as for :meth:`call`."""
        value = (await self.call(method, path, **arguments)).json()
        if not isinstance(value, dict):
            raise MalformedAnswer("no object")
        return value

    async def list_of(self, path: str, name: str, query: Mapping[str, object]) -> AsyncIterator[JSON]:
        """The entries of a list whose pages have a cursor."""
        cursor: str | None = None
        while True:
            page = await self.fetch("GET", path, query={**query, "cursor": cursor})
            for entry in decoding.objects(page, name):
                yield entry
            cursor = decoding.maybe_text(page, "next_cursor")
            if cursor is None:
                return


def _spelled(value: object) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


def thread_path(thread: Thread | str, *more: str) -> str:
    id = thread if isinstance(thread, str) else thread.id
    return "/".join(("/v1/threads", escaped(id), *(escaped(each) for each in more)))


def sanction_fields(seconds: int | None, reason: str | None) -> JSON:
    """The content of a mute or a ban."""
    fields = {"seconds": seconds, "reason": reason}
    return {name: value for name, value in fields.items() if value is not None}
