from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.core.management.base import BaseCommand


class Command(BaseCommand):
    help = "Says something to everybody who is in a room at this moment, on Django's sockets and on Parley's."

    def add_arguments(self, parser):
        parser.add_argument("thread")
        parser.add_argument("text")

    def handle(self, thread, text, **options):
        message = {"text": text, "sender_id": "django", "sender_name": "Django", "thread_id": thread}
        async_to_sync(get_channel_layer().group_send)(thread, {"type": "chat.message", "message": message})
