# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.files.shaping_text import ArrivalLaw, arrivals, rewrite
from TesterLibrary.model.departures import (
    GapDistribution,
    Messages,
    Poisson,
    Shaping,
    TalkSpurts,
    UniformGaps,
)
from TesterLibrary.model.units.units import Duration, Ratio


@pytest.mark.parametrize(
    ("law", "values", "more", "shaping"),
    [
        (ArrivalLaw.CONSTANT, (), {}, None),
        (ArrivalLaw.POISSON, (), {}, Poisson()),
        (ArrivalLaw.UNIFORM, (), {"spread": Ratio.parse("50 %")}, UniformGaps(Ratio(Fraction(1, 2)))),
        (
            ArrivalLaw.ON_OFF,
            (),
            {"on": Duration(5), "off": Duration(6)},
            TalkSpurts(Duration(5), Duration(6)),
        ),
        (
            ArrivalLaw.CDF,
            ("1 us:0", "5 us:1"),
            {},
            GapDistribution(((Duration(1000), Fraction(0)), (Duration(5000), Fraction(1)))),
        ),
        (ArrivalLaw.GAPS, ("1 us", "0"), {}, Messages.of_gaps((Duration(1000), Duration(0)))),
    ],
)
def test_laws(
    law: ArrivalLaw, values: tuple[str, ...], more: dict[str, Any], shaping: Shaping | None
) -> None:
    assert arrivals(law, values, **more) == shaping


@pytest.mark.parametrize(
    ("law", "values", "more", "message"),
    [
        (ArrivalLaw.POISSON, ("1 us",), {}, "poisson has neither values nor a file"),
        (ArrivalLaw.CDF, (), {}, "cdf needs values or a file, one of them"),
        (ArrivalLaw.GAPS, ("1 us",), {"file": "x.csv"}, "gaps needs values or a file, one of them"),
        (ArrivalLaw.ON_OFF, (), {"on": Duration(5)}, "which needs both"),
        (ArrivalLaw.UNIFORM, (), {"off": Duration(5)}, "no other law has them"),
        (
            ArrivalLaw.CDF,
            ("5 us:0", "1 us:1"),
            {},
            "point 2 of the CDF: the time 1 us is below 5 us before it",
        ),
        (ArrivalLaw.CDF, ("5 us:0", "6 us:50 %"), {}, "the CDF ends at 0.5; its last point"),
        (ArrivalLaw.GAPS, ("0", "0"), {}, "all intervals are 0"),
    ],
)
def test_what_is_no_law(law: ArrivalLaw, values: tuple[str, ...], more: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError, match=re.escape(message)):
        arrivals(law, values, **more)


def test_rewrites() -> None:
    assert rewrite("10.0.0.1=198.18.0.2") == (bytes([10, 0, 0, 1]), bytes([198, 18, 0, 2]))
    assert rewrite("02:00:00:00:00:01 = 02:00:00:00:00:02")[1] == b"\x02\0\0\0\0\x02"
    for text, message in (
        ("10.0.0.1=::1", "addresses of two kinds"),
        ("10.0.0.1", "'' is no address"),
        ("x=10.0.0.1", "'x' is no address; give MAC, IPv4 or IPv6"),
    ):
        with pytest.raises(PlanError, match=message):
            rewrite(text)
