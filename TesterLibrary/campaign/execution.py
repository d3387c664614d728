# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs a certification for a person who waits: what is going to be run, its reports, and its status."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..model.units.number import counted
from ..reporting.pages import statement
from ..reporting.pages.rebuild import Reports, rebuild
from ..reporting.pages.signature import check_signer, signature_file
from ..reporting.pictures.canvas import missing
from ..reporting.record.agenda import Item, expected_s
from ..reporting.record.outcome import ERROR, EXIT_STATUS, INCONCLUSIVE, overall
from ..reporting.record.record_place import EVIDENCE
from ..reporting.record.records import read_verdicts
from .certification import Certification
from .verdict_lines import RESULTS, show

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


@dataclass(frozen=True)
class Execution:
    """The outcome of a certification: its reports, and whether all tests were run or left out on purpose."""

    reports: Reports
    finished: bool

    @property
    def status(self) -> int:
        """The exit status: that of the worst test, or of an error if the run was interrupted."""
        return EXIT_STATUS[overall(self.reports.records.outcomes()) if self.finished else ERROR]


def execute(
    run: Certification,
    items: Sequence[Item],
    tests: str,
    *,
    go_on: str,
    most: int | None = None,
    key: Ed25519PrivateKey | None = None,
) -> Execution:
    """Runs tests, makes the reports and prints the verdicts.

    Args:
        run: the certification, whose folder is ready for it.
        items: the tests that are going to be run.
        tests: what is said of them before the first one.
        go_on: the command that goes on with the run if it is interrupted.
        most: as `show` has it.
        key: signs the certificate, if there is one.

    Raises:
        TesterLibraryError: the certificate of the run so far is signed with another key.
    """
    if key:
        check_signer(run.output / statement.FILE, key)
    if items:
        signature_file(run.output / statement.FILE).unlink(missing_ok=True)  # what it signs is not final
    beds = " and ".join(dict.fromkeys(bed.testbed for bed in run.beds))
    profile = run.profile_values["name"]
    print(f"{run.title}, profile {profile}: {tests} on {beds}{_expected(items, run.suite_s)}.", flush=True)
    if no_pictures := missing():
        print(f"tester: the certificate will have no pictures: {no_pictures}", file=sys.stderr, flush=True)
    run.status.tell("begun", title=run.title, tests=len(items), testbeds=[bed.testbed for bed in run.beds])
    started = time.monotonic()
    finished = run.run()
    took = f", {minutes(time.monotonic() - started)}"  # as expected: without the reports
    if not finished:
        print(f"Interrupted; this is what was measured so far. Go on: {go_on}")
    reports = rebuild(run.output)
    if key and finished:
        reports = reports.signed(run.output, key)
    show(reports, run.output, took=took, most=most)
    return Execution(reports, finished)


def add_inconclusive(parser: argparse.ArgumentParser) -> None:
    """Adds the option by which a run that goes on repeats what was INCONCLUSIVE."""
    parser.add_argument(
        "--inconclusive",
        action="store_true",
        help="with --resume: run the tests again, too, that ended INCONCLUSIVE; reports show both attempts",
    )


def undecided(run: Certification) -> str:
    """How many tests ended INCONCLUSIVE and are not among those that are left, and how to run them again."""
    left = {(item.suite, item.test) for item in run.again or ()}
    tests = read_verdicts(run.output / EVIDENCE).tests
    count = sum(test.outcome == INCONCLUSIVE and (test.suite, test.test) not in left for test in tests)
    verb = "was" if count == 1 else "were"
    return f" ({count} {verb} INCONCLUSIVE; --resume --inconclusive runs them again)" if count else ""


def link_latest(output: Path) -> None:
    """Lets results/latest be this folder. The link is replaced at once, so that there is always one."""
    fresh = RESULTS / ".latest"
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(output.name)
    fresh.replace(RESULTS / "latest")


def minutes(seconds: float) -> str:
    """A time as people who wait say it: `12 minutes`."""
    if seconds >= 7200:
        return f"{seconds / 3600:.0f} hours"
    return f"{seconds / 60:.0f} minutes" if seconds >= 90 else f"{seconds:.0f} seconds"


def _expected(items: Sequence[Item], suite_s: float) -> str:
    """How long the tests take, as far as the profile says."""
    unknown = sum(not item.expected_s for item in items)
    if unknown == len(items):
        return ""
    known = f", about {minutes(expected_s(items, suite_s))}"
    return known + (f" and {counted(unknown, 'test')} of unknown length" if unknown else "")
