# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The places of the library's own files: in a checkout, an editable install and a wheel.

In a checkout ``resources/``, ``suites/`` and ``reports/`` stand beside the package; a wheel carries them
inside it, in ``_data``.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

from TesterLibrary.errors import ChoiceError, TesterLibraryError

PACKAGE = Path(__file__).resolve().parents[1]


def data_root() -> Path:
    """The folder that holds ``resources/``, ``suites/`` and ``reports/``."""
    installed = PACKAGE / "_data"
    return installed if installed.is_dir() else PACKAGE.parent


def suite_root() -> Path:
    """The folder of the suites that come with the library, e.g. ``suite_root() / "rfc2544"``."""
    return data_root() / "suites"


def is_path(name: str) -> bool:
    """Whether a name is that of a file of the user, not of a shipped one."""
    return "/" in name or Path(name).suffix != ""


def resource(kind: str, name: str) -> Path:
    """The shipped file ``resources/<kind>/<name>.yaml``, or a file of the user.

    ``kind`` is ``"testbeds"``, ``"criteria"`` or ``"protocols"``. A ``name`` with a slash or a suffix is a
    path of the user's own and only checked to exist.

    Raises ``ChoiceError`` naming what was given and what there is.
    """
    folder = data_root() / "resources" / kind
    path = Path(name).expanduser() if is_path(name) else folder / f"{name}.yaml"
    if path.is_file():
        return path.resolve()
    if is_path(name):
        raise ChoiceError(f"{kind}: there is no file {path} (from {Path.cwd()})")
    known = ", ".join(names(kind)) or "none"
    raise ChoiceError(
        f"{kind}: {name!r} does not come with the library; these do: {known}. "
        "A file of yours is given by its path."
    )


def names(kind: str) -> list[str]:
    """The names that ``resource(kind, name)`` knows, sorted."""
    return sorted(path.stem for path in (data_root() / "resources" / kind).glob("*.yaml"))


def report_file(name: str) -> Path:
    """The shipped template or JSON schema ``reports/<name>``."""
    path = data_root() / "reports" / name
    if not path.is_file():
        raise TesterLibraryError(f"the installation is incomplete: {path} is missing")
    return path


def engine() -> Path | None:
    """The packet engine of this installation; None if it has no engine.

    It is built with the library, or comes with the package `robotframework-testerlibrary-engine`.
    """
    folders = [PACKAGE / "_engine"]
    package = find_spec("testerlibrary_engine")
    if package and package.origin:
        folders.append(Path(package.origin).parent)
    return next((path for folder in folders if (path := folder / "testerd").is_file()), None)


def user_cache() -> Path:
    """The folder `testerlibrary` in `$XDG_CACHE_HOME`, or else in `~/.cache`. It need not be there."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "testerlibrary")
