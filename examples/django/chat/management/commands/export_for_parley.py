import json

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand

from chat.models import Room


class Command(BaseCommand):
    help = "Writes users, rooms and members as NDJSON, as POST /v1/admin/import of Parley takes it."

    def handle(self, **options):
        users = get_user_model().objects.filter(is_active=True).order_by("pk")
        for user in users.iterator():
            self.line(user={"id": str(user.pk), "username": user.get_username()})
        for room in Room.objects.order_by("pk").iterator():
            self.line(thread={"id": room.name, "title": room.title, "kind": "room"})
            for pk in room.members.filter(is_active=True).order_by("pk").values_list("pk", flat=True):
                self.line(member={"thread": room.name, "user": str(pk)})

    def line(self, **record):
        self.stdout.write(json.dumps(record))
