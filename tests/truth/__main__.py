# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Holds the library's verdicts against the truth: `python -m tests.truth --cases 1000`."""

from __future__ import annotations

import argparse
import json
import secrets
import sys
from itertools import chain
from pathlib import Path

from . import embedded, simulated, table

SUMMARY = Path("results/truth/summary.json")


def main() -> int:
    given = _arguments()
    print(f"seed {given.seed}", flush=True)
    if given.case is not None:
        print(simulated.case(given.seed, given.case))
        return 0
    if given.embedded_case is not None:
        numbers = range(given.embedded_case, given.embedded_case + 1)
        print(*embedded.cases(given.seed, numbers), sep="\n")
        return 0
    cases = []
    for case in chain(
        simulated.cases(given.seed, given.cases), embedded.cases(given.seed, range(given.embedded))
    ):
        cases.append(case)
        if case.false_pass or case.false_fail or (case.inconclusive and not case.excuse):
            print(table.remarkable(case, given.seed), flush=True)
    print(table.text(cases))
    SUMMARY.parent.mkdir(parents=True, exist_ok=True)
    SUMMARY.write_text(json.dumps(table.summary(cases, given.seed), indent=2) + "\n")
    print(f"{SUMMARY}; seed {given.seed}")
    return 0 if table.met(cases) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.truth", description=__doc__)
    parser.add_argument("--cases", type=int, default=1000, help="on simulated devices and fake testers")
    parser.add_argument(
        "--embedded", type=int, default=0, help="on devices of this machine's kernel; needs root"
    )
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**9), help="random if left out")
    parser.add_argument("--case", type=int, help="only this one of the simulated cases")
    parser.add_argument("--embedded-case", type=int, help="only this one of the embedded cases")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
