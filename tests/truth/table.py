# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Truth × verdict, and how often a verdict may be false at most."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

from TesterLibrary.verdict import Outcome

from .case import ENGINE, Case

_ROWS = {True: "within the bound", False: "out of bounds", None: "nothing that tells"}


def upper_bound(found: int, of: int, confidence: float = 0.95) -> float:
    """The one-sided upper limit of Clopper and Pearson; 3/n for none of many."""
    if found >= of:
        return 1.0
    low, high = found / of, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        at_most = sum(comb(of, k) * middle**k * (1 - middle) ** (of - k) for k in range(found + 1))
        low, high = (low, middle) if at_most < 1 - confidence else (middle, high)
    return high


def summary(cases: Sequence[Case], seed: int) -> dict[str, Any]:
    targets, judges = ({getattr(case, name) for case in cases} for name in ("target", "judge"))
    by_target = {target: counts([c for c in cases if c.target == target]) for target in sorted(targets)}
    by_judge = {judge: counts([c for c in cases if c.judge == judge]) for judge in sorted(judges)}
    return {**counts(cases), "by_target": by_target, "by_judge": by_judge, "seed": seed}


def counts(cases: Sequence[Case]) -> dict[str, Any]:
    """INCONCLUSIVE is counted where nothing was absent and the machine did its part, and besides in all."""
    whole = [case for case in cases if not case.excuse]
    return {
        "cases": len(cases),
        "false_pass": sum(case.false_pass for case in cases),
        "false_fail": sum(case.false_fail for case in cases),
        "inconclusive": sum(case.wanting for case in whole),
        "machine": sum(bool(case.machine) for case in cases),
        "nothing_absent": len(whole),
        "inconclusive_in_all": sum(case.inconclusive for case in cases),
    }


def met(cases: Sequence[Case]) -> bool:
    """No false verdict, and at most 2 % INCONCLUSIVE where nothing was absent."""
    found = counts(cases)
    false = found["false_pass"] + found["false_fail"]
    return not false and found["inconclusive"] * 50 <= found["nothing_absent"]


def text(cases: Sequence[Case]) -> str:
    """The table as text, for people."""
    titles = (
        ("PASS", 8),
        ("FAIL", 8),
        ("INCONCLUSIVE", 15),
        ("(something absent)", 22),
        ("(the machine)", 16),
    )
    lines = [f"{'truth':20}" + "".join(f"{title:>{width}}" for title, width in titles)]
    for truth, name in _ROWS.items():
        row = [case for case in cases if case.truth is truth]
        passed, failed = (sum(c.verdict.outcome is o for c in row) for o in (Outcome.PASS, Outcome.FAIL))
        doubtful, machine = sum(case.wanting for case in row), sum(bool(case.machine) for case in row)
        absent = sum(case.inconclusive for case in row) - doubtful - machine
        lines.append(f"{name:20}{passed:8,}{failed:8,}{doubtful:15,}{absent:22,}{machine:16,}")
    for target in sorted({case.target for case in cases}):
        lines.append(f"{target}: {_rates([case for case in cases if case.target == target])}")
    return "\n".join(lines)


def remarkable(case: Case, seed: int) -> str:
    """A case that must not be, or that somebody should see, and how to have it again."""
    word = "MACHINE" if case.machine else "INCONCLUSIVE" if case.inconclusive else "FALSE"
    option = "--embedded-case" if case.target == ENGINE else "--case"
    return f"{word}: {case}\n    again: python -m tests.truth --seed {seed} {option} {case.number}"


def _rates(cases: Sequence[Case]) -> str:
    found = counts(cases)
    # A false PASS is possible only where the truth is not PASS, a false FAIL only where it is not FAIL.
    bad, good = (sum(case.truth is not truth for case in cases) for truth in (True, False))
    parts = [f"{found['cases']:,} cases"]
    for name, number, of in (("PASS", found["false_pass"], bad), ("FAIL", found["false_fail"], good)):
        most = f", at most {upper_bound(number, of):.2%} with 95 %" if of else ""
        parts.append(f"{number} false {name} of {of:,}{most}")
    whole, doubtful = found["nothing_absent"], found["inconclusive"]
    parts.append(f"{doubtful} INCONCLUSIVE of {whole:,} where nothing was absent")
    if found["machine"]:
        parts.append(f"{found['machine']} INCONCLUSIVE as the machine was busy")
    return "; ".join(parts)
