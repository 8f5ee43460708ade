from django.conf import settings
from django.db import models


class Room(models.Model):
    """A conversation. Its `name` is the name of its group, and so the id of Parley's thread."""

    name = models.CharField(max_length=90, unique=True)
    title = models.CharField(max_length=64, unique=True)
    members = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="rooms")
