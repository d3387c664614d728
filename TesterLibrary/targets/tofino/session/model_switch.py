# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A switch that is the vendor's model of a chip, started for a testbed and cabled to its device."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from ipaddress import IPv4Interface
from pathlib import Path
from typing import Any

from ....errors import PlanError, TestbedError
from .cabling import CopyPort
from .daemon import configuration, scopes_of
from .fake_process import Cables
from .program import Program
from .remote import RemoteSwitch
from .sde import sde_install, vendor_switch
from .vendor_model import DAEMON, PIPES, VendorModel, missing

LOOPBACKS = (128, 132, 136, 140)  # of pipe 1, which loops as a whole; each takes the daemon most of a second
CPU, CPU_END = "cpu", "chip-cpu"  # both ends of the cable to the port of the chip's CPU
COPY_END = "chip-copies"  # the cable to the port that copies leave by; the other end is where this process is
_COPIES_BPS = 10 * 10**9
MTU = 9500  # templates have a header more than frames


def modelled_switch(folder: Path, program: Program, cables: Cables) -> RemoteSwitch:
    """The vendor's client of a model of its own, which ends with it.

    Args:
        folder: All outputs of the compiler.
        program: What they are of.
        cables: Those of its ports, `dev:0` and the like, to interfaces.

    Raises:
        TestbedError: SDE_INSTALL names no SDE with a model.
        TargetError: The model does not start.
        PlanError: The folder has no binaries that can be loaded.
    """
    install = sde_install()
    if absent := missing(install):
        raise TestbedError(f"the model of the chip: SDE_INSTALL={install}: there is no {', '.join(absent)}")
    loaded = _configuration(folder, program)
    logs = tempfile.TemporaryDirectory(prefix="model-")
    try:
        file = Path(logs.name) / "daemon.conf"
        file.write_text(json.dumps(loaded), encoding="utf-8")
        connect_cpu(cables.prefix)
        ends = {int(port.removeprefix("dev:")): name for port, name in cables.interfaces.items()}
        interfaces = {program.chip.cpu_port: CPU_END, **ends}
        model = VendorModel(install, file, Path(logs.name), interfaces, cables.prefix)
    except BaseException:
        logs.cleanup()
        raise

    def end() -> None:
        model.stop()
        logs.cleanup()

    return vendor_switch(DAEMON, program.profile, CPU, cables.prefix, at_end=end)


def _configuration(folder: Path, program: Program) -> dict[str, Any]:
    """That of the daemon. PlanError: a shipped folder, say, has no binaries."""
    scopes = scopes_of(tuple(program.pipes), (), PIPES)
    found = configuration(folder, program.profile, program.chip.family.lower(), scopes)
    for pipeline in found["p4_devices"][0]["p4_programs"][0]["p4_pipelines"]:
        if not Path(pipeline["config"]).is_file():
            raise PlanError(
                f"the model of the chip runs what the compiler wrote, and there is no {pipeline['config']}: "
                f"`tester p4 build {program.profile}` writes it; name that folder under tester.switch.build"
            )
    return found


def connect_cpu(prefix: Sequence[str] = ()) -> None:
    """Makes the interface that is the port of the chip's CPU. It may be there, of a model before."""
    _delete(CPU_END, prefix)
    _ip(
        prefix,
        f"link add {CPU_END} type veth peer name {CPU}",
        *(f"link set {end} mtu {MTU} up" for end in (CPU_END, CPU)),
        "link set lo up",
    )


def connect_copies(front: str, prefix: Sequence[str] = ()) -> CopyPort | None:
    """Makes the cable of the port that copies leave by, from where the model runs to where this process is.

    Args:
        front: The port, `dev:8` and the like.
        prefix: Words before a command, so that it runs where the model does.

    Returns:
        The port; None for whoever may not make interfaces here, but in a namespace of their own.
    """
    _delete(COPY_END, prefix)
    here, process = f"copies{os.getpid()}", os.getpid()
    # Of each process another network of four addresses, of those that no router forwards (RFC 3927).
    host = IPv4Interface(f"169.254.{64 + process // 64 % 128}.{process % 64 * 4 + 1}/30")
    try:
        _ip(prefix, f"link add {COPY_END} mtu {MTU} type veth peer name {here} mtu {MTU} netns {process}")
        _ip((), f"address add {host} dev {here}", f"link set {here} up")
    except subprocess.CalledProcessError:
        _delete(COPY_END, prefix)
        return None
    _ip(prefix, f"link set {COPY_END} up")
    return CopyPort.of(front, here, host, speed_bps=_COPIES_BPS)


def _delete(interface: str, prefix: Sequence[str]) -> None:
    subprocess.run([*prefix, "ip", "link", "delete", interface], check=False, stderr=subprocess.DEVNULL)


def _ip(prefix: Sequence[str], *lines: str) -> None:
    for line in lines:
        subprocess.run([*prefix, "ip", *line.split()], check=True)
