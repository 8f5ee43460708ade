from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from parley_django import client
from recorder.parley_handlers import body


class Command(BaseCommand):
    help = "Prints the history of threads, each in its order: ID and body, separated by a tab."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("threads", nargs="+")

    def handle(self, *args: Any, **options: Any) -> None:
        for thread in options["threads"]:
            after = 0
            while events := client().events(thread, after_seq=after, limit=1_000):
                for each in events:
                    self.stdout.write(f"{each.thread_id}:{each.epoch}:{each.seq}\t{body(each)}")
                after = events[-1].seq
