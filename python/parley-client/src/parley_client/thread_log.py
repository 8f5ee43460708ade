"""The part of a thread's log that has arrived, as a value: where it ends, and whether something is missing."""

from __future__ import annotations

from .models import LogEvent, Page, Position


def covered_to(page: Page, after: int) -> int:
    """The last place that a page above ``after`` covers; places that it omits do not exist."""
    if page.has_more_after and page.events:
        return max(after, page.events[-1].seq)
    return max(after, page.head_seq)


class ThreadLog:
    """Passes the events of one thread on, each once and in order.

    Everything up to ``seq`` has been passed on. ``known_to`` is the highest place that is known to exist; while it is
    above ``seq``, the events in between have to be fetched, and live events above the gap are ignored.
    """

    __slots__ = ("epoch", "generation", "known_to", "must_load", "seq", "thread_id")

    def __init__(self, thread_id: str, position: Position) -> None:
        self.thread_id = thread_id
        self.epoch = position.epoch
        self.seq = position.seq
        self.known_to = position.seq
        #: Counts the numberings that have started over, so that a page of the former one is recognised.
        self.generation = 0
        self.must_load = False

    @property
    def position(self) -> Position:
        return Position(self.epoch, self.seq)

    @property
    def needs_repair(self) -> bool:
        return self.must_load or self.known_to > self.seq

    def takes(self, event: LogEvent) -> bool:
        """Takes a live event. Returns whether it is the next one, which has to be passed on."""
        self.known_to = max(self.known_to, event.seq)
        if event.seq != self.seq + 1:
            return False
        self.seq = event.seq
        self.epoch = event.epoch
        return True

    def missing_to(self, seq: int, epoch: str | None = None) -> None:
        """Events up to ``seq`` exist. A new ``epoch`` alone voids nothing."""
        self.known_to = max(self.known_to, seq)
        self.epoch = epoch or self.epoch

    def rolled_back(self, epoch: str | None, from_seq: int) -> None:
        """The log is valid below ``from_seq``, and has to be loaded again from there on."""
        # Without an epoch the former one stays: the server can say what of it is valid.
        self.epoch = epoch or self.epoch
        self.seq = min(self.seq, max(0, from_seq - 1))
        self.known_to = self.seq
        self.generation += 1
        self.must_load = True

    def take_page(self, page: Page, after: int, generation: int, known_to: int) -> list[LogEvent]:
        """Takes a page. Returns the events that have to be passed on.

        :param after: the bound of the request, at most ``seq``
        :param generation: that of this log when the page was requested
        :param known_to: that of this log when the page was requested
        """
        if generation != self.generation:
            return []
        events = [event for event in page.events if event.seq > self.seq]
        self.seq = max(self.seq, covered_to(page, after))
        self.epoch = page.epoch or self.epoch
        self.must_load = False
        if not page.has_more_after and self.known_to == known_to:
            # The end of the log as the server tells it; nothing newer has arrived since.
            self.known_to = self.seq
        self.known_to = max(self.known_to, self.seq)
        return events
