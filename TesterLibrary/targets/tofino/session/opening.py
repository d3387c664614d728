# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Opens the tester in a switch: its program, the connection to its daemon, its ports."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ....errors import PlanError
from ....files.paths import data_root
from ....testbeds.fake_devices import RouterTable, Shaper
from ..driver.target import TofinoTarget
from ..path.path_target import PathTarget
from .cabling import Cabling
from .fake_process import Cables, fake_switch
from .model_switch import modelled_switch
from .program import SCHEMA, Program
from .schema import Schema
from .sde import vendor_switch
from .session import SwitchSession
from .switch import Switch

FAKE, MODEL = "fake", "model"


def open_switch(
    address: str,
    cabling: Cabling,
    *,
    program: str,
    build: Path | str,
    cpu_interface: str,
    behind: Shaper | RouterTable | Cables | None = None,
) -> TofinoTarget | PathTarget:
    """Opens the tester in a switch: that of its program.

    Args:
        address: HOST:PORT of its daemon; "fake": a switch that does not exist; "model": the vendor's model.
        cabling: Its ports.
        program: The program's name in the daemon.
        build: The program's outputs: a folder that the compiler wrote, or a shipped profile.
        cpu_interface: This machine's interface to the port of the switch's CPU.
        behind: The limits of the device behind a switch that does not exist, or cables to devices that do,
            which the model of a switch needs; None: it has none.

    Raises:
        PlanError: no such outputs, or a port that the switch has not.
        TargetError: the daemon is not there, another client has it, it runs another program, a port has no
            transceiver.
    """
    folder = built(build)
    compiled = Program.load(folder)
    cabling = replace(cabling, internal_pipes=compiled.internal_pipes, has_cpu=not compiled.has_paths)
    known = {FAKE: "a switch that does not exist", MODEL: "the vendor's model of a switch"}
    details = known.get(address, f"the switch behind {address}")

    def connect() -> Switch:
        if address == FAKE:
            return fake_switch(folder, program, cabling.front, behind, cabling.copies)
        if isinstance(behind, Cables):
            return modelled_switch(folder, compiled, behind)
        return vendor_switch(address, program, cpu_interface)

    session = SwitchSession(connect, Schema.load(folder / SCHEMA), cabling)
    if compiled.has_paths:
        return PathTarget(session, compiled, details=details)
    return TofinoTarget(session, compiled, details=f"{details}, {cabling.cpu_port} is its CPU's port")


def program_of(build: Path | str) -> Program:
    """The program that a compiler's outputs are of. PlanError if there are none."""
    return Program.load(built(build))


def built(build: Path | str) -> Path:
    """The folder of a compiler's outputs. PlanError if there are none."""
    shipped = data_root() / "p4" / "build"
    for folder in (Path(build), shipped / str(build)):
        if (folder / SCHEMA).is_file():
            return folder
    known = ", ".join(sorted(path.name for path in shipped.iterdir()))
    raise PlanError(f"{build} is no folder that `tester p4 build` wrote, and no shipped profile: {known}")
