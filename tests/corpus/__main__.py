# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs a suite on each router with a bug, and on one without: `make corpus`."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from .table import ROWS, Check, Row, checks

SUMMARY = Path("results/corpus/summary.json")


def main() -> int:
    only = _arguments().only
    rows = [row for row in ROWS if only in row.bug]
    if not rows:
        print(f"no bug has {only!r} in its name; the bugs are {', '.join(row.bug for row in ROWS)}")
        return 2
    chosen = {row.check for row in rows}
    os.environ["ROBOT_OPTIONS"] = "--console none"
    controls = [_control(check) for check in checks() if check in chosen]
    results = [_result(row) for row in rows]
    count = sum(result["found"] for result in results)
    passed = sum(control["passed"] for control in controls)
    print(f"{count} of {len(results)} found; {passed} of {len(controls)} controls pass")
    SUMMARY.parent.mkdir(parents=True, exist_ok=True)
    summary = {"found": count, "bugs": len(results), "by_bug": results, "controls": controls}
    SUMMARY.write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
    return int(not all(item["as_expected"] for item in (*results, *controls)))


def _control(check: Check) -> dict[str, Any]:
    test = _run(check, bug="")
    print(f"{test.status:<4}  control: {check.name} {_words(test)}", flush=True)
    return {"test": check.name, "passed": test.passed, "verdict": _words(test), "as_expected": test.passed}


def _result(row: Row) -> dict[str, Any]:
    test = _run(row.check, row.bug)
    is_found = row.names(test)
    surprise = "" if is_found == row.is_found else "; THE TABLE SAYS OTHERWISE"
    reason = f" ({row.why_not})" if row.why_not else ""
    print(f"{'found' if is_found else 'NOT FOUND'}{surprise}: {row.bug}{reason}")
    print(f"      {row.check.name}: {test.status} {_words(test)}", flush=True)
    return {
        "bug": row.bug,
        "found": is_found,
        "test": row.check.name,
        "status": test.status,
        "verdict": _words(test),
        "why_not": row.why_not,
        "as_expected": not surprise,
    }


def _run(check: Check, bug: str) -> Any:
    with tempfile.TemporaryDirectory(prefix="corpus-") as folder:
        return check.run(Path(folder), bug)


def _words(test: Any) -> str:
    return " ".join(test.message.split())


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.corpus", description=__doc__)
    parser.add_argument("--only", default="", help="bugs with this in their name")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
