from django.db import models


class Arrival(models.Model):
    """An event that a transport has brought, in the order of the IDs of this table: as often as it came."""

    #: ``webhook`` or ``group``.
    transport = models.CharField(max_length=20)
    #: The ID of the process that got it.
    process = models.IntegerField()
    event = models.CharField(max_length=200)
    #: Everything about the event, as JSON.
    body = models.TextField()

    def __str__(self) -> str:
        return self.event
