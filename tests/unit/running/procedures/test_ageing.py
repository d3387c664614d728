# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.model.endpoints import AddressRange
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.running.procedures.ageing import (
    BridgeAgeing,
    NeighbourAgeing,
    flooded_now_and_then,
    neighbours_of,
    was_known,
)
from TesterLibrary.running.procedures.announcement import Announcement
from tests.counted import stream_counters

from ..testers import fake_tester

RATE = Frequency.parse("100/s")


def test_a_tester_that_tells_no_exact_times_is_refused(tmp_path: Path) -> None:
    tester = fake_tester(tmp_path)
    neighbours = neighbours_of(AddressRange.parse("198.18.64.1"), "p1", "p2", RATE, Announcement.REPLY)
    with pytest.raises(PlanError, match="ageing times cannot be measured: this tester does not count exact"):
        BridgeAgeing(tester, "p1", "p2", None, RATE)
    with pytest.raises(PlanError, match="ageing times cannot be measured"):
        NeighbourAgeing(tester, neighbours)


@pytest.mark.parametrize(
    ("ports", "frames", "flooded", "known"),
    [
        (("p1",), (200,), 0, True),
        (("p1", "p4"), (202, 2), 2, True),
        (("p1", "p4"), (2, 2), 2, False),  # a hub: each frame arrived at every port
        (("p4",), (2,), 2, False),
        ((), (), 0, False),
    ],
)
def test_a_bridge_that_floods_from_the_begin_has_learned_nothing(
    ports: tuple[str, ...], frames: tuple[int, ...], flooded: int, known: bool
) -> None:
    probes = stream_counters(
        id=1,
        rx_packets=flooded,
        rx_misrouted=sum(frames),
        rx_misrouted_ports=ports,
        rx_misrouted_by_port=frames,
    )
    assert was_known(probes, "p1") is known


@pytest.mark.parametrize(
    ("flooded", "doubted"),
    [(51, False), (26, False), (25, True), (1, True)],
)
def test_a_bridge_that_floods_a_few_frames_has_not_forgotten_the_address(flooded: int, doubted: bool) -> None:
    """Half a second at 100 frames/s: of 51 frames since the first flooded one most have to be flooded."""
    probes = stream_counters(id=1, rx_packets=flooded, first_rx_ns=10**9)
    text = flooded_now_and_then(probes, 10**9 + 5 * 10**8, 10**7)
    assert bool(text) is doubted
    assert not doubted or text.startswith(f"{flooded} of 51 frames were flooded from the first one on")
