"""The one exception of this package."""

from __future__ import annotations

from typing import Any


class ParleyError(Exception):
    """Something was refused, or could not be done.

    ``code`` is one of the server's codes (``bad_request``, ``too_large``, ``unknown_command``, ``unauthorized``,
    ``forbidden``, ``not_a_member``, ``suspended``, ``not_found``, ``conflict``, ``rate_limited``, ``unavailable``,
    ``internal``), or one of this package:

    - ``disconnected``: the answer was lost with the connection, or the server cannot be reached;
    - ``signed_out``: the credentials are refused or void, and there are no others;
    - ``stopped``: the server has closed the socket for good, with a close code of 4002 to 4099
      (4003, of a suspended user, is ``suspended``);
    - ``closed``: the client was closed;
    - ``outbox_full``: more messages wait than the outbox may have;
    - ``timeout``: the time that the caller allowed is over;
    - ``bad_answer``: the answer is not in the format of this protocol.
    """

    def __init__(
        self,
        code: str,
        message: str = "",
        *,
        retryable: bool = False,
        retry_after: float = 0.0,
        status: int | None = None,
        offset: int | None = None,
        until_ms: int | None = None,
        reason: str | None = None,
    ) -> None:
        super().__init__(f"{code}: {message}" if message else code)
        self.code = code
        self.message = message
        #: Whether the same may succeed later.
        self.retryable = retryable
        #: The seconds that the server asks to wait; 0 if it names none.
        self.retry_after = retry_after
        #: The HTTP status of a REST call or a refused handshake.
        self.status = status
        #: Where an upload continues, of a 409 that says so.
        self.offset = offset
        #: The end of a suspension in milliseconds since 1970, if it has one and is known.
        self.until_ms = until_ms
        #: The reason of a suspension, if there is one and it is known.
        self.reason = reason


class CursorRolledBack(ParleyError):
    """The database does not have this cursor: ``rolled_back``. It was restored to an earlier state, or is another one.

    Some events that were received do not exist, and others may have taken their places. Compare with the history, or
    begin at ``start``.
    """


class MalformedAnswer(ParleyError, ValueError):
    """An answer lacks something: ``bad_answer``."""

    def __init__(self, message: str) -> None:
        super().__init__("bad_answer", message)


def from_frame(frame: dict[str, Any]) -> ParleyError:
    """The error of an ``error`` frame."""
    retry_after = frame.get("retry_after_ms")
    return ParleyError(
        str(frame.get("code", "internal")),
        str(frame.get("message", "")),
        retryable=frame.get("retryable") is True,
        retry_after=retry_after / 1000 if isinstance(retry_after, int) else 0.0,
    )
