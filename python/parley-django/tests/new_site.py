"""A site that ``django-admin startproject`` makes, with the code of a document."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

#: The address of the server in documents.
ADDRESS = "http://127.0.0.1:8080"


def blocks_of(document: Path) -> list[str]:
    """The blocks of Python code of a document."""
    return [block.split("\n```")[0] for block in document.read_text().split("```python\n")[1:]]


def new_site(folder: Path, settings: str, handlers: str, *, url: str, key: str, paths: list[str]) -> Callable[..., str]:
    """Makes a site with an app ``chat``. Returns what runs a command of its ``manage.py``, and gives its output.

    :param settings: the lines of a document for ``settings.py``
    :param handlers: the content of ``chat/parley_handlers.py``
    :param paths: where the packages are
    """
    known = ("DJANGO_SETTINGS_MODULE", "PYTHONPATH", "PARLEY_API_KEY")
    environment = {name: value for name, value in os.environ.items() if name not in known}
    environment |= {"PARLEY_API_KEY": key}
    environment["PYTHONPATH"] = os.pathsep.join(os.path.abspath(path) for path in paths)

    def run(*arguments: str) -> str:
        command = [sys.executable, *arguments]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("-m", "django", "startproject", "site_of_the_test", ".")
    run("manage.py", "startapp", "chat")
    path = folder / "site_of_the_test" / "settings.py"
    assert ADDRESS in settings
    lines = [settings.replace(ADDRESS, url), 'INSTALLED_APPS += ["chat"]']
    # The settings of a new project import no `os`, and a document may leave that out.
    path.write_text("\n".join(["import os", path.read_text(), *lines, ""]))
    (folder / "chat" / "parley_handlers.py").write_text(handlers)
    run("manage.py", "migrate", "--verbosity", "0")
    return lambda *command: run("manage.py", *command)
