# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs acceptance suites beside busy loops and counts wrong verdicts; fails if there is one: `make load`."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.acceptance.robots import lines

from .cases import RIGHT_WORDS, Case, cases, judged

SUMMARY = Path("results/load/summary.json")
_KEPT = SUMMARY.parent / "kept"  # what cases with a wrong verdict or an error have left


@dataclass
class Loops:
    """CPU time and wall time that the loops beside the suites used."""

    seconds: float = 0.0  # of a CPU
    wall: float = 0.0
    ended: int = 0  # loops that somebody else ended, so that there was less load than it seems


@contextmanager
def busy(number: int) -> Iterator[Loops]:
    """Runs so many loops until the end of the block; then their times are known."""
    took, began = Loops(), time.monotonic()
    started = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield took
    finally:
        for loop in started:
            os.kill(loop.pid, signal.SIGKILL)
            _, status, usage = os.wait4(loop.pid, 0)
            loop.returncode = os.waitstatus_to_exitcode(status)
            took.seconds += usage.ru_utime + usage.ru_stime
            took.ended += loop.returncode != -signal.SIGKILL
        took.wall = time.monotonic() - began


def main() -> int:
    given = _arguments()
    chosen = [case for case in cases() if given.only in case.name]
    if not chosen:
        print(f"no case has {given.only!r} in its name; there are {', '.join(case.name for case in cases())}")
        return 2
    counted: dict[str, Counter[str]] = {}
    with busy(given.loops) as took:
        for case in chosen:
            counted[case.name] = _counted(case)
            print(f"{case.name:<60} {_text(counted[case.name])}", flush=True)
    total = sum(counted.values(), Counter[str]())
    print(f"{'all':<60} {_text(total)}")
    print(f"{given.loops} busy loops took {took.seconds:.0f} s of a CPU in {took.wall:.0f} s")
    SUMMARY.parent.mkdir(parents=True, exist_ok=True)
    summary = {
        **{word: total[word] for word in RIGHT_WORDS},
        "tests": sum(total.values()),
        "loops": given.loops,
        "loops_cpu_s": round(took.seconds, 1),
        "wall_s": round(took.wall, 1),
        "by_case": {name: dict(words) for name, words in counted.items()},
    }
    SUMMARY.write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
    if took.ended:
        print(f"{took.ended} loops were ended by somebody else: this shows nothing")
    return int(total["wrong"] > 0 or took.ended > 0)


def _counted(case: Case) -> Counter[str]:
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="load-") as folder:
        try:
            tests = case.run(Path(folder))
        except subprocess.TimeoutExpired as problem:
            print(f"  error: {problem}", flush=True)
            return Counter(error=1)
        recorded = next(Path(folder).rglob("tests.jsonl"), None)
        outcomes = {test["test"]: test["outcome"] for test in lines(recorded)} if recorded else {}
        for name, test in tests.items():
            word = judged(test, outcomes.get(name, ""), case.meant.get(name, ("PASS", "")))
            found[word] += 1
            if word != "right":
                print(f"  {word}: {name}: {test.status}: {' '.join(test.message.split())}", flush=True)
        if found["wrong"] or found["error"]:
            print(f"  kept in {shutil.copytree(folder, _KEPT / case.name, dirs_exist_ok=True)}")
    return found


def _text(counted: Counter[str]) -> str:
    return ", ".join(f"{counted[word]} {word}" for word in RIGHT_WORDS)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=__doc__)
    parser.add_argument("--loops", type=int, default=2, help="that run beside the suites")
    parser.add_argument("--only", default="", help="cases with this in their name")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
