"""The functions that get events."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar, overload

from parley_client import EVENT_TYPES, AuditEvent, LogEvent, UnknownEvent, UnseenMessage

E = TypeVar("E", bound=LogEvent)
F = TypeVar("F", bound=LogEvent)
T = TypeVar("T", bound=Callable[..., object])

#: The consumer of handlers that name none.
DEFAULT = "default"


@dataclass(frozen=True)
class Handler:
    types: tuple[type[LogEvent], ...]
    function: Callable[..., object]

    @property
    def name(self) -> str:
        return f"{self.function.__module__}.{self.function.__qualname__}"


#: The events that no reader gets that does not ask for them.
_ROWS = {AuditEvent, UnseenMessage}

_handlers: dict[str, list[Handler]] = {}


@overload
def on_event(
    type: type[E], /, *, consumer: str = DEFAULT
) -> Callable[[Callable[[E, str], object]], Callable[[E, str], object]]: ...
@overload
def on_event(
    type: type[E], other: type[F], /, *, consumer: str = DEFAULT
) -> Callable[[Callable[[E | F, str], object]], Callable[[E | F, str], object]]: ...
@overload
def on_event(*types: type[LogEvent], consumer: str = DEFAULT) -> Callable[[T], T]: ...
def on_event(*types: type[LogEvent], consumer: str = DEFAULT) -> Callable[[Any], Any]:
    """Registers a function for events, which ``manage.py parley_events`` calls with the event and its ID::

        @on_event(Message)
        def count(message, id): ...

    Its changes of the database and the cursor are one transaction: if the function raises an error, it gets the event
    again later, and no later event before that. For other effects, use ``transaction.on_commit``, and the ID, which is
    the same whenever an event is sent.

    :param types: classes of ``parley_client``, such as ``Message`` and ``Joined``; ``LogEvent`` is for all events of
        logs. ``AuditEvent`` is for the audit log, and ``UnseenMessage`` for messages that their recipients have not
        seen; with one of them, a ``LogEvent`` of the same consumer gets both too
    :param consumer: the name of the cursor. The handlers of one consumer wait for each other, and not for others
    :raises TypeError: for other classes, and for ``async`` functions
    """
    allowed = [LogEvent, UnknownEvent, *EVENT_TYPES.values()]
    for each in types:
        if each not in allowed:
            names = ", ".join(sorted(known.__name__ for known in allowed))
            raise TypeError(f"on_event({each!r}) is no class of events; allowed are {names}")
    if not 1 <= len(consumer) <= 100:
        raise TypeError(f"on_event(consumer={consumer!r}): allowed are names of 1 to 100 characters")
    if not types:
        raise TypeError("on_event needs a class of events, such as on_event(Message)")

    def register(function: Callable[..., object]) -> Callable[..., object]:
        if inspect.iscoroutinefunction(function):
            raise TypeError(f"{function.__qualname__} is async; handlers are called without an event loop")
        handler = Handler(types, function)
        # A module that is loaded again replaces its handlers.
        others = [each for each in _handlers.get(consumer, []) if each.name != handler.name]
        _handlers[consumer] = [*others, handler]
        return function

    return register


def consumers() -> list[str]:
    return sorted(_handlers)


def handlers_of(consumer: str, event: LogEvent | None = None) -> Iterator[Handler]:
    """The handlers of a consumer, in the order of their registration; of an event if it is given."""
    for handler in _handlers.get(consumer, []):
        if event is None or isinstance(event, handler.types):
            yield handler


def kinds_of(consumer: str) -> list[str]:
    """The types of events that a consumer needs, by the server's names; empty for all events of logs."""
    types = {type for handler in handlers_of(consumer) for type in handler.types}
    if LogEvent in types or UnknownEvent in types:
        return [] if types.isdisjoint(_ROWS) else ["all"]
    return sorted(name for name, type in EVENT_TYPES.items() if type in types)
