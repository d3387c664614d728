# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The entries for a stream's rate and editors: accepted by the switch's schema, and right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import islice
from random import Random
from typing import Any

import pytest

from TesterLibrary.model.headers import FieldType, HeaderType
from TesterLibrary.model.pattern import Stage
from TesterLibrary.model.plan.edit import Distribution, PlannedEditor, RandomRange, Source, Step, Values
from TesterLibrary.p4.build import shipped
from TesterLibrary.p4.own_headers import own_headers
from TesterLibrary.planning.switch.chip import TOFINO
from TesterLibrary.planning.switch.editor import own_fields, switch_editors
from TesterLibrary.planning.switch.meter import TofinoMeter
from TesterLibrary.planning.switch.staging import stage
from TesterLibrary.targets.tofino.entries.editor import editor_entries
from TesterLibrary.targets.tofino.entries.entry import Span, TableEntry
from TesterLibrary.targets.tofino.entries.rate import meter_entry, unit_entries
from TesterLibrary.targets.tofino.session.cabling import meter_of
from TesterLibrary.targets.tofino.session.schema import Schema
from TesterLibrary.targets.tofino.session.tables import Tables

SCHEMAS = [Schema.load(shipped(name) / "bf-rt.json") for name in ("tofino", "tofino2")]
TEMPLATE = 5
REGISTERS = ("values", "values_again")
WORD = (1 << 32) - 1


def accepted(schema: Schema, entries: Iterable[TableEntry]) -> dict[str, Any]:
    """Entries by their tables, once a switch holds them all; of several in a table the last."""
    tables = Tables(schema)
    batch = list(entries)
    tables.write(batch)
    assert sum(len(tables.entries(name)) for name in {entry.table for entry in batch}) == len(batch)
    return {entry.table.removeprefix("internal.InternalIngress."): entry for entry in batch}


def unit(found: dict[str, Any], name: str) -> Iterator[bool]:
    """The ticks that a unit passes, as p4/controls/rate.p4 counts them."""
    data = found[f"rate.{name}.stages"].data
    tick = found[f"rate.{name}.ticks"].data[f"InternalIngress.rate.{name}.ticks.f1"]
    while True:
        yield tick < data["stage_passes"]
        tick = 0 if tick >= data["stage_last"] else tick + 1


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_rate_is_a_meter_and_units(schema: Schema) -> None:
    staging = stage(Fraction(10_000), TofinoMeter(), pattern=[Stage(4, 6)])
    found = accepted(
        schema, [meter_entry(TEMPLATE, staging, TofinoMeter()), *unit_entries(TEMPLATE, staging)]
    )
    pps = found["rate.meter"].data["$METER_SPEC_CIR_PPS"]
    assert pps - 1 < staging.meter_rate <= pps
    correction = staging.stages[0]
    assert sum(islice(unit(found, "correction"), correction.period)) == correction.passes
    assert list(islice(unit(found, "pattern"), 12)) == [True] * 4 + [False] * 6 + [True] * 2
    assert "rate.outer_pattern.stages" not in found


def written(pps: int, burst: int, meter: TofinoMeter) -> Fraction:
    """The chip's rate, by what the vendor's daemon makes of one that is asked: mantissa / 2^exponent."""
    cycles = Fraction(pps) / (meter.daemon_clock or meter.clock)
    exponent = 0
    while cycles * 2 <= min(511, burst) and exponent < 27:
        cycles, exponent = cycles * 2, exponent + 1
    return int(cycles) * meter.clock / 2**exponent


@pytest.mark.parametrize("pps", [1, 200, 9_999, 10**6, 148_809_523])
@pytest.mark.parametrize(("clock_mhz", "model"), [(None, False), (1220, False), (None, True)])
def test_the_bucket_of_a_meter_is_large_enough_for_its_rate_to_be_written(
    pps: int, clock_mhz: int | None, model: bool
) -> None:
    meter = meter_of(TOFINO, clock_mhz, model=model)
    staging = stage(Fraction(pps), meter)
    entry = meter_entry(TEMPLATE, staging, meter)
    asked, burst = (int(str(entry.data[f"$METER_SPEC_{name}"])) for name in ("CIR_PPS", "CBS_PKTS"))
    assert written(asked, burst, meter) == staging.meter_rate
    assert written(asked, 1, meter) < staging.meter_rate / 2


def planned(name: str, source: Source, every: int = 1, bits: int = 16) -> PlannedEditor:
    return PlannedEditor(name, 0, bits, every, source)


def numbers(batch: Iterable[TableEntry], name: str, random: Random) -> Iterator[tuple[int, bool]]:
    """Numbers of a unit, and whether it wraps then, as p4/controls/editor.p4 does."""
    entries = {entry.table.rpartition("editor.")[2]: entry for entry in batch}
    mode = entries[f"{name}_modes.modes"]
    held = {
        entries[f"{name}.{register}"].data[f"InternalIngress.editor.{name}.{register}.f1"]
        for register in REGISTERS
    }
    (number,) = held
    while True:
        step = random.getrandbits(32) & mode.data["mask"] if "mask" in mode.data else mode.data["by"]
        limit = mode.data["below"] - step & WORD
        wraps = number >= limit
        yield number, wraps
        number = number - limit if wraps else number + step & WORD


def values(batch: list[TableEntry], name: str, random: Random) -> Iterator[int]:
    """Values that a unit writes to its field when it moves with every packet."""
    field = f"internal.InternalIngress.editor.{name}_field"
    (base,) = (entry.data["base"] for entry in batch if entry.table == f"{field}.fields")
    listed = {
        e.key["number"]: e.data["own"] for e in batch if e.table in (f"{field}.values", f"{field}.quantiles")
    }
    for number, _ in numbers(batch, name, random):
        spans = [
            value for at, value in listed.items() if isinstance(at, Span) and at.first <= number <= at.last
        ]
        yield base + (spans[0] if spans else listed.get(number, number))


@pytest.mark.parametrize("schema", SCHEMAS)
@pytest.mark.parametrize(
    ("name", "source", "first"),
    [
        ("UDP.sport", Step(2000, 10, 3), [2000, 2010, 2020, 2000]),
        ("TCP.dport", Step(20, -5, 3), [20, 15, 10, 20]),
        ("IP.dst", Values((7, 9, 8)), [7, 9, 8, 7]),
    ],
)
def test_fields_change_as_planned(schema: Schema, name: str, source: Source, first: list[int]) -> None:
    batch = list(editor_entries(TEMPLATE, switch_editors([planned(name, source, bits=32)])))
    accepted(schema, batch)
    assert list(islice(values(batch, "first", Random(1)), 4)) == first


@pytest.mark.parametrize("schema", SCHEMAS)
def test_random_numbers_stay_in_their_range_and_reach_all_of_it(schema: Schema) -> None:
    batch = list(editor_entries(TEMPLATE, switch_editors([planned("UDP.sport", RandomRange(1, 2000, 1000))])))
    accepted(schema, batch)
    assert set(islice(values(batch, "first", Random(1)), 20_000)) == set(range(2000, 3000))


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_distribution_is_drawn_by_its_quantiles(schema: Schema) -> None:
    quarter = (1 << 62) - 1
    source = Distribution(1, (80, 443), (quarter, (1 << 64) - 1))
    batch = list(editor_entries(TEMPLATE, switch_editors([planned("TCP.dport", source)])))
    accepted(schema, batch)
    drawn = list(islice(values(batch, "first", Random(1)), 10_000))
    assert drawn.count(80) + drawn.count(443) == 10_000
    assert drawn.count(80) == pytest.approx(2500, abs=200)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_the_second_unit_of_a_cascade_is_told_to_wait(schema: Schema) -> None:
    editors = [
        planned("IP.src", Step(1, 1, 4), bits=32),
        planned("IP.dst", Step(5, 1, 2), every=4, bits=32),
    ]
    found = accepted(schema, editor_entries(TEMPLATE, switch_editors(editors)))
    assert found["editor.cascades"].key == {"template": TEMPLATE}
    assert found["editor.second_field.fields"].action == "InternalIngress.editor.second_field.ipv4_dst"


def test_a_field_of_an_own_header_is_called_as_the_generated_program_calls_it() -> None:
    header = HeaderType("FabricTag", (FieldType("next", 16),))
    batch = list(
        editor_entries(
            TEMPLATE, switch_editors([planned("FabricTag.next", Step(0, 1, 4))], own_fields([header]))
        )
    )
    action = next(entry.action for entry in batch if entry.table.endswith("first_field.fields"))
    assert action is not None
    assert f"action {action.rpartition('.')[2]}(bit<16> base)" in own_headers([header])
