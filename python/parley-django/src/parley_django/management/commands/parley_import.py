from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import islice
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser

from parley_client import ImportReport, ParleyError
from parley_django import clients
from parley_django.records import Record, all_records

#: The records of one call.
_BATCH = 1_000


class Command(BaseCommand):
    help = (
        "Imports the active users of this site into Parley, and the rooms and members that the setting PARLEY names. "
        "It only adds: what exists in Parley stays as it is, so the command may be repeated."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--dry-run", action="store_true", help="print the records, as `parley admin import` reads them"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["dry_run"]:
                for record in all_records():
                    self.stdout.write(json.dumps(record, ensure_ascii=False))
                return
            failures = self._import(all_records())
        except ImproperlyConfigured as error:
            raise CommandError(str(error)) from error
        except ParleyError as error:
            raise CommandError(f"The import has ended early: {error}. It may be repeated.") from error
        if failures:
            raise CommandError(f"Parley has refused {failures} records.")

    def _import(self, records: Iterable[Record]) -> int:
        """Imports records in parts. Returns the number of failures."""
        left, failures = iter(records), 0
        counts = dict.fromkeys(("users", "threads", "members", "unchanged"), 0)
        while batch := list(islice(left, _BATCH)):
            report: ImportReport = clients.client().import_records(batch)
            for name in counts:
                counts[name] += getattr(report, name)
            for failure in report.errors:
                record = json.dumps(batch[failure.line - 1], ensure_ascii=False)
                self.stderr.write(f"{failure.code}: {failure.message}: {record}")
            failures += len(report.errors) + report.errors_omitted
        texts = (f"{counts['users']} users", f"{counts['threads']} rooms", f"{counts['members']} members")
        self.stdout.write(f"Imported {', '.join(texts)}; {counts['unchanged']} existed.")
        return failures
