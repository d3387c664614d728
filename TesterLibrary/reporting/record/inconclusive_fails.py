# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A listener for plain `robot`, which counts no skipped test as an error.

Use it with `--listener TesterLibrary.InconclusiveFails`.
"""

from __future__ import annotations

from typing import Any


class InconclusiveFails:
    """A listener that fails each test that TesterLibrary found inconclusive.

    So a run whose tester was not to be reached does not end with status 0. The records, the certificate and
    the tag `verdict-inconclusive` stay as they are. It comes after the library's own listener.
    """

    ROBOT_LISTENER_API_VERSION = 3
    ROBOT_LISTENER_PRIORITY = -1

    def end_test(self, data: Any, result: Any) -> None:  # noqa: ARG002 - Robot names them
        """Fails the test if it was skipped for a reason that the library tagged."""
        if result.status == "SKIP" and "verdict-inconclusive" in result.tags:
            result.status = "FAIL"
