# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Template packets of a loopback port."""

from __future__ import annotations

import pytest

from TesterLibrary.planning.switch.loops import template_packets


@pytest.mark.parametrize(("frame_size", "packets"), [(64, 120), (1500, 10)])
def test_the_papers_two_points(frame_size: int, packets: int) -> None:
    assert template_packets(frame_size) == packets


def test_larger_packets_never_need_more() -> None:
    counts = [template_packets(size) for size in range(64, 9217)]
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] >= 1
