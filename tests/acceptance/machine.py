# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether what the machine took from a tester explains, by number, that a test was INCONCLUSIVE.

The machine takes time: its hypervisor steals, its kernel runs somebody else on a worker's CPU. Both are in
the evidence of a trial. They explain an objection if they are at least half of the time that must have been
missing for it: the kernel counts theft in ticks, so that it may be written down in the interval beside.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from TesterLibrary.model.units.number import percent

_ENOUGH = Fraction(1, 2)
# Read from the text of the verdict: sessions record no evidence, only their objections.
_GAP = re.compile(
    r"a worker did not run for ([\d.]+) ms \(limit [^)]*\); in all, "
    r"the kernel had its CPU do something else for ([\d.]+) ms"
)
_STOLEN = re.compile(r"the hypervisor took ([\d.]+ %) of the time from this machine \(limit ([\d.]+ %)\)")


def explanation(message: str, trials: Sequence[Mapping[str, Any]]) -> str:
    """The numbers that explain the message of a test by the records of its trials; empty if none do."""
    for trial in reversed(trials):
        objections = [objection for objection in trial["objections"] if objection in message]
        if objections:
            found = [_by_evidence(objection, trial) for objection in objections]
            return "; ".join(dict.fromkeys(found)) if all(found) else ""
    if stolen := _STOLEN.search(message):
        return f"steal {stolen[1]}, limit {stolen[2]}"
    if gap := _GAP.search(message):
        return _compared(Fraction(gap[1]) * 10**6, Fraction(gap[2]) * 10**6, f"{gap[2]} ms waited for a CPU")
    return ""


def _by_evidence(objection: str, trial: Mapping[str, Any]) -> str:
    evidence = trial["evidence"]
    steal = Fraction(evidence["steal"] or 0)
    if _STOLEN.search(objection):
        return f"steal {percent(steal, 1)}"
    waited_ns = int(evidence["waited_ns"] or 0)
    taken = waited_ns + steal * int(trial["duration_ns"])
    numbers = f"{waited_ns / 1e6:.1f} ms waited for a CPU, steal {percent(steal, 1)}"
    return _compared(_missing_ns(objection, trial), taken, numbers)


def _missing_ns(objection: str, trial: Mapping[str, Any]) -> Fraction | None:
    """The time that a worker must have been without its CPU; None if no such time is a reason for this."""
    evidence = trial["evidence"]
    frames = int(evidence["intended_packets"])
    each = Fraction(int(trial["duration_ns"]), frames) if frames else Fraction(0)
    if "a worker did not run for" in objection:
        return Fraction(evidence["worst_worker_gap_ns"])
    if "with a rate error of" in objection:
        late = frames - int(evidence["offered_packets"])
        return max(late * each, abs(Fraction(evidence["rate_error"])) * int(trial["duration_ns"]))
    if "lost in the tester's own rings" in objection:
        return ((evidence["rx_missed"] or 0) + (evidence["kernel_dropped"] or 0)) * each
    if "this machine's kernel dropped" in objection:
        return int(evidence["backlog_dropped"]) * each
    if "and pauses of the tester of" in objection:
        return Fraction(evidence["worst_lateness_ns"])
    return None


def _compared(missing: Fraction | None, taken: Fraction, numbers: str) -> str:
    if missing is None or taken < missing * _ENOUGH or taken == 0:
        return ""
    return f"{numbers}: {float(taken) / 1e6:.1f} ms taken, of {float(missing) / 1e6:.1f} ms missing"
