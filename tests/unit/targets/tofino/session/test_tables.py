# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Writes to the tables of the shipped program, by the schema that the compiler wrote."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.p4.build import shipped
from TesterLibrary.targets.tofino.entries.entry import Masked, Span, TableEntry, Value
from TesterLibrary.targets.tofino.session.schema import Schema
from TesterLibrary.targets.tofino.session.tables import Tables

SCHEMA = Schema.load(shipped("tofino") / "bf-rt.json")
UNIT = "internal.InternalIngress.rate.pattern.stages"
TICKS = "internal.InternalIngress.rate.pattern.ticks"
CLASSES = "external.ExternalIngress.classifier.classes"
QUANTILES = "internal.InternalIngress.editor.first_field.quantiles"
STAGE = "InternalIngress.rate.pattern.stage"
UNSIGNED = "ExternalIngress.classifier.unsigned"


def unit(template: Value, passes: int = 1000, last: int = 2499) -> TableEntry:
    return TableEntry(UNIT, {"template": template}, STAGE, {"stage_passes": passes, "stage_last": last})


def test_what_is_written_is_held_and_changed_by_its_key() -> None:
    tables = Tables(SCHEMA)
    tables.write([unit(1), unit(2)])
    tables.write([unit(1, 4, 9)])
    assert tables.entries(UNIT) == [unit(1, 4, 9), unit(2)]
    tables.remove([unit(1)])
    assert tables.entries(UNIT) == [unit(2)]


def test_ternary_keys_and_ranges_can_be_left_out() -> None:
    tables = Tables(SCHEMA)
    tables.write(
        [
            TableEntry(
                CLASSES,
                {"ipv4_src": Masked(0xC6120000, 0xFFFE0000), "$MATCH_PRIORITY": 1},
                UNSIGNED,
                {"stream": 7},
            ),
            TableEntry(
                QUANTILES,
                {"template": 1, "number": Span(0, 99), "$MATCH_PRIORITY": 0},
                "InternalIngress.editor.first_field.value",
                {"own": 80},
            ),
            TableEntry(TICKS, {"$REGISTER_INDEX": 1}, None, {"InternalIngress.rate.pattern.ticks.f1": 0}),
        ]
    )
    assert [len(tables.entries(name)) for name in (CLASSES, QUANTILES, TICKS)] == [1, 1, 1]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (TableEntry("internal.InternalIngress.rate.pattern.stage", {}), "there is no table .*did you mean"),
        (TableEntry(UNIT, {}, STAGE, {"stage_passes": 1, "stage_last": 1}), "the key template is missing"),
        (TableEntry(UNIT, {"stream": 1}, STAGE), "there is no key 'stream'; there are template"),
        (unit(256), "template: 256 does not fit 8 bits"),
        (unit(-1), "template: -1 does not fit 8 bits"),
        (unit("one"), "template: 'one' instead of a number of 8 bits"),
        (unit(Masked(1, 1)), "template: 0x1 under 0x1 for a key that matches exact"),
        (unit(1, last=1 << 32), "stage_last: 4294967296 does not fit 32 bits"),
        (TableEntry(UNIT, {"template": 1}, STAGE, {"stage_passes": 1}), "stage_last is missing"),
        (TableEntry(UNIT, {"template": 1}), f"an action is missing; these are: {STAGE}"),
        (TableEntry(UNIT, {"template": 1}, "NoAction"), "there is no action 'NoAction'"),
        (
            TableEntry(CLASSES, {"$MATCH_PRIORITY": 1}, "NoAction"),
            "there is no action 'NoAction'",  # of the default entry only
        ),
        (
            TableEntry(
                CLASSES, {"vlan": Masked(0x1000, 0x1FFF), "$MATCH_PRIORITY": 1}, UNSIGNED, {"stream": 1}
            ),
            "vlan: 4096 does not fit 12 bits",
        ),
        (
            TableEntry(CLASSES, {"vlan": Masked(3, 1), "$MATCH_PRIORITY": 1}, UNSIGNED, {"stream": 1}),
            "vlan: 0x3 has bits outside its mask 0x1",
        ),
        (
            TableEntry(
                QUANTILES,
                {"template": 1, "number": Span(9, 1), "$MATCH_PRIORITY": 0},
                "InternalIngress.editor.first_field.value",
                {"own": 80},
            ),
            r"number\S*: from 9 to 1 is no range",
        ),
        (TableEntry(TICKS, {"$REGISTER_INDEX": 1}, STAGE), "it has no actions; leave the action '.*' out"),
    ],
)
def test_what_a_table_cannot_hold_is_refused(entry: TableEntry, said: str) -> None:
    tables = Tables(SCHEMA)
    with pytest.raises(PlanError, match=said):
        tables.write([unit(3), entry])
    assert tables.entries(UNIT) == []


def test_a_table_that_is_full_in_the_middle_leaves_nothing_behind() -> None:
    size = SCHEMA[UNIT].size
    tables = Tables(SCHEMA)
    registers = TableEntry(TICKS, {"$REGISTER_INDEX": 1}, None, {"InternalIngress.rate.pattern.ticks.f1": 0})
    tables.write(unit(number) for number in range(size))
    smaller = Schema({**SCHEMA.tables, UNIT: replace(SCHEMA[UNIT], size=size - 1)})
    tables = Tables(smaller)
    with pytest.raises(PlanError, match=rf"{UNIT} is full: {size - 1} entries are the most"):
        tables.write([registers, *(unit(number) for number in range(size))])
    assert (tables.entries(UNIT), tables.entries(TICKS)) == ([], [])


def test_an_entry_that_is_not_there_is_not_removed_and_nothing_else_either() -> None:
    tables = Tables(SCHEMA)
    tables.write([unit(1)])
    with pytest.raises(PlanError, match="has no entry with template 2"):
        tables.remove([unit(1), unit(2)])
    assert tables.entries(UNIT) == [unit(1)]


@pytest.mark.parametrize("text", ["", "[]", '{"tables": [{"name": "x"}]}'])
def test_a_file_that_is_no_schema_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bf-rt.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PlanError, match=r"bf-rt\.json is no schema of a program"):
        Schema.load(path)


@pytest.mark.parametrize("profile", ["tofino", "tofino2"])
def test_every_shipped_table_is_read(profile: str) -> None:
    path = shipped(profile) / "bf-rt.json"
    names = {table["name"] for table in json.loads(path.read_text(encoding="utf-8"))["tables"]}
    assert set(Schema.load(path).tables) == names
