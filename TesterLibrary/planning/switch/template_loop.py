# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The number of copies of a template packet that keep their loopback port busy (norma appendix B)."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

# y = A x^-B + C through the paper's two points, 120 packets of 64 bytes and 10 of 1500. B is 1 because a loop
# with a fixed delay holds a fixed number of bytes, so fewer packets if they are larger. C is the part that
# does not depend on their size.
_SMALL, _LARGE = (64, 120), (1500, 10)
_A = Fraction(_SMALL[1] - _LARGE[1]) / (Fraction(1, _SMALL[0]) - Fraction(1, _LARGE[0]))
_C = _LARGE[1] - _A / _LARGE[0]


def template_packets(frame_size: int) -> int:
    """Packets of that size, in bytes with FCS, which keep a loopback port at its line rate.

    Known answers: 120 at 64 bytes, 10 at 1500.
    """
    return ceil(_A / frame_size + _C)
