"""A site that records the events of Parley: see recorder/parley_handlers.py. Its settings are environment variables."""

import os
import sys

from django.core.management import execute_from_command_line

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "recorder.settings")
if __name__ == "__main__":
    execute_from_command_line(sys.argv)
