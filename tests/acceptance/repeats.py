# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A test is run again only if it failed and its tester found fault with itself; each failure is printed.

What a tester objects to in its own part is in the records that it leaves in the test's `tmp_path`. A failure
without any such objection is never repeated: no wrong verdict of a fit tester is outvoted. Of a suite of
Robot, objections in the records of tests that came out as they should count for nothing. A few tests of a
run are repeated, and those to which nothing is objected but the time that a hypervisor took.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from .robots import blamed, forget_runs, lines

ATTEMPTS = 3  # at a test
MOST = 10  # tests of a run, of 240
_STOLEN = "the hypervisor took"
_DIRECTORY = pytest.StashKey[Path | None]()


def own_faults(directory: Path, tests: Collection[str] | None) -> list[str]:
    """The objections of testers to their own part, by the records below a directory.

    Args:
        directory: The directory.
        tests: Tests of Robot whose records count, beside records of none; None: all do.
    """
    found: dict[str, None] = {}
    for file in sorted(directory.rglob("*.jsonl")):
        with suppress(ValueError):  # a run that was killed has half a line at its end
            counted = [each for each in lines(file) if tests is None or each.get("test", "") in ("", *tests)]
            found |= dict.fromkeys(fault for record in counted for fault in _objections(record))
    return list(found)


def _objections(record: Any) -> Iterator[str]:
    if isinstance(record, list):
        for each in record:
            yield from _objections(each)
    elif isinstance(record, dict):
        for name, value in record.items():
            if name.endswith("objections") and isinstance(value, list):
                yield from map(str, value)
            else:
                yield from _objections(value)


class Repeats:
    """The plugin."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder  # of the tests that it is for
        self._left = MOST

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        forget_runs()
        item.stash[_DIRECTORY] = getattr(item, "funcargs", {}).get("tmp_path")
        return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        if not item.path.is_relative_to(self._folder):
            return None
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for attempt in range(1, ATTEMPTS + 1):
            item.stash[_DIRECTORY] = None  # what an attempt before has left excuses none
            reports = runtestprotocol(item, log=False, nextitem=nextitem)
            again = (
                attempt < ATTEMPTS
                and any(r.failed for r in reports)
                and self._excused(item, first=attempt == 1)
            )
            for report in reports:
                if again and report.failed:
                    print(report.longreprtext)
                    report.outcome = "rerun"  # type: ignore[assignment]  # the word of pytest-rerunfailures
                item.ihook.pytest_runtest_logreport(report=report)
            if not again:
                break
            item._initrequest()  # type: ignore[attr-defined]  # fixtures are made anew
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def _excused(self, item: pytest.Item, *, first: bool) -> bool:
        directory = item.stash[_DIRECTORY]
        if directory is None or not (faults := own_faults(directory, blamed())):
            return False
        if first and not all(fault.startswith(_STOLEN) for fault in faults):
            if not self._left:
                return False
            self._left -= 1
        print(f"{item.nodeid} failed and is run again; its tester said: {'; '.join(faults)}")
        return True
