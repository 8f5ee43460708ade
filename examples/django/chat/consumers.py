import json

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer

from chat.models import Room


class ChatConsumer(AsyncWebsocketConsumer):
    """A socket of Django's own, in the group that is a thread of Parley; for clients that have not moved yet."""

    async def connect(self):
        self.thread = self.scope["url_route"]["kwargs"]["thread"]
        if not await self.is_member():
            await self.close()
            return
        await self.channel_layer.group_add(self.thread, self.channel_name)
        await self.accept()

    async def disconnect(self, code):
        await self.channel_layer.group_discard(self.thread, self.channel_name)

    async def receive(self, text_data=None, bytes_data=None):
        user = self.scope["user"]
        await self.channel_layer.group_send(
            self.thread,
            {
                "type": "chat.message",
                "message": {
                    "text": json.loads(text_data)["message"]["text"],
                    "sender_id": str(user.pk),
                    "sender_name": user.username,
                    "thread_id": self.thread,
                },
            },
        )

    async def chat_message(self, event):
        """A message of this group, from Parley or from Django; the same map either way."""
        await self.send(text_data=json.dumps(event["message"]))

    @database_sync_to_async
    def is_member(self):
        user = self.scope["user"]
        return user.is_authenticated and Room.objects.filter(name=self.thread, members=user).exists()
