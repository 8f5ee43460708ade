from django.conf import settings
from django.db import models


class Room(models.Model):
    name = models.CharField(max_length=90, unique=True)
    title = models.CharField(max_length=64, unique=True)
    members = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="rooms")

    def __str__(self) -> str:
        return self.title


class Total(models.Model):
    """The number of messages of a thread, which shows an effect that happens twice or never."""

    thread = models.CharField(max_length=90, primary_key=True)
    count = models.IntegerField(default=0)

    def __str__(self) -> str:
        return self.thread


class Handled(models.Model):
    """An event that a handler got, in the order of the IDs of this table."""

    event = models.CharField(max_length=200)
    text = models.TextField()

    def __str__(self) -> str:
        return self.event
