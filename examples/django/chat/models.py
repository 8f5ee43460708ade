from django.conf import settings
from django.db import models, transaction

from chat import parley


class Room(models.Model):
    """A conversation. Its `name` is the name of its group, and so the id of Parley's thread."""

    name = models.CharField(max_length=90, unique=True)
    title = models.CharField(max_length=64, unique=True)
    members = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="rooms")

    def add_member(self, user):
        """Adds a user here and in Parley, where the user's open sockets are in the room at once."""
        self.members.add(user)
        # After the commit, so that Parley never has a member that the database lacks.
        transaction.on_commit(lambda: parley.tell(parley.user(user), parley.room(self), parley.member(self, user)))
