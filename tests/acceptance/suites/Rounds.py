# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A listener that has each test of a suite run so many times: `--listener Rounds.py:100`."""

from __future__ import annotations

from typing import Any


class Rounds:
    """Puts copies of each test into its suite."""

    ROBOT_LISTENER_API_VERSION = 3

    def __init__(self, rounds: str) -> None:
        self._rounds = int(rounds)

    def start_suite(self, data: Any, result: Any) -> None:  # noqa: ARG002
        """Before any of them runs."""
        data.tests = [
            test.copy(name=f"{test.name}, Round {number}")
            for test in data.tests
            for number in range(1, self._rounds + 1)
        ]
