"""Ids for sends."""

from __future__ import annotations

import os
import time


def uuid7(now: float | None = None) -> str:
    """A UUIDv7, which carries its time.

    The server tells the first use of such an id from an old one without looking it up.
    """
    milliseconds = int((time.time() if now is None else now) * 1000) & ((1 << 48) - 1)
    random = int.from_bytes(os.urandom(10), "big")
    value = milliseconds << 80
    value |= 0x7 << 76 | (random >> 68 & 0xFFF) << 64
    value |= 0b10 << 62 | random & ((1 << 62) - 1)
    text = f"{value:032x}"
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
