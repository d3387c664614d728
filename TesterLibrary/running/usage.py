# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Memory, descriptors and buffers of the open tester: evidence of each test."""

from __future__ import annotations

from contextlib import suppress

from ..errors import TesterLibraryError
from ..measurement.tester_usage import TesterUsage
from .suite import Suite


def usage_of(suite: Suite) -> TesterUsage | None:
    """The usage of the open tester; None if no tester is open or answers, or if it does not tell."""
    with suppress(TesterLibraryError):
        part = suite.tester.target.usage
        return part.read() if part else None
    return None
