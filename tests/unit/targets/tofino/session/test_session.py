# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Failures between a driver and its switch, and the state that they leave behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import pytest

from TesterLibrary.errors import PlanError, TargetError
from TesterLibrary.targets.tofino.entries.entry import TableEntry
from TesterLibrary.targets.tofino.fake import FakeSwitch
from TesterLibrary.targets.tofino.neighbours.packets import injected
from TesterLibrary.targets.tofino.reading.end_readings import port_asked
from TesterLibrary.targets.tofino.session.session import SwitchSession
from TesterLibrary.targets.tofino.session.switch import Asked, Reading, SwitchGone

from ..rig import LOOPBACKS, SCHEMA, SECOND, STATIONS, VERSIONS, Bench, cabling, station, version

TICKS = "internal.InternalIngress.rate.pattern.ticks"
FIELD = "InternalIngress.rate.pattern.ticks.f1"


def test_ports_are_up_and_the_program_knows_what_is_behind_them() -> None:
    tester = Bench()
    session = tester.session()
    assert session.numbers == {"p1": 0, "p2": 4}
    assert [state.up for state in session.states] == [True, True]
    ports = tester.daemon.running.ports
    assert {number: port.loopback for number, port in ports.items()} == {
        0: False,
        4: False,
        64: False,
        128: True,
        132: True,
    }
    roles = tester.entries("external.ExternalIngressParser.$PORT_METADATA")
    assert {e.key["ig.ingress_port"]: e.data["role"] for e in roles} == {0: 0, 4: 0, 64: 1}


def test_a_daemon_that_is_not_there_is_named_with_what_to_do() -> None:
    tester = Bench()
    tester.daemon.stop()
    with pytest.raises(SwitchGone, match="start bf_switchd on the switch"):
        tester.session()


def test_a_program_that_another_client_has_is_not_taken() -> None:
    tester = Bench(taken_by=7)
    with pytest.raises(TargetError, match=r"another client has the program 'tester' of the switch: client 7"):
        tester.session()
    assert tester.daemon.taken_by == 7


def test_another_program_is_named() -> None:
    tester = Bench(program="tester2")
    with pytest.raises(
        TargetError, match=r"the switch runs tester, not 'tester2'; .* `tester p4 build` made"
    ):
        tester.session()


def test_a_port_without_a_transceiver_is_named_and_nothing_stays_taken() -> None:
    tester = Bench(empty={4})
    with pytest.raises(TargetError, match=r"no transceiver in port 'p2' \(2/0, device port 4\)"):
        tester.session()
    assert tester.daemon.taken_by is None


def test_a_model_has_no_transceivers() -> None:
    session = Bench(empty={0, 4}).session(has_transceivers=False)
    assert [state.up for state in session.states] == [False, False]


def test_a_connector_that_is_not_there_is_refused() -> None:
    tester = Bench()
    with pytest.raises(PlanError, match="the switch has no port 99/0"):
        tester.session(front=(tester.session().cabling.front[0].at("99/0"),))


def test_a_port_that_loops_has_no_cable() -> None:
    with pytest.raises(PlanError, match="port 'p1': device port 300 is of pipeline 2, whose ports loop"):
        Bench().session(front=(Bench().session().cabling.front[0].at("dev:300"),), loopbacks=(256,))


def test_packets_of_the_cpu_come_by_an_external_pipeline() -> None:
    with pytest.raises(PlanError, match="cpu_port: device port 192 is of pipeline 1, whose ports loop"):
        Bench().session(cpu_port=192)


def test_a_table_full_in_mid_load_is_rolled_back_whole() -> None:
    tester = Bench()
    session = tester.session()
    session.write([station(1)])
    batch = [version(3), *(station(number) for number in range(2, 1026))]
    with pytest.raises(PlanError, match=r"table .*stations is full: 1,024 entries are the most"):
        session.write(batch)
    assert (tester.entries(VERSIONS), tester.entries(STATIONS)) == ([], [station(1)])
    session.write(batch[:-1])
    assert len(tester.entries(STATIONS)) == 1024


def test_a_refusal_of_the_switch_itself_leaves_the_account_as_it_was() -> None:
    tester = Bench()
    session = tester.session()
    tester.daemon.running.store.write(
        [station(number) for number in range(1, 1024)]
    )  # not through the session
    with pytest.raises(PlanError, match="full"):
        session.write([version(3), station(2000), station(2001)])
    assert tester.entries(VERSIONS) == []
    session.write([version(3)])
    session.close()
    assert tester.entries(VERSIONS) == []


class Recorded(FakeSwitch):
    """Remembers what it was asked for."""

    def __init__(self, tester: Bench, most: int = 10**6) -> None:
        super().__init__(tester.daemon)
        self.written: list[list[TableEntry]] = []
        self.copied: list[str] = []
        self.from_chip: list[Asked] = []
        self._left = most

    def write(self, batch: Sequence[TableEntry]) -> None:
        rows = [entry for entry in batch if entry.table == STATIONS]
        if len(rows) > self._left:
            raise PlanError(f"table {STATIONS} is full")
        super().write(batch)
        self._left -= len(rows)
        self.written.append(list(batch))

    def sync(self, tables: Sequence[str]) -> None:
        super().sync(tables)
        self.copied += tables

    def read(self, asked: Sequence[Asked], *, from_chip: bool = False) -> list[Reading]:
        if from_chip:
            self.from_chip += asked
        return super().read(asked, from_chip=from_chip)


def recorded(tester: Bench, **given: int) -> tuple[Recorded, SwitchSession]:
    switch = Recorded(tester, **given)
    session = SwitchSession(lambda: switch, SCHEMA, cabling(), patience=SECOND, sleep=tester.clock.sleep)
    switch.written.clear()
    return switch, session


def test_rows_go_in_by_priority_behind_registers_and_a_part_at_a_time() -> None:
    switch, session = recorded(Bench())
    tick = TableEntry(TICKS, {"$REGISTER_INDEX": 1}, data={FIELD: 7})
    session.write([*(station(number, 2000 - number) for number in range(1, 1001)), tick])
    assert [len(part) for part in switch.written] == [500, 500, 1]
    whole = list(chain.from_iterable(switch.written))
    assert whole[0] == tick
    priorities = [entry.key["$MATCH_PRIORITY"] for entry in whole[1:]]
    assert priorities == list(range(1000, 2000))


def test_what_is_refused_in_a_later_part_leaves_nothing_of_the_earlier_ones() -> None:
    tester = Bench()
    _, session = recorded(tester, most=601)
    changed = replace(station(1), data={"port": 9})
    session.write([station(1), version(3)])
    with pytest.raises(PlanError, match="full"):
        session.write([changed, version(3, 1), *(station(number) for number in range(2, 700))])
    assert (tester.entries(VERSIONS), tester.entries(STATIONS)) == ([version(3)], [station(1)])
    session.write([station(2)])
    session.close()
    assert tester.entries(STATIONS) == []


def test_few_registers_are_read_from_the_chip_and_of_many_the_table_is_copied() -> None:
    switch, session = recorded(Bench())
    session.write([TableEntry(TICKS, {"$REGISTER_INDEX": n}, data={FIELD: n}) for n in range(20)])
    few = [Asked(TICKS, {"$REGISTER_INDEX": 3}), *port_asked(4)]
    assert session.read(few)[0] == {FIELD: [3, 3]}
    assert (switch.copied, switch.from_chip) == ([], few)
    many = [Asked(TICKS, {"$REGISTER_INDEX": number}) for number in range(20)]
    both = [many[0], few[1], *many[1:]]
    assert [reading.get(FIELD) for reading in session.read(both)] == [
        [0, 0],
        None,
        *([n, n] for n in range(1, 20)),
    ]
    assert (switch.copied, switch.from_chip) == ([TICKS], [*few, few[1]])


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        (TableEntry("internal.nothing", {}), "there is no table 'internal.nothing'"),
        (
            TableEntry(VERSIONS, {"stream": 256}, "ExternalEgress.version.measure", {"own": 0}),
            "256 does not fit 8 bits",
        ),
        (TableEntry(VERSIONS, {}, "ExternalEgress.version.measure", {"own": 0}), "the key stream is missing"),
        (TableEntry(VERSIONS, {"stream": 1}, "ExternalEgress.version.measure"), "own is missing"),
        (
            TableEntry(TICKS, {"$REGISTER_INDEX": 256}, data={FIELD: 0}),
            r"there is no index 256; 256 are there",
        ),
    ],
    ids=["unknown table", "wrong width", "missing key", "missing data", "index"],
)
def test_what_the_program_cannot_hold_is_refused(entry: TableEntry, complaint: str) -> None:
    tester = Bench()
    with pytest.raises(PlanError, match=complaint):
        tester.session().write([version(1), entry])
    assert tester.entries(VERSIONS) == []


def test_a_daemon_that_was_restarted_is_taken_again_and_knows_nothing() -> None:
    tester = Bench()
    session = tester.session()
    session.write([version(1)])
    tester.daemon.stop()
    with pytest.raises(SwitchGone):
        session.write([version(2)])
    tester.daemon.start()
    with pytest.raises(SwitchGone, match="was started again"):
        session.write([version(2)])
    session.again()
    assert tester.entries(VERSIONS) == []
    assert set(tester.daemon.running.ports) == {0, 4, 64, *LOOPBACKS}
    session.write([version(2)])
    session.close()
    assert tester.daemon.taken_by is None


def test_it_waits_for_a_daemon_that_is_being_restarted() -> None:
    tester = Bench()
    session = tester.session()
    tester.daemon.stop()
    begin_ns = tester.clock.now_ns
    with pytest.raises(SwitchGone):
        session.again()
    assert tester.clock.now_ns - begin_ns == 10**9


def test_nothing_is_left_behind() -> None:
    tester = Bench()
    session = tester.session()
    session.write([version(1), station(5), TableEntry(TICKS, {"$REGISTER_INDEX": 1}, data={FIELD: 7})])
    session.set_groups({3: [0, 4]})
    session.close()
    running = tester.daemon.running
    left = chain(tester.entries(VERSIONS), tester.entries(STATIONS))
    assert (list(left), running.ports, running.chip.groups, tester.daemon.taken_by) == ([], {}, {}, None)
    roles = tester.entries("external.ExternalIngressParser.$PORT_METADATA")
    assert {entry.data["role"] for entry in roles} == {0}


def test_what_a_killed_driver_left_is_cleared_away() -> None:
    tester = Bench()
    tester.session().write([version(1), station(5)])
    tester.daemon.taken_by = None  # its connection broke
    second = tester.session()
    assert (tester.entries(VERSIONS), tester.entries(STATIONS)) == ([], [])
    second.write([version(1)])


def test_registers_are_read_with_a_number_for_each_pipe() -> None:
    tester = Bench()
    session = tester.session()
    session.write([TableEntry(TICKS, {"$REGISTER_INDEX": 9}, data={FIELD: 5})])
    assert session.read([Asked(TICKS, {"$REGISTER_INDEX": number}) for number in (9, 8)]) == [
        {FIELD: [5, 5]},
        {FIELD: [0, 0]},
    ]


def test_links_that_change_are_told_once() -> None:
    tester = Bench()
    session = tester.session()
    assert [state.device_port for state in session.changed_ports()] == [0, 4, 64, 128, 132]
    assert session.changed_ports() == ()


@pytest.mark.parametrize(("port", "loopbacks"), [(192, (256, 260)), (320, (128, 132))])
def test_the_port_of_a_cpu_is_brought_up_but_for_that_of_pcie(port: int, loopbacks: tuple[int, ...]) -> None:
    tester = Bench()
    session = tester.session(cpu_port=port, loopbacks=loopbacks)
    assert set(tester.daemon.running.ports) == {0, 4, *loopbacks}
    session.close()
    assert not tester.daemon.running.ports


@pytest.mark.parametrize("port", [64, 68, 192])
def test_frames_of_the_driver_leave_when_the_port_of_the_cpu_is_up(port: int) -> None:
    tester = Bench()
    session = tester.session(cpu_port=port, loopbacks=(256, 260))
    frame = bytes(12) + b"\x88\xb5" + bytes(46)
    session.send([injected(frame, session.numbers["p1"])])
    counted = port_asked(session.numbers["p1"])[:2]
    assert sum(int(str(reading["$COUNTER_SPEC_PKTS"])) for reading in session.read(counted)) == 1
    tester.daemon.running.chip.remove_port(64)
    session.send([injected(frame, session.numbers["p1"])])
    left = 1 if port == 64 else 2
    assert sum(int(str(reading["$COUNTER_SPEC_PKTS"])) for reading in session.read(counted)) == left
