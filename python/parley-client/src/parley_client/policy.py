"""The reconnection policy, as values without timers.

Tests compare it with ``Tests/Fixtures/client-behaviour.json``, which every client follows; ``docs/clients.md`` has the
reasons.
"""

from __future__ import annotations

from random import Random
from typing import Final, Literal

Reaction = Literal["back-off", "later", "sign-out", "stop", "renew", "moment", "now"]

MILLISECONDS: Final[dict[str, int]] = {
    "backOffBase": 500,
    "backOffCap": 30_000,
    "stableAfter": 5_000,
    "later": 1_000,
    "spread": 2_000,
    "byeGrace": 1_000,
    "ticketLifetime": 540_000,
    "handshake": 15_000,
    "pong": 10_000,
    "answer": 20_000,
    "refusedLeast": 200,
    "refusedMost": 2_000,
    "typingEvery": 3_500,
    "typingLasts": 6_000,
}


def seconds(name: str) -> float:
    """The delay or deadline called ``name``, in seconds."""
    return MILLISECONDS[name] / 1000


def close_reaction(code: int | None) -> Reaction:
    """The reaction to a socket's close code; ``None`` is a socket that ended without one."""
    if code in (4000, 4001):
        return "sign-out"
    if code is not None and 4000 <= code <= 4099:
        return "stop"
    if code is not None and 4100 <= code <= 4199:
        return "renew"
    if code is not None and 4200 <= code <= 4299:
        return "moment"
    if code is not None and 4300 <= code <= 4399:
        return "now"
    if code in (1002, 1003, 1007, 1009, 1013):
        return "later"
    return "back-off"


def wait_before(attempt: int, reaction: Reaction, random: Random) -> float:
    """The seconds before attempt number ``attempt`` (from 0) after a close that means ``reaction``.

    The delay is uniform up to a bound that doubles, so that the clients of a failed server do not return together.
    """
    # A server that closes every connection this way must not be flooded, so only the first attempt is made at once.
    if reaction in ("now", "renew") and attempt == 0:
        return 0.0
    least = 0.0
    if reaction == "later":
        least = seconds("later")
    elif reaction == "moment":
        least = random.random() * seconds("spread")
    bound: float = min(seconds("backOffCap"), seconds("backOffBase") * float(2 ** min(attempt, 16)))
    return least + random.random() * bound


def pause_after_refusal(asked: float, random: Random) -> float:
    """The seconds before a refused command is sent again.

    :param asked: the pause that the server asks for, in seconds; 0 if it names none.
    """
    if asked > 0:
        return asked
    least, most = seconds("refusedLeast"), seconds("refusedMost")
    return least + random.random() * (most - least)
