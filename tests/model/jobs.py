# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Jobs that are loaded into the model's program, without a driver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from ipaddress import ip_interface
from typing import Any, cast

from TesterLibrary.model.job import Job
from TesterLibrary.model.ports import Port
from TesterLibrary.model.responder import Responder
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Bandwidth
from TesterLibrary.p4.build import shipped
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.planning.switch.allocation import LoopbackPort, LoopbackPorts
from TesterLibrary.planning.switch.chip import TOFINO
from TesterLibrary.targets.tofino.driver.building import switch_job
from TesterLibrary.targets.tofino.driver.job import SwitchJob
from TesterLibrary.targets.tofino.driver.loaded import LoadedStream
from TesterLibrary.targets.tofino.entries.entry import TableEntry
from TesterLibrary.targets.tofino.entries.latency import bucket_entries
from TesterLibrary.targets.tofino.entries.misrouted import stream_asked
from TesterLibrary.targets.tofino.reading.resets import Resets
from TesterLibrary.targets.tofino.reading.stream_readings import (
    Closed,
    StreamRegisters,
    asked,
    buckets,
    cells,
    packets_of,
    reached,
    registers,
)
from TesterLibrary.targets.tofino.reading.time_bases import Bases
from TesterLibrary.targets.tofino.session.cabling import set_ports_of_model
from TesterLibrary.targets.tofino.session.ports import SwitchPorts
from TesterLibrary.targets.tofino.session.program import Program
from TesterLibrary.targets.tofino.session.remote import RemoteSwitch
from TesterLibrary.targets.tofino.session.switch import Asked, PortSetup, Reading
from TesterLibrary.targets.tofino.session.vendor_model import SCOPES

from .running import FRONT

_CPU, _LOOPBACK = 1, 2  # role_t of p4/include/types.p4
_ROLES = "external.ExternalIngressParser.$PORT_METADATA"
_BPS = 10**10
MACS = {name: bytes((2, 0, 0, 0, 9, port)) for name, port in FRONT.items()}
PORTS = SwitchPorts(
    front=FRONT,
    loopback={
        LoopbackPort(number, port): TOFINO.device_port(pipe, port)
        for number, pipe in enumerate(SCOPES.internal)
        for port in range(TOFINO.connectors)
    },
    cpu=TOFINO.cpu_port,
    known={
        name: Port(name, Bandwidth(_BPS), MACS[name], 9000, ip_interface(f"198.18.{number}.2/16"))
        for number, name in enumerate(FRONT, start=1)
    },
)
_PROGRAM = Program.load(shipped("tofino"))


def loaded(switch: RemoteSwitch, streams: Sequence[Stream], ends: Sequence[Responder] = ()) -> SwitchJob:
    """Its templates loop, and nothing departs."""
    plan = compile_job(
        Job("job", tuple(streams), ends=tuple(ends)), ports=PORTS.known, gateways={}, max_streams=64
    )
    job = switch_job(plan, PORTS, _PROGRAM, chip=LoopbackPorts(len(SCOPES.internal)))
    front = [PortSetup(port, _BPS) for port in (*FRONT.values(), TOFINO.cpu_port)]
    used = {packet.octets[3] << 8 | packet.octets[4] for packet in job.packets}
    used |= {int(str(e.data["loopback"])) for e in job.entries if "loopback" in e.data}
    used |= {int(str(e.data["write_port"])) for e in job.entries if "write_port" in e.data}
    set_ports_of_model(
        switch, [*front, *(PortSetup(port, 10 * _BPS, loopback=True) for port in sorted(used))]
    )
    roles = [TableEntry(_ROLES, {"ig.ingress_port": TOFINO.cpu_port}, data={"role": _CPU})]
    switch.write([*roles, *bucket_entries(), *job.entries, *job.answering])
    resets = Resets.of([job])
    switch.write(resets.entries)
    if resets.tables:
        switch.clear(resets.tables)
    switch.write(resets.cells)
    switch.set_groups(job.groups)
    return job


def looping(switch: RemoteSwitch, job: SwitchJob) -> None:
    """One template packet each: the model is slow."""
    switch.send([packet.octets for packet in job.packets])


class Synced:
    """Reads as a session does."""

    def __init__(self, switch: RemoteSwitch) -> None:
        self._switch = switch

    def read(self, wanted: Sequence[Asked]) -> list[Reading]:
        """Readings from the chip."""
        self._switch.sync(sorted({one.table for one in wanted}))
        return self._switch.read(wanted)


def read(switch: RemoteSwitch, stream: LoadedStream) -> StreamRegisters:
    """The registers of a stream, from the chip."""
    chip = Synced(switch)
    found = registers(chip.read(asked(stream)))
    (found,) = Bases(cast(Any, chip)).with_bases([stream], [found], [(Closed(), Closed())])
    numbers = reached(stream, found)
    return replace(
        found,
        histogram=buckets(numbers, chip.read(cells(stream, numbers))),
        misrouted=packets_of(chip.read([stream_asked(stream.template)])),
    )


def left(switch: RemoteSwitch, job: SwitchJob) -> None:
    """Nothing of it loops, and its tables are as they were."""
    switch.delete([entry for entry in (*job.entries, *job.answering) if "$METER_INDEX" not in entry.key])
    switch.remove_groups(list(job.groups))
