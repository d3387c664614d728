# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A target compares header fields of all frames, or refuses to by name."""

from __future__ import annotations

from fractions import Fraction

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.snapshot import FieldCounters, FieldExampleCounters
from TesterLibrary.model.editor import Editor, FieldPath, Sweep
from TesterLibrary.model.expected_field import ExpectedField
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.units.units import Ratio
from TesterLibrary.targets.fake import FakeDevice, FakePath, FakeTarget
from TesterLibrary.targets.fake.changes import FakeChange
from TesterLibrary.targets.simulated import SimulatedTarget
from TesterLibrary.testbeds.simulated import SimulatedDevice

from .rig import Rig

TTL = FieldPath("IP", "ttl")
LESS = ExpectedField.of(TTL, "==", "sent - 1")
SAME = ExpectedField.of(TTL, "==", "sent")


@pytest.mark.refused_by(
    "tofino", match=r"stream 'north': IP\.ttl == sent - 1: a switch compares no header fields of all frames"
)
def test_a_target_compares_each_frame_or_refuses_by_name(rig: Rig) -> None:
    plan = rig.load(rig.plan("north", expected_fields=(LESS, SAME)))
    (counted,) = rig.run(["north"], packets=500).streams
    less, same = counted.fields
    example = FieldExampleCounters(500, 64, 64)
    assert less == FieldCounters(str(LESS), compared=500, wrong=500, examples=(example,))
    assert same == FieldCounters(str(SAME), compared=500)
    again = rig.run(["north"], packets=100).streams[0].fields
    assert [field.compared for field in again] == [100, 100]
    with pytest.raises(PlanError, match=r"expected[ _]fields"):
        rig.target.update("north", rig.plan("north", expected_fields=(SAME,)).streams[0])
    assert plan.streams[0].expected_fields[0].bits == 8


def test_a_refused_field_has_changed_nothing(rig: Rig) -> None:
    if not rig.is_switch:
        pytest.skip("it compares fields")
    with pytest.raises(PlanError):
        rig.target.load(rig.plan("north", expected_fields=(LESS,)))
    rig.load(rig.plan("north"))


def test_a_device_of_the_fake_changes_a_part_of_the_frames() -> None:
    change = FakeChange("IP.ttl", -2, Ratio(Fraction(1, 10)))
    rig = Rig(FakeTarget(device=FakeDevice(FakePath(changes=(change,)))))
    rig.load(rig.plan("north", expected_fields=(SAME, ExpectedField.of(TTL, "==", "62 or 64"))))
    same, some = rig.run(["north"], packets=500).streams[0].fields
    assert (same.compared, same.wrong, some.wrong) == (500, 50, 0)
    assert same.examples == (FieldExampleCounters(50, 62, 64),)
    assert 0 <= same.first_sequence < 10


def test_the_fake_compares_no_field_that_changes() -> None:
    rig = Rig(FakeTarget())
    swept = Editor(TTL, Sweep("20", "29"))
    with pytest.raises(PlanError, match=r"north.*a fake tester compares only fields that are the same"):
        rig.target.load(rig.plan("north", expected_fields=(LESS,), editors=(swept,)))


def test_a_simulated_tester_refuses_by_name() -> None:
    rig = Rig(SimulatedTarget(SimulatedDevice.of({})))
    with pytest.raises(PlanError, match=r"a simulated tester compares no header fields of all frames"):
        rig.target.load(rig.plan("north", expected_fields=(LESS,)))


@pytest.mark.parametrize(
    ("field", "changes", "problem"),
    [
        (ExpectedField.of(FieldPath("IPv6", "src"), "==", "sent"), {}, r"no header 'IPv6'"),
        (ExpectedField.of(TTL, "==", "256"), {}, r"stream 'x': '256'"),
        (ExpectedField.of(TTL, "==", "sent"), {"signature": False}, "give signature=True"),
        (
            ExpectedField.of(FieldPath("UDP", "chksum"), "==", "sent"),
            {"editors": (Editor(FieldPath("UDP", "dport"), Sweep("1", "9")),)},
            r"UDP\.chksum holds a checksum that follows other fields",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(
    field: ExpectedField, changes: dict[str, object], problem: str
) -> None:
    rig = Rig(FakeTarget())
    with pytest.raises(PlanError, match=problem):
        rig.plan("x", expected_fields=(field,), **changes)


def test_at_most_eight_fields_of_at_most_48_bits() -> None:
    rig = Rig(FakeTarget())
    nine = tuple(ExpectedField.of(TTL, "==", f"sent + {n}") for n in range(9))
    with pytest.raises(PlanError, match="9 fields are expected; at most 8"):
        rig.plan("x", expected_fields=nine)
    assert len(rig.plan("x", expected_fields=nine[:8]).streams[0].expected_fields) == 8
    field = ExpectedField.of(FieldPath("IPv6", "dst"), "==", "sent")
    with pytest.raises(PlanError, match=r"IPv6\.dst has 128 bits; fields of up to 48 are compared"):
        rig.plan(
            "x", headers=HeaderStack.parse("Ether / IPv6 / UDP"), frame_size=128, expected_fields=(field,)
        )


def test_the_version_bit_keeps_away_from_what_is_expected() -> None:
    rig = Rig(FakeTarget())
    assert rig.plan("x").streams[0].version is not None
    field = ExpectedField.of(FieldPath("IP", "id"), "==", "sent")
    assert rig.plan("x", expected_fields=(field,)).streams[0].version is None
