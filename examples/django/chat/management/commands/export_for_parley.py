import json

from django.core.management.base import BaseCommand

from chat import parley


class Command(BaseCommand):
    help = "Writes users, rooms and members as NDJSON, as POST /v1/admin/import of Parley takes it."

    def handle(self, **options):
        for record in parley.everything():
            self.stdout.write(json.dumps(record))
