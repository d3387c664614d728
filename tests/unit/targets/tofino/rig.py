# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A fake switch with the shipped program, its clock, and what tests give it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from TesterLibrary.model.ports import Port
from TesterLibrary.model.units.units import Bandwidth, Duration
from TesterLibrary.p4.build import shipped
from TesterLibrary.targets.tofino.entries.entry import TableEntry
from TesterLibrary.targets.tofino.fake import FakeDaemon, FakeSwitch
from TesterLibrary.targets.tofino.session.cabling import Cabling, FrontPort
from TesterLibrary.targets.tofino.session.schema import Schema
from TesterLibrary.targets.tofino.session.session import SwitchSession

FOLDER = shipped("tofino")
SCHEMA = Schema.load(FOLDER / "bf-rt.json")
SECOND = Duration(10**9)
LOOPBACKS = (128, 132)
STATIONS = "external.ExternalIngress.forwarding.stations"
VERSIONS = "external.ExternalEgress.version.versions"


@dataclass
class Clock:
    """The clock of a fake switch; waiting takes no time."""

    now_ns: int = 10**9

    def sleep(self, seconds: float) -> None:
        self.now_ns += int(seconds * 10**9)


def cabling(**changes: Any) -> Cabling:
    front = tuple(
        FrontPort(Port(name, Bandwidth(10**11), bytes([2, 0, 0, 0, 0, number]), 9216), f"{number}/0")
        for number, name in enumerate(("p1", "p2"), 1)
    )
    return Cabling(**{"front": front, "loopbacks": LOOPBACKS, **changes})


class Bench:
    """A daemon and a session on it."""

    def __init__(self, *, program: str = "tester", **given: Any) -> None:
        self.clock = Clock()
        self.daemon = FakeDaemon(FOLDER, lambda: self.clock.now_ns, **given)
        self.program = program

    def session(self, **changes: Any) -> SwitchSession:
        return SwitchSession(
            lambda: FakeSwitch(self.daemon, program=self.program),
            SCHEMA,
            cabling(**changes),
            patience=SECOND,
            sleep=self.clock.sleep,
        )

    def entries(self, table: str) -> list[TableEntry]:
        """The entries that the switch itself has."""
        return self.daemon.running.store.entries(table)


def version(stream: int, value: int = 0) -> TableEntry:
    return TableEntry(VERSIONS, {"stream": stream}, "ExternalEgress.version.measure", {"own": value})


def station(port: int, priority: int = 0) -> TableEntry:
    key = {"ether_type": port, "$MATCH_PRIORITY": priority}
    return TableEntry(STATIONS, key, "ExternalIngress.forwarding.send", {"port": port % 512})
