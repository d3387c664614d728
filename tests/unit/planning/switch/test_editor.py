# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.model.headers import FieldType, HeaderType
from TesterLibrary.model.plan.edit import (
    Distribution,
    PlannedEditor,
    RandomBits,
    RandomRange,
    Source,
    Step,
    Values,
)
from TesterLibrary.planning.switch.editor import Listed, SwitchEditor, own_fields, switch_editors

_BITS = {"IP.src": 32, "TCP.seq": 32, "MPLS.label": 32, "MPLS.cos": 32, "MPLS.ttl": 32}


def planned(name: str, source: Source, every: int = 1) -> PlannedEditor:
    return PlannedEditor(name, 0, _BITS.get(name, 16), every, source)


class Unit:
    """Does what a unit of the switch does: one addition or one subtraction a packet, of 32 bits."""

    def __init__(self, editor: SwitchEditor, random: Random) -> None:
        self.editor, self.random, self.number = editor, random, editor.start

    @property
    def value(self) -> int:
        listed = [item.value for item in self.editor.listed if item.first <= self.number <= item.last]
        assert len(listed) == (1 if self.editor.listed else 0)
        top = (1 << _BITS.get(self.editor.field, 16)) - 1
        return listed[0] if listed else self.editor.base + self.number & top

    def move(self) -> bool:
        """Whether it wrapped."""
        step = self.editor.step
        if self.editor.random:
            step &= self.random.getrandbits(32)
        limit = self.editor.bound - step
        wraps = self.number >= limit
        self.number += -limit if wraps else step
        assert 0 <= self.number < self.editor.bound <= 1 << 32
        return wraps


def packets(editors: Sequence[SwitchEditor], seed: int = 1) -> Iterator[tuple[int, ...]]:
    units = [Unit(editor, Random(seed + number)) for number, editor in enumerate(editors)]
    while True:
        yield tuple(unit.value for unit in units)
        wrapped = units[0].move()
        for unit in units[1:]:
            if wrapped or not unit.editor.cascaded:
                unit.move()


def first(editors: Sequence[PlannedEditor], count: int) -> list[tuple[int, ...]]:
    found = packets(switch_editors(editors))
    return [next(found) for _ in range(count)]


@given(
    start=st.integers(0, (1 << 32) - 1),
    increment=st.integers(-50_000, 50_000).filter(bool),
    count=st.integers(1, 60),
)
def test_a_step_gives_the_same_values_as_the_plan(start: int, increment: int, count: int) -> None:
    editor = planned("IP.src", Step(start, increment, count))
    assert first([editor], 150) == [(editor.value(frame),) for frame in range(150)]


@given(st.lists(st.integers(0, 0xFFFF), min_size=1, max_size=40))
def test_a_list_gives_the_same_values_as_the_plan(values: list[int]) -> None:
    editor = planned("UDP.dport", Values(tuple(values)))
    assert first([editor], 100) == [(editor.value(frame),) for frame in range(100)]


@given(count=st.integers(2, 20), other=st.integers(1, 20))
def test_in_a_cascade_the_second_moves_when_the_first_wraps(count: int, other: int) -> None:
    fast, slow = (
        planned("IP.src", Step(7, 3, count)),
        planned("UDP.sport", Step(9, -1, other), every=count),
    )
    expected = [(fast.value(frame), slow.value(frame)) for frame in range(200)]
    assert first([slow, fast], 200) == expected


def test_a_random_range_is_whole_even_and_never_left() -> None:
    """Norma figure 13: ports at random from 1,000 numbers, each about 0.1 % of 100,000 packets."""
    (editor,) = switch_editors([planned("UDP.sport", RandomRange(1, 2000, 1000))])
    assert (editor.step, editor.bound) == (511, 1000)  # 9 random bits: 2^9 <= 1000
    found = packets([editor])
    counts = Counter(next(found)[0] for _ in range(100_000))
    assert counts.keys() == set(range(2000, 3000))
    assert 50 < min(counts.values()) < max(counts.values()) < 160


def test_random_bits_leave_the_others_as_they_are() -> None:
    (editor,) = switch_editors([planned("IP.src", RandomBits(1, 0x0A0A0A0A, 0xFF00))])
    found = packets([editor])
    values = {next(found)[0] for _ in range(5000)}
    assert values == {0x0A0A000A | middle << 8 for middle in range(256)}


def test_a_number_of_a_vlan_is_looked_up() -> None:
    (editor,) = switch_editors([planned("Dot1Q.vlan", Step(100, 1, 3))])
    assert editor.listed == (Listed(0, 0, 100), Listed(1, 1, 101), Listed(2, 2, 102))
    assert (editor.bound, editor.base) == (3, 0)


def test_of_a_long_field_the_last_bits_are_changed() -> None:
    (editor,) = switch_editors([planned("Ether.src", Step(0x0200_0000_0001, 1, 1000))])
    assert (editor.base, editor.bound, editor.listed) == (1, 1000, ())


def test_a_distribution_is_drawn_with_16_bits() -> None:
    quarter = (1 << 62) - 1
    source = Distribution(1, (80, 443), (quarter, (1 << 64) - 1))
    (editor,) = switch_editors([planned("TCP.dport", source)])
    assert editor.listed == (Listed(0, 16383, 80), Listed(16384, 65535, 443))
    assert editor.error == 2 / 65536
    found = packets([editor])
    assert Counter(next(found)[0] for _ in range(10_000))[80] == pytest.approx(2500, abs=200)


LABEL = bytes(14) + bytes.fromhex("0004db09")  # 77, class 5, at the bottom, TTL 9


@pytest.mark.parametrize(
    ("field", "offset", "bits", "source"),
    [
        ("label", 112, 20, Step(1048574, 1, 4)),
        ("label", 112, 20, Step(3, -2, 4)),
        ("label", 112, 20, Values((16, 1048575, 3))),
        ("cos", 132, 3, Step(1, 1, 7)),
        ("cos", 132, 3, Step(6, 1, 4)),
        ("ttl", 136, 8, Step(254, 1, 4)),
        ("ttl", 136, 8, Step(3, -2, 4)),
        ("ttl", 136, 8, Values((255, 1))),
    ],
)
def test_a_field_of_a_label_leaves_the_others_as_they_are(
    field: str, offset: int, bits: int, source: Source
) -> None:
    (editor,) = switch_editors([PlannedEditor(f"MPLS.{field}", offset, bits, 1, source)], frame=LABEL)
    unit, behind = Unit(editor, Random(1)), 144 - offset - bits
    for frame in range(9):
        others = int.from_bytes(LABEL[14:], "big") & ~((1 << bits) - 1 << behind)
        assert unit.value == others | (source.value(frame) & (1 << bits) - 1) << behind
        unit.move()


@pytest.mark.parametrize("source", [RandomBits(1, 0, 0xFFFFF), RandomRange(1, 16, 1000)])
def test_random_labels_leave_the_rest_of_the_entry(source: Source) -> None:
    (editor,) = switch_editors([PlannedEditor("MPLS.label", 112, 20, 1, source)], frame=LABEL)
    found = [value for (value,) in islice(packets([editor]), 500)]
    assert {value & 0xFFF for value in found} == {int.from_bytes(LABEL[14:], "big") & 0xFFF}
    labels = {value >> 12 for value in found}
    assert len(labels) > 100
    if isinstance(source, RandomRange):
        assert labels <= set(range(16, 1016))


FIRST, SECOND, LAST = (
    planned("IP.src", Step(0, 1, 2)),
    planned("IP.dst", Step(0, 1, 3), every=2),
    planned("UDP.dport", Step(0, 1, 5), every=6),
)


@pytest.mark.parametrize(
    ("editors", "order"),
    [
        ((LAST, SECOND, FIRST), "IP.src IP.dst+ UDP.dport+"),
        ((planned("UDP.sport", Step(0, 1, 7)), SECOND, FIRST), "UDP.sport IP.src IP.dst+"),
        ((FIRST, planned("UDP.sport", Step(0, 1, 7)), SECOND), "IP.src IP.dst+ UDP.sport"),
        (
            (FIRST, replace(SECOND, every=1), planned("UDP.dport", Step(0, 1, 5), every=3)),
            "IP.src IP.dst UDP.dport+",
        ),
    ],
)
def test_a_field_that_stays_is_behind_the_one_that_it_waits_for(
    editors: Sequence[PlannedEditor], order: str
) -> None:
    found = switch_editors(editors, units=3)
    assert " ".join(f"{editor.field}{'+' * editor.cascaded}" for editor in found) == order


def test_two_fields_do_not_wait_for_the_same_one() -> None:
    with pytest.raises(
        PlanError, match=r"UDP.dport: a value stays for 2 frames; .* the field before it begins anew"
    ):
        switch_editors([FIRST, SECOND, replace(LAST, every=2)], units=3)


@pytest.mark.parametrize(
    ("editors", "problem"),
    [
        (
            [planned(name, Step(0, 1, 4)) for name in ("IP.src", "IP.dst", "UDP.sport")],
            r"3 fields change \(IP.src, IP.dst, UDP.sport\); a switch changes 2",
        ),
        (
            [planned("IP.id", Step(0, 1, 4))],
            r"IP.id: a switch does not edit it; it edits Ether.dst, Ether.src, VLAN.vlan, ",
        ),
        (
            [PlannedEditor("MPLS.ttl", 136, 8, 1, Step(0, 1, 5000))],
            r"MPLS.ttl: it begins anew within 5,000 values; a switch has a list of 4,096 for that",
        ),
        (
            [planned("Ether.src", Step((1 << 33) - 2, 1, 4))],
            r"Ether.src: its values differ before the last 32 bits",
        ),
        (
            [planned("IPv6.dst", RandomBits(1, 0, 1 << 32))],
            r"IPv6.dst: its values differ before the last 32 bits",
        ),
        (
            [planned("Dot1Q.vlan", Step(0, 2, 4000))],
            r"Dot1Q.vlan: its numbers go up to 8,000; a switch has a list of 4,096",
        ),
        (
            [planned("IP.src", Step(0, 1, 4), every=2)],
            r"IP.src: a value stays for 2 frames; on a switch",
        ),
        (
            [planned("IP.src", Step(0, 1 << 20, 1 << 20))],
            r"IP.src: its numbers go up to .* less than 2\^32",
        ),
        ([planned("IP.src", RandomBits(1, 0, 0x5))], r"IP.src: random bits 0x5 are not adjacent"),
        ([planned("UDP.sport", Values((1, 2) * 2500))], r"lists of 5,000 values; .* room for 4,096"),
    ],
)
def test_what_a_switch_cannot_change_is_refused(editors: list[PlannedEditor], problem: str) -> None:
    with pytest.raises(PlanError, match=problem):
        switch_editors(editors)


def test_fields_of_own_headers_are_changed_if_they_are_as_wide_as_an_operation() -> None:
    types = [HeaderType("Tag", (FieldType("kind", 4), FieldType("id", 12), FieldType("next", 16)))]
    (editor,) = switch_editors([planned("Tag.next", Step(5, 1, 4))], own_fields(types))
    assert (editor.field, editor.base, editor.bound) == ("Tag.next", 5, 4)
    with pytest.raises(PlanError, match=r"Tag\.id: a switch does not edit it; .*, Tag\.next"):
        switch_editors([planned("Tag.id", Step(0, 1, 4))], own_fields(types))
