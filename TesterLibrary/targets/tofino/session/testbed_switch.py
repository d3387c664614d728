# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The switch of a testbed: its ports, and what they are cabled to."""

from __future__ import annotations

from ....testbeds import RunningTestbed
from ....testbeds.fake_devices import RouterTable, Shaper
from ....testbeds.testbed import CopySpec, SwitchSpec
from ..driver.target import TofinoTarget
from ..path.path_target import PathTarget
from .cabling import MOST_FRAME, Cabling, CopyPort, FrontPort, meter_of
from .fake_process import Cables
from .model_switch import COPY_END, LOOPBACKS, connect_copies
from .opening import open_switch, program_of


def switch_on(running: RunningTestbed, spec: SwitchSpec) -> TofinoTarget | PathTarget:
    """Opens the tester in the switch of a testbed; a fake one, or a model, is cabled to its device.

    Raises:
        PlanError, TargetError: as open_switch.
    """
    testbed = running.testbed
    behind: Shaper | RouterTable | Cables | None = spec.shaper or spec.router
    connectors = [port.interface.removeprefix("front:") for port in testbed.ports]
    copies = _copy_port(spec.copies) if spec.copies else None
    if testbed.dut.is_embedded:  # its interfaces are at the ends of cables
        interfaces = [port.interface.rpartition(":")[2] for port in testbed.ports]
        form = "dev:{0}" if spec.model else "{1}/0"  # the model has device ports 0, 4, 8 and so on
        connectors = [form.format(4 * number, number + 1) for number, _ in enumerate(interfaces)]
        cables = dict(zip(connectors, interfaces, strict=True))
        if spec.model:
            copies = connect_copies(form.format(4 * len(interfaces), 0), running.command_prefix)
            if copies:
                cables[copies.front] = COPY_END
        behind = Cables(cables, running.command_prefix)
    front = tuple(
        FrontPort(port.described_by(b"", MOST_FRAME), connector, port.fec or "none")
        for port, connector in zip(testbed.ports, connectors, strict=True)
    )
    program = program_of(spec.build)
    chip, loops = program.chip, spec.is_started and spec.model and program.internal_pipes
    cabling = Cabling(
        front,
        chip.cpu_port if spec.cpu_port is None else spec.cpu_port,
        spec.loopback_ports or (LOOPBACKS if loops else ()),
        has_transceivers=not spec.model,
        meter=meter_of(chip, spec.clock_mhz, model=spec.model),
        chip=chip,
        copies=copies,
    )
    return open_switch(
        spec.address,
        cabling,
        program=spec.program,
        build=spec.build,
        cpu_interface=spec.cpu_interface,
        behind=behind,
    )


def _copy_port(spec: CopySpec) -> CopyPort:
    front = spec.port.removeprefix("front:")
    return CopyPort.of(front, spec.interface, spec.host, speed_bps=int(spec.speed.bps), fec=spec.fec)
