# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Laws of departures as their author writes them, in keywords and in job files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from fractions import Fraction
from ipaddress import ip_address

from ..errors import PlanError
from ..model.departures import (
    Messages,
    Poisson,
    Shaping,
    TalkSpurts,
    UniformGaps,
)
from ..model.units.units import Duration, Ratio
from .gaps import distribution, load_distribution, load_gaps

_FROM_0_TO_TWICE = Ratio(Fraction(1))


class ArrivalLaw(Enum):
    """How gaps between frames are drawn."""

    CONSTANT = "constant"
    POISSON = "poisson"
    UNIFORM = "uniform"
    ON_OFF = "on-off"
    CDF = "cdf"
    GAPS = "gaps"


def arrivals(
    law: ArrivalLaw,
    values: Sequence[str] = (),
    *,
    file: str | None = None,
    spread: Ratio = _FROM_0_TO_TWICE,
    on: Duration | None = None,
    off: Duration | None = None,
    repeat: bool = True,
) -> Shaping | None:
    """A law of arrivals, or None for a constant rate.

    Raises:
        PlanError: values, a file or times that do not go with the law, or that it lacks; or wrong ones.
    """
    listed = law in (ArrivalLaw.CDF, ArrivalLaw.GAPS)
    if listed != bool(values or file) or (values and file):
        needed = "needs values or a file, one of them" if listed else "has neither values nor a file"
        raise PlanError(f"{law.value} {needed}; given were {list(values)} and file {file}")
    if (law is ArrivalLaw.ON_OFF) != (on is not None or off is not None) or (on is None) != (off is None):
        raise PlanError("on and off are the mean times of on-off, which needs both; no other law has them")
    if on is not None and off is not None:
        return TalkSpurts(on, off)
    if law is ArrivalLaw.CDF:
        return load_distribution(file) if file else distribution(values)
    if law is ArrivalLaw.GAPS:
        gaps = tuple(Duration.parse(value) for value in values)
        return load_gaps(file, repeat=repeat) if file else Messages.of_gaps(gaps, repeat=repeat)
    if law is ArrivalLaw.UNIFORM:
        return UniformGaps(spread)
    return Poisson() if law is ArrivalLaw.POISSON else None


def rewrite(text: str) -> tuple[bytes, bytes]:
    """An address and what takes its place: `10.0.0.1=198.18.0.2`; MAC, IPv4 or IPv6."""
    old, _, new = text.partition("=")
    pair = _address(old.strip()), _address(new.strip())
    if len(pair[0]) != len(pair[1]):
        raise PlanError(f"rewrite: {text!r} has addresses of two kinds; give two of one kind")
    return pair


def _address(text: str) -> bytes:
    if re.fullmatch(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}", text):
        return bytes.fromhex(text.replace(":", ""))
    try:
        return ip_address(text).packed
    except ValueError:
        raise PlanError(
            f"rewrite: {text!r} is no address; give MAC, IPv4 or IPv6 as in 10.0.0.1=198.18.0.2"
        ) from None
