# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How many copies of a template packet have to loop so that their port is never idle (norma appendix B)."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

# y = A x^-B + C with the paper's two points, 120 packets of 64 bytes and 10 of 1500. B is 1: what fills a
# loop of a fixed delay is a number of bytes, so a number of packets that falls with their size; C is what a
# packet costs whatever its size.
_SMALL, _LARGE = (64, 120), (1500, 10)
_A = Fraction(_SMALL[1] - _LARGE[1]) / (Fraction(1, _SMALL[0]) - Fraction(1, _LARGE[0]))
_C = _LARGE[1] - _A / _LARGE[0]


def template_packets(frame_size: int) -> int:
    """Packets of that size, in bytes with FCS, which keep a loopback port at its line rate.

    Known answers: 120 at 64 bytes, 10 at 1500.
    """
    return ceil(_A / frame_size + _C)
