# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames without a signature: of those that a device has cut or rewritten nobody knows whose they are.

A few foreign frames are always there, such as queries and neighbour discovery. Malformed ones, and many, may
be those of the trial.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from ...measurement.foreign import ForeignAt
from ...measurement.trial import Trial

_USUAL_PER_SECOND = 20  # foreign frames at a port: queries, neighbour discovery, spanning tree
_FEW = Fraction(1, 100)  # of the frames that were sent


def unsigned(trial: Trial, places: Iterable[ForeignAt]) -> str:
    """Frames at these ports that the device may have made of the trial's; empty if there are none."""
    found = [
        str(each)
        for each in places
        if each.malformed
        or (each.frames * 10**9 > _USUAL_PER_SECOND * trial.sending_ns and each.frames > _FEW * trial.sent)
    ]
    return f"{'; '.join(found)}: the device may have changed frames of {trial.title}" if found else ""
