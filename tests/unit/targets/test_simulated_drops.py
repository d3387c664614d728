# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Planted defects of simulated devices: each condition drops the frames that it names, and no others."""

from __future__ import annotations

from typing import Any

import pytest

from TesterLibrary.model.departures import Messages, PacketTrain
from TesterLibrary.model.editor import Editor, FieldPath, Sweep
from TesterLibrary.model.units.units import Duration
from TesterLibrary.testbeds.simulated import SimulatedDevice

from .test_simulated import SimulatedRig, lost


def dropped(rule: dict[str, Any], frames: int = 100, rate: str = "10 kpps", **stream: Any) -> int:
    rig = SimulatedRig(drops=[rule])
    rig.load(rig.plan("north", rate=rate, **stream))
    return lost(rig.sent(packets=frames))


SWEPT = {"editors": (Editor(FieldPath.parse("UDP.dport"), Sweep("1000", "1009")),)}


@pytest.mark.parametrize(
    ("rule", "stream", "frames"),
    [
        ({"size": "64"}, {}, 100),
        ({"size": "65-1518"}, {}, 0),
        ({"size": "128, 1024-1279"}, {"frame_size": 128}, 100),
        ({"size": "128, 1024-1279"}, {"frame_size": 1279}, 100),
        ({"size": "128, 1024-1279"}, {"frame_size": 1280}, 0),
        ({"field": "UDP.dport", "values": "1003"}, SWEPT, 10),
        ({"field": "UDP.dport", "values": "1002-1004, 1009"}, SWEPT, 40),
        ({"field": "UDP.dport", "bits": "0x1/0x1"}, SWEPT, 50),
        ({"field": "UDP.dport", "remainder": "0/5"}, SWEPT, 20),
        ({"field": "IP.tos", "values": 0}, {}, 100),
        ({"field": "TCP.dport", "values": 80}, {}, 0),
        ({"from": "p1"}, {}, 100),
        ({"from": "p2"}, {}, 0),
        ({"each": 7}, {}, 14),
        ({"first": 12}, {}, 12),
        ({"each": 2, "field": "UDP.dport", "values": "1000-1004"}, SWEPT, 25),
    ],
)
def test_conditions_on_frames(rule: dict[str, Any], stream: dict[str, Any], frames: int) -> None:
    assert dropped(rule, **stream) == frames


def test_a_rate() -> None:
    assert dropped({"above": "10 kpps"}, 1000) == 0
    assert dropped({"above": "5 kpps"}, 1000) == pytest.approx(500, abs=2)


def test_a_burst() -> None:
    trains = Messages((PacketTrain(packets=30, pause=Duration(10**6)),))
    assert dropped({"burst": 30}, 90, shaping=trains) == 0
    assert dropped({"burst": 28}, 90, shaping=trains) == 6


def test_the_first_frames_after_each_pause() -> None:
    rig = SimulatedRig(drops=[{"first": 5, "idle": "50 ms"}])
    rig.load(rig.plan("north", rate="10 kpps"))
    for pause, missing in ((0, 5), (0.2, 5)):
        rig.pass_time(pause)
        assert lost(rig.sent(packets=100)) == missing


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({}, "give conditions, such as size: 1024-1279"),
        ({"sizes": 64}, "'sizes' is no condition; give size, field"),
        ({"size": "1279-1024"}, "a range begins with its lower end"),
        ({"size": "long"}, "'long' is no number"),
        ({"field": "UDP.dport"}, "give field together with values, bits or remainder"),
        ({"values": "53"}, "give field together with values, bits or remainder"),
        ({"field": "UDP.dport", "bits": "1"}, "give two numbers, as 0x01/0x03"),
        ({"above": "5 Mbps"}, "give frames each second, such as 6 kpps"),
    ],
)
def test_rules_that_make_no_sense(rule: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SimulatedDevice.of({"drops": [rule]})
