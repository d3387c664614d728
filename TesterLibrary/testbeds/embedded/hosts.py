# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Hosts with the kernel's TCP stack, one behind each port of the tester: the only way between them."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...errors import TestbedError
from ..programs import serve
from ..sandbox import python
from . import DutPort, device

if TYPE_CHECKING:
    from ...model.ports import Interface
    from ..namespace import Namespace

_PORT = 80
_FILES = {"1kB": 10**3, "100kB": 10**5, "1MB": 10**6, "10MB": 10**7}


@device("hosts")
def build(
    namespace: Namespace,
    ports: Sequence[DutPort],
    *,
    hosts: Mapping[str, str],
    ecn: bool = False,
    also: Mapping[str, Sequence[str]] | None = None,
) -> Mapping[str, Namespace]:
    """A host for each port, by name and address; the last one serves files by HTTP: `/1kB` to `/10MB`.

    Two things of the stacks are switched off because they depend on the machine's load, and what they do is
    counted as retransmissions: loss probes, which are sent after about two round trips without an answer, and
    what earlier connections have found out. `ecn` has the stacks ask for ECN. `also` has more addresses of
    hosts, by their names.
    """
    if len(hosts) != len(ports):
        raise TestbedError(f"{len(hosts)} hosts for {len(ports)} ports; each port needs one")
    built: dict[str, Namespace] = {}
    for number, (port, (name, address)) in enumerate(zip(ports, hosts.items(), strict=True)):
        place = namespace if number == 0 else namespace.beside(port.interface)
        as_host(place, port.interface, ipaddress.ip_interface(address), ecn=ecn)
        for more in (also or {}).get(name, ()):
            place.address(port.interface, ipaddress.ip_interface(more))
        built[name] = place
    serve_files(place, str(ipaddress.ip_interface(address).ip))
    return built


def as_host(place: Namespace, interface: str, address: Interface, *, ecn: bool = False) -> None:
    """Gives a host its address, and what `build` says of stacks."""
    place.without_ipv6()
    place.address(interface, address)
    place.up("lo")
    for setting, value in {
        "ipv4.tcp_early_retrans": 0,
        "ipv4.tcp_no_metrics_save": 1,
        "ipv4.tcp_ecn": int(ecn),
    }.items():
        place.sysctl(setting, value)


def serve_files(place: Namespace, address: str) -> None:
    """Has a host serve `/1kB` to `/10MB` by HTTP."""
    folder = place.scratch()
    for name, size in _FILES.items():
        (folder / name).write_bytes(bytes(size))
    command = [python(), "-I", "-m", "http.server", str(_PORT), "--directory", str(folder)]
    serve(place, command, package="python3", service=(address, _PORT))
