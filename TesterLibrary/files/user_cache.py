# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The folder for what belongs to a machine and its user, not to a project."""

from __future__ import annotations

import os
from pathlib import Path


def user_cache() -> Path:
    """The folder `testerlibrary` in `$XDG_CACHE_HOME`, or else in `~/.cache`. It need not be there."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "testerlibrary")
