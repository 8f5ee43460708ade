import secrets

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand
from django.db import transaction

from chat.models import Room


class Command(BaseCommand):
    help = "Makes the users alice and bob, whose passwords it prints, and the room chat_team with both in it."

    @transaction.atomic
    def handle(self, **options):
        room, _ = Room.objects.get_or_create(name="chat_team", defaults={"title": "Team"})
        for name in ("alice", "bob"):
            user, is_new = get_user_model().objects.get_or_create(username=name)
            if is_new:
                password = secrets.token_urlsafe(12)
                user.set_password(password)
                user.save()
                self.stdout.write(f"{name}: {password}")
            room.members.add(user)
