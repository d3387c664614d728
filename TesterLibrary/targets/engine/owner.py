# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The name of this process for other users of an engine."""

from __future__ import annotations

import os
from getpass import getuser
from socket import gethostname


def _user() -> str:
    try:
        return getuser()
    except (KeyError, OSError):  # in a container, a user may have no name but a number
        return f"user {os.getuid()}"


# Whom a tester is leased to, unless a suite says otherwise.
OWNER = ascii(f"{_user()}@{gethostname()}")[1:-1]


def client() -> str:
    """The name by which a tester tells others which process has stopped their traffic."""
    return f"TesterLibrary ({OWNER}, process {os.getpid()})"
