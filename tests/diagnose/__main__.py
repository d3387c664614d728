# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Plants conditions in simulated devices, and lets the library find them: `python -m tests.diagnose`."""

from __future__ import annotations

import argparse
import json
import secrets
import sys
from pathlib import Path
from statistics import median

from .case import Case, diagnose, harmless_case, random_case

SUMMARY = Path("results/diagnose/summary.json")
_NAMED = 0.95


def main() -> int:
    options = _arguments()
    print(f"seed {options.seed}", flush=True)
    if options.case is not None:
        print_case(diagnose(random_case(options.seed, options.case, conditions_of(options.case))))
        return 0
    cases = []
    for number in range(options.cases):
        case = random_case(options.seed, number, conditions_of(number))
        case.whole = number < options.whole
        diagnose(case)
        cases.append(case)
        if not case.named:
            print("WRONG" if case.confident_wrong else "not explained", case, flush=True)
    harmless = [diagnose(harmless_case(options.seed, number)) for number in range(options.harmless)]
    for case in harmless:
        if case.result and case.result.explained:
            print("EXPLAINED", case, flush=True)
    summary = summary_of(cases, harmless, options.seed)
    SUMMARY.parent.mkdir(parents=True, exist_ok=True)
    SUMMARY.write_text(json.dumps(summary, indent=2) + "\n")
    print(json.dumps(summary, indent=2))
    wrong = summary["confident_wrong"] or summary["harmless_explained"]
    return 1 if wrong or summary["named"] < _NAMED * summary["conditions"] else 0


def conditions_of(number: int) -> int:
    """One condition in most cases, two in each third."""
    return 2 if number % 3 == 2 else 1


def summary_of(cases: list[Case], harmless: list[Case], seed: int) -> dict[str, float]:
    """The figures of the issue."""
    experiments = [len(case.result.experiments) for case in cases if case.result]
    return {
        "seed": seed,
        "conditions": len(cases),
        "named": sum(case.named for case in cases),
        "confident_wrong": sum(case.confident_wrong for case in cases),
        "not_explained": sum(not case.named and not case.confident_wrong for case in cases),
        "experiments_median": median(experiments or [0]),
        "experiments_most": max(experiments, default=0),
        "seconds_median": median([case.seconds for case in cases] or [0]),
        "harmless": len(harmless),
        "harmless_explained": sum(bool(c.result and c.result.explained) for c in harmless),
    }


def print_case(case: Case) -> None:
    print(case)
    assert case.result
    for number, record in enumerate(case.result.experiments, 1):
        print(f"    {number}: {record}")
    print("    excluded:", *case.result.excluded, sep="\n        ")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.diagnose", description=__doc__)
    parser.add_argument("--cases", type=int, default=200, help="devices with one or two conditions")
    parser.add_argument("--harmless", type=int, default=40, help="devices and testers without a cause")
    parser.add_argument("--whole", type=int, default=20, help="cases through planner and simulated tester")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**9), help="random if left out")
    parser.add_argument("--case", type=int, help="only this case")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
