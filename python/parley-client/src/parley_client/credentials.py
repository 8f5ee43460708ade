"""The identity of a client: a token, an API key, or a name with a password."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable
from typing import Protocol

from .errors import ParleyError
from .transport import Transport, refusal


class Credentials(Protocol):
    """The header fields that authenticate a call or a handshake."""

    async def headers(self, transport: Transport) -> dict[str, str]:
        """The header fields of a call. Raises :class:`ParleyError` if there are no credentials."""

    def renew(self, refused: dict[str, str] | None) -> bool:
        """The server has refused ``refused``, or what it accepted before has expired. Returns whether the next
        :meth:`headers` may be others."""

    async def end(self, transport: Transport) -> None:
        """Ends what :meth:`headers` began."""


class Token:
    """A session of Parley or Django, or a JWT.

    :param token: the token, or a function, also asynchronous, that returns a fresh one whenever one is needed
    """

    def __init__(self, token: str | Callable[[], str | Awaitable[str]]) -> None:
        self._provider = None if isinstance(token, str) else token
        self._token = token if isinstance(token, str) else None

    async def headers(self, transport: Transport) -> dict[str, str]:
        if self._token is None and self._provider is not None:
            self._token = await self._fetched(self._provider)
        return {"Authorization": f"Bearer {self._token}"}

    async def _fetched(self, provider: Callable[[], str | Awaitable[str]]) -> str:
        try:
            token = provider()
            return await token if inspect.isawaitable(token) else token
        except ParleyError:
            raise
        except Exception as error:
            # The service of the tokens may be back later, as a server that cannot be reached.
            raise ParleyError("unavailable", f"no token: {error!r}", retryable=True) from error

    def renew(self, refused: dict[str, str] | None) -> bool:
        if self._provider is None:
            return False
        if refused is None or refused.get("Authorization") == f"Bearer {self._token}":
            self._token = None
        return True

    async def end(self, transport: Transport) -> None:
        return None


class ApiKey:
    """An API key of a back end.

    :param user: the user that the key acts for, by ID or name (``id:…`` and ``name:…`` force one). Without one, the
        key may read everything and import, but not send and not open a socket.
    """

    def __init__(self, key: str, user: str | None = None) -> None:
        self._headers = {"Authorization": f"Bearer {key}"}
        if user is not None:
            self._headers["X-Parley-User"] = user

    async def headers(self, transport: Transport) -> dict[str, str]:
        return dict(self._headers)

    def renew(self, refused: dict[str, str] | None) -> bool:
        return False

    async def end(self, transport: Transport) -> None:
        return None


class Password:
    """A user's name and password, which are exchanged for a session.

    The session ends when the client is closed, so one object serves one :class:`Client` or :class:`Rest`.

    :param sign_up: whether an account is made if there is none of this name. A name that is taken, or looks like one
        that is, is refused like a wrong password, with status 401.
    """

    def __init__(self, username: str, password: str, *, sign_up: bool = False) -> None:
        self._sign_up = sign_up
        self._body = json.dumps({"username": username, "password": password}).encode()
        self._token: str | None = None
        self._login = asyncio.Lock()

    async def headers(self, transport: Transport) -> dict[str, str]:
        async with self._login:
            if self._token is None:
                self._token = await self._log_in(transport)
        return {"Authorization": f"Bearer {self._token}"}

    async def _log_in(self, transport: Transport) -> str:
        headers = {"Content-Type": "application/json"}
        response = await transport.request("POST", "/auth/login", headers=headers, body=self._body)
        if response.status == 401 and self._sign_up:
            made = await transport.request("POST", "/auth/signup", headers=headers, body=self._body)
            # A name that is taken belongs to another password, which is what the answer to the login says.
            response = response if made.status == 403 else made
        if response.status != 200:
            raise refusal(response.status, response.headers, response.body)
        token = response.cookies.get("sessionid")
        if token is None:
            raise ParleyError("bad_answer", "a login without a session", status=response.status)
        return token

    def renew(self, refused: dict[str, str] | None) -> bool:
        if refused is None or refused.get("Authorization") == f"Bearer {self._token}":
            self._token = None
        return True

    async def end(self, transport: Transport) -> None:
        if self._token is None:
            return
        headers = {"Authorization": f"Bearer {self._token}"}
        self._token = None
        try:
            async with asyncio.timeout(2):
                await transport.request("POST", "/auth/logout", headers=headers)
        except (ParleyError, TimeoutError):
            # The session ends by itself, later.
            return
