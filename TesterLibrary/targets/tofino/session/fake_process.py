# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs a fake switch in a separate process, behind the same pipe as a real one."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Interface
from pathlib import Path
from typing import Any

from ....model.ports import Port
from ....testbeds.fake_devices import RouterTable, Shaper
from ....testbeds.python_process import python_command
from .cabling import CopyPort, FrontPort
from .remote import RemoteSwitch


@dataclass(frozen=True)
class Cables:
    """The network interfaces to which the ports of a fake switch lead, by connector."""

    interfaces: Mapping[str, str]
    prefix: Sequence[str] = ()  # words before a command, so that it runs where they are


def fake_switch(
    folder: Path,
    program: str,
    front: Iterable[FrontPort] = (),
    behind: Shaper | RouterTable | Cables | None = None,
    copies: CopyPort | None = None,
) -> RemoteSwitch:
    """A fake switch on this machine's clock, with a device between its ports.

    Args:
        folder: The compiler's outputs of its program.
        program: The program's name in the daemon.
        front: Its ports; if they have gateways, the device is a router that has their addresses.
        behind: The shaper of a bridge, or the table of a router, or cables to other devices; None: neither
            has limits.
        copies: The port that leads copies to this machine.
    """
    prefix = behind.prefix if isinstance(behind, Cables) else ()
    module = "TesterLibrary.targets.tofino.fake.fake_server"
    command = [*prefix, *python_command(module, str(folder), program)]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:  # of this network namespace
        device = dict(_device(front, behind))
        if copies is not None:
            device["copies"] = {"front": copies.front, "socket": sender.fileno()}
        return RemoteSwitch([*command, json.dumps(device)], inherited=[sender.fileno()])


def _device(front: Iterable[FrontPort], behind: Shaper | RouterTable | Cables | None) -> Mapping[str, Any]:
    if isinstance(behind, Cables):
        return {"cables": dict(behind.interfaces)}
    if isinstance(behind, Shaper):
        return {"shaper": [behind.rate.bps, behind.burst, behind.queue]}
    table = behind or RouterTable()
    return {
        "gateways": {one.front: str(interface) for one in front for interface in _gateways(one.port)},
        "most_neighbours": table.most_neighbours,
        "learning_rate": str(table.learning_rate.per_second) if table.learning_rate else None,
        "ageing_ns": table.ageing.ns if table.ageing else None,
    }


def _gateways(port: Port) -> Iterator[IPv4Interface]:
    """The address of a port's gateway in the port's network, if it has one of IPv4."""
    if port.gateway and port.address and port.gateway.version == 4:
        yield IPv4Interface(f"{port.gateway}/{port.address.network.prefixlen}")
