from typing import Any

from django.core.management.base import BaseCommand

from recorder.models import Arrival


class Command(BaseCommand):
    help = "Prints what has arrived so far, in order: transport, process, ID and body, separated by tabs."

    def handle(self, *args: Any, **options: Any) -> None:
        for row in Arrival.objects.order_by("pk").iterator():
            self.stdout.write("\t".join((row.transport, str(row.process), row.event, row.body)))
