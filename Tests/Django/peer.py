"""Consumers of a real Django Channels, without browsers, driven by a test.

Runs the example's ChatConsumer under the real channel layer, which examples/django/project/settings.py makes from the
variables that Parley reads. Listens on 127.0.0.1 for one connection and ends with it. Both ways a line is a JSON object.

    {"join": THREAD}                    {"joined": THREAD} when the consumer has accepted its socket
    {"leave": THREAD}                   {"left": THREAD} when it has ended
    {"say": THREAD, "text": T}          {"said": THREAD}: as if the consumer's browser had sent T
    {"group_send": THREAD, "event": E}  {"sent": THREAD}, or {"failed": THREAD, "error": …}
    {"publish": THREAD, "hex": H}       {"published": THREAD}: those bytes, on the group's channel or in the queues of Parley
    {"listeners": THREAD}               {"listeners": n}: subscribers of the group's channel, or its members; 0 if Redis is away
    {"host": THREAD}                    {"host": n}: the index in `hosts` where the group is

Unasked: {"got": THREAD, "frame": TEXT} for what a consumer sends to its browser, and {"ended": THREAD, "error": …} for a
consumer that ended by itself.
"""

import asyncio
import json
import logging
import os
import sys
import time
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "examples" / "django"))
os.environ["DJANGO_SETTINGS_MODULE"] = "project.settings"

import django  # noqa: E402

django.setup()

# The layer says only here that a queue was full.
logging.basicConfig(level=logging.INFO)

from channels.layers import get_channel_layer  # noqa: E402
from channels_redis.core import RedisChannelLayer  # noqa: E402
from chat.consumers import ChatConsumer  # noqa: E402
from redis import asyncio as aioredis  # noqa: E402
from redis.exceptions import RedisError  # noqa: E402


class Consumer(ChatConsumer):
    async def is_member(self):
        # Django's database is no part of this.
        return True

    async def order_note(self, event):
        # Of a type that tests have adopted under another name than chat.message.
        pass


class Socket:
    """One consumer, in the place of the server that would run it."""

    def __init__(self, peer, thread):
        self.peer = peer
        self.thread = thread
        self.inbox = asyncio.Queue()
        self.isLeaving = False
        scope = {
            "type": "websocket",
            "path": f"/ws/chat/{thread}/",
            "user": SimpleNamespace(pk=7, username="django"),
            "url_route": {"args": (), "kwargs": {"thread": thread}},
        }
        self.inbox.put_nowait({"type": "websocket.connect"})
        self.task = asyncio.create_task(self.run(Consumer.as_asgi()(scope, self.inbox.get, self.send)))

    async def run(self, application):
        error = None
        try:
            await application
        except Exception as exception:
            error = repr(exception)
        if self.isLeaving and error is None:
            self.peer.tell(left=self.thread)
        else:
            self.peer.tell(ended=self.thread, error=error)

    async def send(self, message):
        if message["type"] == "websocket.accept":
            self.peer.tell(joined=self.thread)
        elif message["type"] == "websocket.send":
            self.peer.tell(got=self.thread, frame=message["text"])

    def leave(self):
        self.isLeaving = True
        self.inbox.put_nowait({"type": "websocket.disconnect", "code": 1000})


class Peer:
    def __init__(self, writer):
        self.writer = writer
        self.layer = get_channel_layer()
        self.sockets = {}

    def tell(self, **line):
        self.writer.write(json.dumps(line).encode() + b"\n")

    @property
    def is_core(self):
        return isinstance(self.layer, RedisChannelLayer)

    def channel(self, thread):
        return self.layer._group_key(thread) if self.is_core else self.layer._get_group_channel_name(thread)

    def host(self, thread):
        if self.is_core:
            return self.layer.consistent_hash(thread)
        shards = self.layer._shards
        return next(i for i, shard in enumerate(shards) if shard is self.layer._get_shard(self.channel(thread)))

    async def redis(self, host, command, *arguments):
        """A command beside the layer, on a connection of its own."""
        hosts = self.layer.hosts if self.is_core else [shard.host for shard in self.layer._shards]
        client = aioredis.from_url(hosts[host]["address"])
        try:
            return await client.execute_command(command, *arguments)
        finally:
            await client.aclose()

    async def publish(self, thread, payload):
        group = self.channel(thread)
        if not self.is_core:
            await self.redis(self.host(thread), "PUBLISH", group, payload)
            return
        for member in await self.redis(self.host(thread), "ZRANGE", group, 0, -1):
            if member.startswith(b"parley."):
                queue = self.layer.non_local_name(member.decode())
                arguments = (self.layer.prefix + queue, time.time(), os.urandom(12) + payload)
                await self.redis(self.layer.consistent_hash(queue), "ZADD", *arguments)

    async def listeners(self, thread):
        if self.is_core:
            return await self.redis(self.host(thread), "ZCARD", self.channel(thread))
        return (await self.redis(self.host(thread), "PUBSUB", "NUMSUB", self.channel(thread)))[1]

    async def obey(self, line):
        match line:
            case {"join": thread}:
                self.sockets[thread] = Socket(self, thread)
            case {"leave": thread}:
                self.sockets.pop(thread).leave()
            case {"say": thread, "text": text}:
                frame = json.dumps({"message": {"text": text}})
                self.sockets[thread].inbox.put_nowait({"type": "websocket.receive", "text": frame})
                self.tell(said=thread)
            case {"group_send": thread, "event": event}:
                try:
                    await self.layer.group_send(thread, event)
                    self.tell(sent=thread)
                except RedisError as error:
                    self.tell(failed=thread, error=repr(error))
            case {"publish": thread, "hex": text}:
                await self.publish(thread, bytes.fromhex(text))
                self.tell(published=thread)
            case {"listeners": thread}:
                try:
                    self.tell(listeners=await self.listeners(thread))
                except (RedisError, OSError):
                    self.tell(listeners=0)
            case {"host": thread}:
                self.tell(host=self.host(thread))
            case _:
                raise ValueError(f"no command: {line}")


async def main(port):
    ended = asyncio.get_running_loop().create_future()

    async def serve(reader, writer):
        peer = Peer(writer)
        try:
            async for line in reader:
                await peer.obey(json.loads(line))
            ended.set_result(None)
        except Exception as error:
            ended.set_exception(error)

    async with await asyncio.start_server(serve, "127.0.0.1", port, limit=16 * 1024 * 1024):
        await ended


asyncio.run(main(int(sys.argv[1])))
