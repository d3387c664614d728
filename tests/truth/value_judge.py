# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Values that a suite has worked out by itself, written in one unit and compared in another."""

from __future__ import annotations

import operator as functions
import random
from fractions import Fraction

from assertionengine import AssertionOperator

from TesterLibrary.methodology.verdicts.value import judge_value
from tests.unit.methodology.texts.samples import LATE, trial

from .case import Case, judge

_KINDS = (
    {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9},
    {"bytes": 1, "kB": 10**3, "KiB": 2**10, "MB": 10**6, "MiB": 2**20},
    {"bps": 1, "kbps": 10**3, "Mbps L2": 10**6, "Gbit/s": 10**9},
    {"pps": 1, "kpps": 10**3, "Mfps": 10**6},
    {"%": 10**4, "ppm": 1},
    {"/s": 1, "k entries/s": 10**3, "connections/s": 1},
    {"frames": 1, "frame": 1},
    {"": 1},
)
_LONG = 10**12  # with thousandths it has digits that may be those of a float, which do not decide
_SIGNS = {
    "<=": functions.le,
    "<": functions.lt,
    ">=": functions.ge,
    ">": functions.gt,
    "==": functions.eq,
    "!=": functions.ne,
}


@judge
def value(draw: random.Random) -> Case:
    """Both are made from a number of thousandths of the unit that they are written in."""
    units = draw.choice(_KINDS)
    (unit, scale), (other, factor) = (draw.choice(list(units.items())) for _ in range(2))
    given = Fraction(draw.randint(0, 10**7), 1000)
    near = given * scale / factor
    bound = Fraction(round(near * 1000) + draw.choice([0, 0, 1, -1, 1000, -1000]), 1000)
    bound = abs(bound)
    if bound >= _LONG:
        bound = Fraction(round(bound))
    sign = draw.choice(list(_SIGNS))
    fault, absent = draw.random() < 0.08, draw.random() < 0.05
    verdict = judge_value(
        None if absent else f"{_text(given)} {unit}",
        AssertionOperator[sign],
        f"{_text(bound)} {other}",
        subject="value",
        trials=[trial(objections=LATE)] if fault else [],
    )
    truth = None if absent else bool(_SIGNS[sign](given * scale, bound * factor))
    excuse = "not measured" if absent else "the tester" if fault else ""
    return Case("value", truth, verdict, excuse, f"{given} {unit} {sign} {bound} {other}; {fault=}")


def _text(thousandths: Fraction) -> str:
    whole = int(thousandths * 1000)
    return f"{whole // 1000}.{whole % 1000:03d}"
