# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The compiled program on the model: every table takes what the schema says, and gives it back."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

import pytest

from TesterLibrary.errors import TargetError
from TesterLibrary.p4.build import shipped
from TesterLibrary.targets.tofino.entries.entry import Masked, Span, TableEntry, Value
from TesterLibrary.targets.tofino.session.cabling import set_ports_of_model
from TesterLibrary.targets.tofino.session.remote import RemoteSwitch
from TesterLibrary.targets.tofino.session.schema import Field, Schema, Table
from TesterLibrary.targets.tofino.session.switch import Asked, PortSetup
from TesterLibrary.targets.tofino.session.vendor_model import SCOPES

from .running import FRONT, RunningModel

_SCHEMA = Schema.load(shipped("tofino") / "bf-rt.json")
_PATTERN = 0x5A5A_5A5A_5A5A_5A5A_5A5A_5A5A_5A5A_5A5A


def number(field: Field) -> int:
    assert field.bits is not None
    return _PATTERN & ((1 << field.bits) - 1)


def key_value(field: Field) -> Value:
    if field.match == "Ternary":
        assert field.bits is not None
        return Masked(number(field), (1 << field.bits) - 1)
    return Span(0, number(field)) if field.match == "Range" else number(field)


def data_of(fields: Mapping[str, Field]) -> dict[str, Value]:
    return {
        name: number(field)
        for name, field in fields.items()
        if field.bits is not None and field.writable and not name.startswith("$")
    }


def entry(table: Table, action: str | None) -> TableEntry:
    key = {name: key_value(field) for name, field in table.key.items() if name != "$MATCH_PRIORITY"}
    if "$MATCH_PRIORITY" in table.key:
        key["$MATCH_PRIORITY"] = 1
    fields = dict(table.data) | (dict(table.actions[action]) if action else {})
    return TableEntry(table.name, key, action, data_of(fields))


_ENTRIES = [
    entry(table, action)
    for table in _SCHEMA.tables.values()
    if table.written
    for action in (table.actions or {None: {}})
]


@pytest.mark.parametrize("entry", _ENTRIES, ids=lambda entry: f"{entry.table}-{entry.action}")
def test_every_table_gives_back_what_it_was_given(switch: RemoteSwitch, entry: TableEntry) -> None:
    switch.write([entry])
    [reading] = switch.read([Asked(entry.table, entry.key)])
    assert {name: reading[name] for name in entry.data} == dict(entry.data)
    switch.delete([entry])


_REGISTERS = [table for table in _SCHEMA.tables.values() if table.kind == "Register"]


@pytest.mark.parametrize("table", _REGISTERS, ids=lambda table: table.name)
def test_registers_are_written_and_read_from_the_chip(switch: RemoteSwitch, table: Table) -> None:
    place = {"$REGISTER_INDEX": table.size - 1}
    given = data_of(table.data)
    assert given
    switch.clear([table.name])
    first = read(switch, table, place, given)
    switch.write([TableEntry(table.name, place, None, given)])
    pipes = SCOPES.record()[table.name.partition(".")[0]]
    assert read(switch, table, place, given) == {name: [value] * len(pipes) for name, value in given.items()}
    switch.clear([table.name])
    assert read(switch, table, place, given) == first


def read(
    switch: RemoteSwitch, table: Table, place: Mapping[str, Value], names: Iterable[str]
) -> dict[str, object]:
    switch.sync([table.name])
    [reading] = switch.read([Asked(table.name, place)])
    return {name: reading[name] for name in names}


def test_ports_come_up(switch: RemoteSwitch) -> None:
    set_ports_of_model(switch, [PortSetup(port, 10 * 10**9) for port in FRONT.values()])
    deadline = time.monotonic() + 10
    while not all(state.up for state in switch.port_states(list(FRONT.values()))):
        assert time.monotonic() < deadline, switch.port_states(list(FRONT.values()))
        time.sleep(0.1)
    assert {state.device_port for state in switch.changed_ports()} == set(FRONT.values())
    switch.remove_ports(list(FRONT.values()))


@pytest.mark.usefixtures("switch")
def test_one_client_has_the_program(model: RunningModel) -> None:
    second = model.client()
    with pytest.raises(
        TargetError, match=r"another client has the program 'tofino' of the switch: .*; end it"
    ):
        second.bind()
    second.close()


def test_another_program_is_named(model: RunningModel) -> None:
    client = model.client("router")
    with pytest.raises(TargetError, match=r"the switch runs tofino, not 'router'"):
        client.bind()
    client.close()
