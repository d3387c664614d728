# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The vendor's model of a chip, slowed down until it keeps the rates that tests ask for.

It carries under 1,000 packets a second. So the driver's clock runs slower, and the meters of its streams.
Counts stay what they are. The chip's own clock does not slow down: what it says of times and delays is
another matter, and tests of those are `timed`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from ipaddress import IPv4Interface
from math import ceil
from typing import Any

from TesterLibrary.model.ports import Port
from TesterLibrary.model.units.units import Bandwidth
from TesterLibrary.p4.build import shipped
from TesterLibrary.planning.switch.chip import TOFINO
from TesterLibrary.running.clock import Clock
from TesterLibrary.targets.tofino.driver.target import TofinoTarget
from TesterLibrary.targets.tofino.entries.entry import TableEntry
from TesterLibrary.targets.tofino.session.cabling import Cabling, FrontPort, meter_of
from TesterLibrary.targets.tofino.session.model_switch import LOOPBACKS
from TesterLibrary.targets.tofino.session.program import SCHEMA, Program
from TesterLibrary.targets.tofino.session.schema import Schema
from TesterLibrary.targets.tofino.session.session import SwitchSession
from TesterLibrary.targets.tofino.session.switch import Switch
from tests.model.running import FRONT, RunningModel

from .rig import Rig

SLOWER = 50
_SPEED = Bandwidth(10**10)  # the least of a Tofino's
_GAPS = ".rate.gaps.quantiles"
_RATES = ("$METER_SPEC_CIR_PPS", "$METER_SPEC_PIR_PPS")


class SlowSwitch:
    """A switch whose meters let through a part of what they are told."""

    def __init__(self, switch: Switch) -> None:
        self._switch = switch

    def __getattr__(self, name: str) -> Any:
        return getattr(self._switch, name)

    def write(self, batch: Sequence[TableEntry]) -> None:
        """See `Switch`."""
        self._switch.write([_slowed(entry) for entry in batch])


class ModelRig(Rig):
    """Its ports p1 and p2 are connected."""

    worn = 1  # the header kind_h (p4/include/headers.p4)

    @property
    def clock(self) -> Clock:
        """See `Rig`."""
        return Clock(lambda seconds: time.sleep(SLOWER * seconds), lambda: time.monotonic_ns() // SLOWER)


@contextmanager
def slow_model(model: RunningModel) -> Iterator[TofinoTarget]:
    """The driver on a model whose ports are connected."""
    built = shipped("tofino")
    session = SwitchSession(lambda: SlowSwitch(model.client()), Schema.load(built / SCHEMA), _cabling())
    with closing(
        TofinoTarget(
            session,
            Program.load(built),
            now_ns=lambda: time.monotonic_ns() // SLOWER,
            sleep=lambda seconds: time.sleep(SLOWER * seconds),
        )
    ) as target:
        yield target


def _slowed(entry: TableEntry) -> TableEntry:
    data = {name: ceil(int(str(value)) / SLOWER) for name, value in entry.data.items() if name in _RATES}
    if entry.table.endswith(_GAPS):  # in nanoseconds of the chip's clock
        data = {name: int(str(value)) * SLOWER for name, value in entry.data.items()}
    return replace(entry, data={**entry.data, **data})


def _cabling() -> Cabling:
    ports = [
        Port(name, _SPEED, bytes((2, 0, 0, 0, 0, n)), 9216, IPv4Interface(f"198.18.0.{n + 1}/24"))
        for n, name in enumerate(("p1", "p2"), 1)
    ]
    front = tuple(FrontPort(port, f"dev:{FRONT[port.name]}") for port in ports)
    meter = meter_of(TOFINO, None, model=True)
    return Cabling(front, loopbacks=LOOPBACKS, has_transceivers=False, meter=meter)
