# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Counts of a responder or clients as procedures, suites and reports have them, and sentences about them."""

from __future__ import annotations

from dataclasses import dataclass

from . import session_remarks
from .session_numbers import SessionNumbers


@dataclass(frozen=True)
class SessionStatistics(SessionNumbers):
    """Counters of one end over a time. Prints as one line.

    `counters` and `histograms` are those of the tables, each by `table.name`, such as `tcp.reset`. What the
    tester does not count is None.
    """

    @property
    def unread_texts(self) -> tuple[str, ...]:
        """Answers that the tables cannot read, so that nothing can be said of the device."""
        return session_remarks.unread(self)

    @property
    def causes(self) -> str:
        """How flows failed, by cause: `4 refused, 1 timed out`; empty if none did."""
        return session_remarks.causes(self)

    @property
    def failed_text(self) -> str:
        """How flows failed or were mixed up: `5 failed (5 refused)`; empty if none were."""
        return session_remarks.failed(self)

    @property
    def all_malformed(self) -> str:
        """Why nothing can be said of the device: no frame that arrived was sound. Empty if one was."""
        return session_remarks.all_malformed(self)

    def __str__(self) -> str:
        return session_remarks.line(self)
