# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Holds the library's verdicts against the truth: `python -m tests.truth --cases 1000`."""

from __future__ import annotations

import argparse
import json
import secrets
import sys
from pathlib import Path

from . import simulated, table

SUMMARY = Path("results/truth/summary.json")


def main() -> int:
    given = _arguments()
    print(f"seed {given.seed}", flush=True)
    if given.case is not None:
        print(simulated.case(given.seed, given.case))
        return 0
    cases = list(simulated.cases(given.seed, given.cases))
    for case in cases:
        if case.false_pass or case.false_fail or (case.inconclusive and not case.excuse):
            word = "INCONCLUSIVE" if case.inconclusive else "FALSE"
            print(
                f"{word}: {case}\n    again: python -m tests.truth --seed {given.seed} --case {case.number}"
            )
    print(table.text(cases))
    SUMMARY.parent.mkdir(parents=True, exist_ok=True)
    SUMMARY.write_text(json.dumps(table.summary(cases, given.seed), indent=2) + "\n")
    print(f"{SUMMARY}; seed {given.seed}")
    return 0 if table.met(cases) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.truth", description=__doc__)
    parser.add_argument("--cases", type=int, default=1000, help="on simulated devices")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**9), help="random if left out")
    parser.add_argument("--case", type=int, help="only this one of the simulated cases")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
