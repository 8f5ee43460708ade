"""The way from code without ``async`` into an event loop.

One thread for the process runs the loop. It begins with the first call, also in a forked process, such as a worker of a
web server.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Generator
from typing import Any, TypeVar

from .errors import ParleyError

T = TypeVar("T")
_THREAD = "parley-client"


class Portal:
    """The event loop of this process, in a thread of its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pid = 0

    def loop(self) -> asyncio.AbstractEventLoop:
        if self._pid != os.getpid():
            # Threads do not survive a fork, and the lock may have been held by one.
            self._lock = threading.Lock()
            self._loop = None
            self._pid = os.getpid()
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name=_THREAD, daemon=True).start()
            return self._loop

    def run(self, work: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
        """
        :raises RuntimeError: in the thread of an event loop, which would wait for itself or for long
        :raises ParleyError: ``timeout`` after so many seconds
        """
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            future = asyncio.run_coroutine_threadsafe(work, self.loop())
        else:
            work.close()
            raise RuntimeError("use the classes of parley_client in asynchronous code, not those of parley_client.sync")
        try:
            return future.result(timeout)
        except TimeoutError as error:
            if future.done():
                raise
            future.cancel()
            raise ParleyError("timeout", f"not done within {timeout} s", retryable=True) from error
        except BaseException:
            future.cancel()
            raise

    def finish(self, work: Coroutine[Any, Any, None], timeout: float) -> None:
        """Like :meth:`run`. In the thread of the loop, which may release an object too, it does not wait."""
        future = asyncio.run_coroutine_threadsafe(work, self.loop())
        if threading.current_thread().name != _THREAD:
            future.result(timeout)

    def call(self, function: Callable[[], T]) -> T:
        """Calls a function in the loop's thread."""

        async def work() -> T:
            return function()

        return self.run(work())

    def iterate(self, items: AsyncIterator[T]) -> Generator[T, None, None]:
        while True:
            try:
                item = self.run(_next(items))
            except _End:
                return
            yield item


class _End(Exception):
    """A ``StopAsyncIteration`` that may leave a coroutine."""


async def _next(items: AsyncIterator[T]) -> T:
    try:
        return await anext(items)
    except StopAsyncIteration:
        raise _End from None


#: The only one: all facades share a loop.
portal = Portal()
