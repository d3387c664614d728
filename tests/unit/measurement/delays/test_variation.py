# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from TesterLibrary.measurement.delays.variation import Variation
from TesterLibrary.measurement.snapshot import VariationCounters


def test_streams_are_told_apart() -> None:
    """RFC 3550 keeps jitter times sixteen."""
    parts = (
        VariationCounters(),
        VariationCounters(160, 3, 30, -20, 10),
        VariationCounters(32, 1, 50, 50, 50),
    )
    found = Variation.merged(parts)
    assert (found.jitter, found.ipdv_mean, found.ipdv_min, found.ipdv_max) == (10, 20, -20, 50)


def test_one_frame_does_not_vary() -> None:
    found = Variation.merged([VariationCounters()])
    assert (found.jitter, found.ipdv_mean, found.ipdv_min, found.ipdv_max) == (None,) * 4
