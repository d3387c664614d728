# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The verdicts of the test that is running, and which of them its suite has caught.

A verdict is caught when a keyword around it failed or was skipped, and a keyword around that one passed all
the same: `Run Keyword And Return Status`, TRY / EXCEPT. An attempt that was retried is caught, too. What is
caught does not count, whether it was PASS or FAIL: the suite has asked a question, not judged the device.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...verdict import Verdict


@dataclass
class _Judged:
    """A verdict that counts so far."""

    number: int  # of its record
    verdict: Verdict
    failed: bool = False  # a keyword around it did not pass


@dataclass
class _Keyword:
    """A keyword that is running."""

    first: int  # index of the first verdict within it
    retries: bool  # it runs another keyword again if that has failed


@dataclass
class Judgements:
    """Verdicts in the order in which they were recorded."""

    _judged: list[_Judged] = field(default_factory=list)
    _running: list[_Keyword] = field(default_factory=list)

    @property
    def standing(self) -> tuple[Verdict, ...]:
        """The verdicts that count."""
        return tuple(judged.verdict for judged in self._judged)

    @property
    def repeating(self) -> bool:
        """Whether a keyword around what runs now runs it again if it fails."""
        return any(keyword.retries for keyword in self._running)

    def begin_test(self) -> None:
        """A new test: the verdicts of the one before are no longer of interest."""
        self._judged.clear()
        self._running.clear()

    def add(self, number: int, verdict: Verdict) -> None:
        """A verdict was recorded under this number."""
        self._judged.append(_Judged(number, verdict))

    def begin_keyword(self, *, retries: bool = False) -> tuple[int, ...]:
        """A keyword or control structure begins. Returns the numbers of the verdicts that this withdraws."""
        retried = self._running and self._running[-1].retries
        withdrawn = self._withdraw() if retried else ()
        self._running.append(_Keyword(len(self._judged), retries))
        return withdrawn

    def end_keyword(self, *, passed: bool) -> tuple[int, ...]:
        """The keyword that began last has ended. Returns the numbers of the verdicts that this withdraws.

        A keyword that began before anybody listened ends without a beginning: everything was within it.
        """
        withdrawn = self._withdraw() if passed else ()
        first = self._running.pop().first if self._running else 0
        if not passed:
            for judged in self._judged[first:]:
                judged.failed = True
        return withdrawn

    def _withdraw(self) -> tuple[int, ...]:
        """Takes out the verdicts in the innermost keyword around which another one failed."""
        first = self._running[-1].first if self._running else 0
        inside = self._judged[first:]
        self._judged[first:] = [judged for judged in inside if not judged.failed]
        return tuple(judged.number for judged in inside if judged.failed)
