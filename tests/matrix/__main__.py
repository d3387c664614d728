# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs suites on targets, keeps what became of them, and writes docs/matrix.md."""

from __future__ import annotations

import argparse
import sys
import time

from . import page
from .outcome import Kind, Outcomes, folders, load, name_of, save, shipped
from .target import TARGETS


def main() -> int:
    """1 if a verdict failed that has to pass on a target; else 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.matrix", description=__doc__)
    parser.add_argument("--target", action="append", choices=[target.name for target in TARGETS])
    parser.add_argument("--folder", action="append", choices=folders(), help="of suites/; all, if left out")
    parser.add_argument("--suite", action="append", choices=[name_of(suite) for suite in shipped()])
    given = parser.parse_args()
    failed = 0
    for target in TARGETS:
        if given.target and target.name not in given.target:
            continue
        if target.needs:
            print(f"{target.name}: {target.needs}")
            continue
        named = dict.fromkeys(suite.partition("/")[0] for suite in given.suite or ())
        for folder in given.folder or list(named) or folders():
            began = time.monotonic()
            found = target.run(folder, given.suite)
            outcomes = _known()  # another run may have found something meanwhile
            outcomes.setdefault(target.name, {}).update(found)
            save(outcomes)
            print(f"{target.name} {folder}: {time.monotonic() - began:.0f} s", flush=True)
            for suite, tests in found.items():
                for test, one in tests.items():
                    failed += one.kind is Kind.FAIL and f"{suite} {test}" not in target.fails
                    print(f"  {suite} {test}: {one.kind.value} {one.reason}", flush=True)
    page.FILE.write_text(page.text(_known()), encoding="utf-8")
    return int(bool(failed))


def _known() -> Outcomes:
    """The outcomes that are known, of suites that are still there."""
    there = {name_of(suite) for suite in shipped()}
    return {
        target: {suite: tests for suite, tests in suites.items() if suite in there}
        for target, suites in load().items()
    }


sys.exit(main())
