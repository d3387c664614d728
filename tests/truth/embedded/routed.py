# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on frames that the kernel's router sends on in pieces."""

from __future__ import annotations

import random
from fractions import Fraction

from ..case import Case
from .lab import ROUTER, Lab, judge_at
from .losses import loss_case

_HEADERS = 18  # bytes of Ethernet and its FCS, which an MTU does not count


@judge_at(ROUTER)
def fragments(draw: random.Random, lab: Lab) -> Case:
    """A frame beyond the MTU does not arrive as it was sent: the kernel counts how many it cuts."""
    mtu = draw.choice([600, 900, 1200])
    edge = mtu + _HEADERS
    size = draw.choice([edge, edge + 1, edge - 1, 64, 1518, draw.randint(64, 1518)])
    frames = draw.randint(100, 2000)
    lab.inside("ip", "link", "set", "p2", "mtu", str(mtu))
    begun = [0]

    def begin() -> None:
        begun[0] = _cut(lab)

    try:
        trial = lab.sent([lab.north(4000, size)], frames, begin)
        cut = _cut(lab) - begun[0]
    finally:
        lab.inside("ip", "link", "set", "p2", "mtu", "1500")
    part = Fraction(cut, frames)
    about = f"MTU {mtu}, {frames} frames of {size} bytes, {cut} cut"
    return loss_case(draw, trial, part, about)


def _cut(lab: Lab) -> int:
    """Datagrams that the router has sent in pieces."""
    names, values = (line.split() for line in lab.inside("cat", "/proc/net/snmp").splitlines()[:2])
    return int(dict(zip(names, values, strict=True))["FragOKs"])
