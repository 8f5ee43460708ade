"""A database in memory for the tests in this process, and databases in files for the tests of commands."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import django
import pytest

os.environ["DJANGO_SETTINGS_MODULE"] = "shop.settings"
django.setup()

from django.core.management import call_command  # noqa: E402
from django.test.utils import setup_test_environment  # noqa: E402

from site_process import Site  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def _tables() -> None:
    setup_test_environment()
    call_command("migrate", verbosity=0)


@pytest.fixture
def database() -> Iterator[None]:
    yield
    call_command("flush", verbosity=0, interactive=False)


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with all tables."""
    folder = tmp_path_factory.mktemp("template")
    Site(folder).run("migrate", "--verbosity", "0")
    return folder / "site.db"


@pytest.fixture
def site(tmp_path: Path, template: Path) -> Iterator[Site]:
    (tmp_path / "site.db").write_bytes(template.read_bytes())
    site = Site(tmp_path)
    yield site
    site.end()
