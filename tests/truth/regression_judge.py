# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Values beside a baseline, of both of which only bounds are known."""

from __future__ import annotations

import random
from fractions import Fraction

from assertionengine import AssertionOperator

from TesterLibrary.methodology.regression import Baseline, no_regression
from TesterLibrary.model.units.units import Ratio
from TesterLibrary.verdict import Between, assess

from .case import Case, judge

_SIGNS = (">=", ">", "<=", "<", "==")


@judge
def regression(draw: random.Random) -> Case:
    """The truth is that of the two values; the judge sees only what they lie between."""
    was = Fraction(draw.randint(-200, 10**5))
    part = Fraction(draw.choice([0, 5, 10, 30, 100]), 1000)
    near = was + draw.choice([-1, 1]) * abs(was) * part
    now = near + Fraction(draw.choice([0, 0, 1, -1, 50, -50, 9000, -9000]))
    sign = draw.choice(_SIGNS)
    errors = [Fraction(draw.choice([0, 0, 0, 1, 20])) for _ in range(4)]
    least, most = now - errors[0], now + errors[1]
    value = least if least == most else Between(least, most)
    judged = assess(value, AssertionOperator[sign], 0, subject="value")
    judged = type(judged)(judged.outcome, "value", judged.measured, judged.bound, "", least, most)
    baseline = Baseline(was - errors[2], was + errors[3], str(was), "run")
    fault, absent = draw.random() < 0.08, draw.random() < 0.05
    verdict = no_regression(
        judged, None if absent else baseline, Ratio(part), doubt="the tester was not fit" if fault else ""
    )
    room = abs(was) * part
    worse = abs(now - was) if sign == "==" else was - now if sign.startswith(">") else now - was
    excuse = "no baseline" if absent else "the tester" if fault else "bounds" if any(errors) else ""
    return Case(
        "regression", None if absent else worse <= room, verdict, excuse, f"{now} {sign} {was}; {part=}"
    )
