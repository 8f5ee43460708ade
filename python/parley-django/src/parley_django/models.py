from django.db import models


class EventCursor(models.Model):
    """The place of a consumer in Parley's stream of events.

    ``manage.py parley_events`` writes it in the transaction of the handlers' changes.
    """

    name = models.CharField(max_length=100, primary_key=True)
    #: Empty before the first events.
    cursor = models.TextField(blank=True)
    #: The IDs of the events after ``cursor`` whose changes are committed, in the middle of a batch.
    done = models.JSONField(default=list, blank=True)
    #: The IDs of events that no handler gets, until they are passed.
    skipped = models.JSONField(default=list, blank=True)
    #: The process that follows, until ``held_until``; empty if there is none.
    holder = models.CharField(max_length=200, blank=True)
    held_until = models.DateTimeField(null=True, blank=True)
    #: The last error of a handler, until its event has succeeded.
    problem = models.TextField(blank=True)
    changed_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.name
