# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The fake's device damages frames, and the fake counts them as an engine does."""

from __future__ import annotations

import pytest

from TesterLibrary.measurement.snapshot import PortCounters, StreamCounters
from TesterLibrary.model.units.units import Ratio
from TesterLibrary.targets.fake import FakeDamage, FakeDevice, FakePath, FakeTarget
from tests.contract.rig import PATIENCE, Rig


def run(loss: str = "0", **parts: str) -> tuple[StreamCounters, PortCounters]:
    damage = FakeDamage(**{name: Ratio.parse(part) for name, part in parts.items()})
    path = FakePath(damage=damage, loss=Ratio.parse(loss))
    target = FakeTarget(device=FakeDevice(path=path))
    rig = Rig(target)
    rig.load(rig.plan("north"))
    target.start(["north"], packets=4000)
    target.wait(["north"], timeout=PATIENCE)
    snapshot = target.snapshot()
    return snapshot.streams[0], snapshot.port("p2")


@pytest.mark.parametrize("kind", ["corrupted", "wrong_length", "fragments", "wrong_headers"])
def test_damaged_frames_are_lost(kind: str) -> None:
    counted, port = run(**{kind: "25 %"})
    names = ("corrupted", "wrong_length", "fragments", "wrong_headers")
    damaged = {name: getattr(counted, f"rx_{name}") for name in names}
    assert damaged == {**dict.fromkeys(names, 0), kind: 1000}
    assert counted.rx_wrong_header_parts == (("UDP checksum",) if kind == "wrong_headers" else ())
    assert (counted.tx_packets, counted.rx_packets, counted.order.duplicated) == (4000, 3000, 0)
    pieces = damaged["fragments"]
    assert port.rx_packets == 4000 + pieces
    assert (port.rx_foreign, port.rx_fragments) == (pieces, pieces)


def test_all_frames_may_be_in_pieces() -> None:
    counted, _ = run(fragments="100 %")
    assert (counted.rx_packets, counted.rx_fragments) == (0, 4000)


def test_loss_and_damage_add_up() -> None:
    counted, _ = run(loss="50 %", corrupted="10 %", wrong_length="10 %")
    assert counted.rx_packets == 1600
    assert (counted.rx_corrupted, counted.rx_wrong_length) == (200, 200)


def test_duplicates_hide_no_loss() -> None:
    counted, _ = run(loss="50 %", duplicated="100 %")
    assert (counted.rx_packets, counted.order.duplicated) == (4000, 2000)
    assert counted.latency.count == 4000
