# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How a test or a run ended: the same word in records, certificate and console, and a status to exit with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...verdict import Outcome, Verdict

PASS = Outcome.PASS.value
FAIL = Outcome.FAIL.value
INCONCLUSIVE = Outcome.INCONCLUSIVE.value
ERROR = "ERROR"  # the test did not come to a verdict: a mistake in the suite, a record that was not written
NOT_JUDGED = "NOT JUDGED"  # nothing was required of the device, so nothing is certified
WORST_FIRST = (FAIL, ERROR, INCONCLUSIVE, NOT_JUDGED, PASS)
EXIT_STATUS = {PASS: 0, FAIL: 1, INCONCLUSIVE: 2, ERROR: 3, NOT_JUDGED: 4}
WRONG_COMMAND_LINE = 64  # EX_USAGE of sysexits.h


def outcome_of(status: str, verdicts: Iterable[Verdict]) -> str:
    """The outcome of a test that Robot ended as PASS, FAIL or SKIP, from its verdicts that count.

    FAIL needs a measured value out of bounds; a test that failed without one has an ERROR.
    """
    judged = {verdict.outcome for verdict in verdicts}
    if Outcome.FAIL in judged:
        return FAIL
    if status == "FAIL":
        return ERROR
    if status == "SKIP" or Outcome.INCONCLUSIVE in judged:
        return INCONCLUSIVE
    return PASS if judged else NOT_JUDGED


def one_line(outcome: str, message: str) -> str:
    """An outcome with the first paragraph of what was said of it: for a console."""
    paragraph = " ".join(message.strip().split("\n\n")[0].split())
    said = paragraph.removeprefix(f"{outcome}: ")
    return f"{outcome}: {said}" if said else outcome


def overall(outcomes: Sequence[str]) -> str:
    """The worst of all outcomes. Without any there is nothing to certify: ERROR."""
    return next((outcome for outcome in WORST_FIRST if outcome in outcomes), ERROR)
