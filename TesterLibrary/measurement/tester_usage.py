# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Memory, descriptors and packet buffers that the process of a tester holds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TesterUsage:
    """At one moment. None: the tester does not count it."""

    resident_bytes: int | None = None  # memory, without pages of files
    descriptors: int | None = None  # open files and sockets
    mbufs: int | None = None  # packet buffers that are not free
