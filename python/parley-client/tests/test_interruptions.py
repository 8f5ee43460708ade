"""Random lives on a server that cuts, refuses, forgets, repeats and leaves out. SEEDS and SEED select them."""

from __future__ import annotations

import asyncio
import os
from random import Random
from typing import Any

from parley_client import Client, Edited, Message, MessageStream, RolledBack, Sending, Token
from parley_client.streams import EventStream
from server import Server
from support import run

SEEDS = int(os.environ.get("SEEDS", "200"))
FIRST = int(os.environ.get("SEED", "1"))


class Life:
    """One client on one server, and what it has seen."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.server = Server(Random(seed + 1_000_000))
        for _ in range(self.random.randrange(4)):
            self.server.post()
        self.server.store()
        self.client = Client(
            "http://test", Token("t"), transport=self.server.transport, random=Random(seed + 2_000_000)
        )
        self.sendings: list[tuple[str, Sending]] = []
        self.edits: list[tuple[str, Sending]] = []
        self.events: list[tuple[int, str]] = []
        self.shown: list[Message] = []

    async def live(self) -> None:
        # Small queues, so that the streams have to catch up.
        events = self.client.events("a", capacity=3)
        messages = self.client.messages("a", capacity=3)
        readers = [asyncio.create_task(self.read(events)), asyncio.create_task(self.show(messages))]
        connecting = asyncio.create_task(self.client.connect())
        for _ in range(60):
            self.random.choice(self.steps())()
            for link in self.server.open_links():
                await self.server.deliver(link, self.random.randrange(4))
            await asyncio.sleep(self.random.choice([0, 0, 0.1, 1.0, 5.0]))
        await self.calm()
        await connecting
        for reader in readers:
            reader.cancel()
        await asyncio.gather(*readers, return_exceptions=True)
        await self.client.close(timeout=0)

    def steps(self) -> list[Any]:
        server = self.server
        return [
            *(server.post, server.post, self.send, self.send, server.store, self.cut, self.cut),
            self.on_link(server.leave_out),
            self.on_link(server.repeat),
            lambda: server.roll_back() if self.random.random() < 0.3 else None,
            lambda: self.client.mark_read("a"),
            server.change_mute,
            self.edit,
        ]

    def on_link(self, step: Any) -> Any:
        return lambda: [step(link) for link in self.server.open_links()]

    def send(self) -> None:
        text = f"mine {len(self.sendings)}"
        self.sendings.append((text, self.client.send("a", text)))

    def edit(self) -> None:
        """Edits a message of this client's, if one has arrived."""
        mine = [message for message in self.shown if message.sender_id == "me"]
        if mine:
            text = f"edit {len(self.edits)}"
            self.edits.append((text, self.client.edit(self.random.choice(mine), text)))

    def cut(self) -> None:
        for link in self.server.open_links():
            link.is_live = False
            link.cut(self.random.choice([None, 1001, 1012, 1013, 4100, 4200, 4300]))

    async def calm(self) -> None:
        """Nothing fails from here on, so everything has to arrive."""
        self.server.is_calm = True
        await self.deliver_everything()
        if self.random.random() < 0.5:
            # The log starts over while the connection stays, without what was only accepted.
            self.send()
            await self.deliver_everything(is_stored=False)
            self.server.roll_back()
            await self.deliver_everything()

    async def deliver_everything(self, is_stored: bool = True) -> None:
        for _ in range(100):
            if is_stored:
                self.server.store()
            for link in self.server.open_links():
                await self.server.deliver(link, 100)
            await asyncio.sleep(1.0)

    async def read(self, events: EventStream) -> None:
        async for event in events:
            if isinstance(event, RolledBack):
                self.events = [each for each in self.events if each[0] < event.from_seq]
            elif isinstance(event, Message | Edited):
                self.events.append((event.seq, event.text))
            if self.random.random() < 0.2:
                await asyncio.sleep(2.0)

    async def show(self, messages: MessageStream) -> None:
        async for message in messages:
            self.shown.append(message)
            if self.random.random() < 0.2:
                await asyncio.sleep(2.0)

    def check(self) -> None:
        mute = self.client.threads["a"].mute
        assert (mute.reason if mute else None) == (self.server.mute or {}).get("reason")
        log = [(event["seq"], event["text"]) for event in self.server.log]
        # A client begins with what is new at its first hello.
        first = next(link.hello_seq for link in self.server.links if link.sent)
        begin = self.events[0][0] if self.events else len(log) + 1
        assert self.events == log[begin - 1 :], (self.events, log)
        assert begin <= first + 1, (begin, first)
        texts = [text for _, text in log]
        for text, sending in self.sendings:
            assert sending.is_done, f"{text} was not confirmed"
            assert texts.count(text) == 1, f"{text} is not in the log once"
        mine = [text for text in texts if text.startswith("mine")]
        for text, sending in self.edits:
            assert sending.is_done, f"{text} was not answered"
            # An edit whose ack is lost is made again; that of a message that the log has lost is refused.
            assert text in texts or self.server.has_lost, f"{text} is not in the log"
        if not self.server.has_lost:
            assert mine == [text for text, _ in self.sendings], "sends have overtaken each other"
        shown = [message.text for message in self.shown]
        assert len(shown) == len(set(shown)), shown
        assert {text for text in texts[first:] if not text.startswith("edit")} <= set(shown), (texts[first:], shown)


def live(seed: int) -> None:
    life = Life(seed)
    run(life.live())
    life.check()


def test_nothing_is_lost_doubled_or_reordered() -> None:
    for seed in range(FIRST, FIRST + SEEDS):
        try:
            live(seed)
        except BaseException as error:
            raise AssertionError(f"SEED={seed} SEEDS=1 repeats it") from error
