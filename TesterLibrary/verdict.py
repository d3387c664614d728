# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What is concluded from measurements: PASS, FAIL or INCONCLUSIVE, with the reason."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from .errors import Inconclusive, VerdictFailed


class Outcome(Enum):
    """FAIL means measured and out of bounds; a tester that did not do its part is INCONCLUSIVE."""

    PASS = "PASS"
    FAIL = "FAIL"
    INCONCLUSIVE = "INCONCLUSIVE"


@dataclass(frozen=True)
class Verdict:
    """One judgement. Its text is one line a person can read."""

    outcome: Outcome
    subject: str  # what was judged: "throughput of north, 64 bytes"
    measured: str  # the value with its unit
    bound: str  # the bound with its direction: ">= 95 %"
    reason: str = ""  # why it is INCONCLUSIVE, or what limits a PASS

    def __str__(self) -> str:
        text = f"{self.outcome.value}: {self.subject} is {self.measured}, required {self.bound}"
        return f"{text} ({self.reason})" if self.reason else text

    def enforce(self) -> Verdict:
        """Returns itself when passed.

        Raises:
            VerdictFailed: measured and out of bounds.
            Inconclusive: the tester could not tell.
        """
        if self.outcome is Outcome.FAIL:
            raise VerdictFailed(str(self))
        if self.outcome is Outcome.INCONCLUSIVE:
            raise Inconclusive(f"{self.subject}: {self.reason}")
        return self


def judge(*, holds: bool, subject: str, measured: str, bound: str, doubt: str = "") -> Verdict:
    """A verdict on a bound. Any `doubt` (why the tester is not to be trusted) outranks the value."""
    if doubt:
        return Verdict(Outcome.INCONCLUSIVE, subject, measured, bound, doubt)
    return Verdict(Outcome.PASS if holds else Outcome.FAIL, subject, measured, bound)
