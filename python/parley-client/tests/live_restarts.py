"""Sends and receives while the server is killed and started again: live_restarts.py URL. The program tests run it."""

from __future__ import annotations

import asyncio
import sys

from parley_client import Client, Password

ROUNDS, COUNT = 4, 25


async def main() -> None:
    async with Client(sys.argv[1], Password("alice", "correct horse")) as client:
        garden = await client.join("Garden")
        messages = client.messages(garden)
        for round in range(ROUNDS):
            texts = [f"{round * COUNT + number}" for number in range(COUNT)]
            for text in texts:
                client.send(garden, text)
            for text in texts:
                message = await anext(messages)
                assert message.text == text, (message.text, text)
            # The server is killed now, while the next round is on its way.
            print("round", round, flush=True)
        await client.settled()
        stored = [message.text async for message in client.rest.all_messages(garden)]
        assert stored == [f"{number}" for number in range(ROUNDS * COUNT)], stored
    print("everything arrived once and in order")


asyncio.run(main())
