# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A router or a proxy, and a host on either side of it; the tester is on both of their cables."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...errors import TestbedError
from ..programs import serve
from . import DutPort, device
from .hosts import as_host, serve_files

if TYPE_CHECKING:
    from ...model.ports import Interface
    from ..namespace import Namespace

_MTU = 1500 - 16  # of packets that hosts send: a stamp fits into each
_HTTP = 80
_PROXY = """\
global
  nbthread 1
defaults
  mode tcp
  timeout connect 5s
  timeout client 60s
  timeout server 60s
listen service
  bind {service}
  server server {server}
"""


@device("between-hosts")
def build(
    namespace: Namespace, ports: Sequence[DutPort], *, client: str, server: str, software: str = "router"
) -> Mapping[str, Namespace]:
    """The hosts `client` and `server`, and `router` or `proxy` between their networks.

    Four ports: the client, the device's side to it, its side to the server, and the server, which serves
    files by HTTP. The device has the first address of each network; HAProxy takes what comes to that of the
    client's for the server.
    """
    if len(ports) != 4:
        raise TestbedError(f"{len(ports)} ports; four are needed: client, device, device, server")
    addresses = [ipaddress.ip_interface(address) for address in (client, server)]
    own = [_first(address) for address in addresses]
    if own[0].network == own[1].network:
        raise TestbedError(f"{client} and {server} are of one network; the device is between two")
    hosts: list[Namespace] = []
    for place, address, gateway in zip((ports[0], ports[3]), addresses, own, strict=True):
        host = namespace.beside(place.interface)
        as_host(host, place.interface, address)
        host.gateway(str(gateway.ip), _MTU)
        hosts.append(host)
    namespace.without_ipv6()
    for place, interface in zip(ports[1:3], own, strict=True):
        namespace.address(place.interface, interface)
    namespace.up("lo")
    for setting in ("ipv4.conf.all.send_redirects", "ipv4.tcp_early_retrans"):
        namespace.sysctl(setting, 0)
    if software == "proxy":
        _serve_proxy(namespace, str(own[0].ip), str(addresses[1].ip))
    else:
        namespace.sysctl("ipv4.ip_forward", 1)
    serve_files(hosts[1], str(addresses[1].ip))
    return {"client": hosts[0], software: namespace, "server": hosts[1]}


def _first(address: Interface) -> Interface:
    """The first address of a network, with its length."""
    network = address.network
    return ipaddress.ip_interface(f"{network.network_address + 1}/{network.prefixlen}")


def _serve_proxy(namespace: Namespace, address: str, server: str) -> None:
    configuration = namespace.scratch() / "haproxy.cfg"
    configuration.write_text(_PROXY.format(service=f"{address}:{_HTTP}", server=f"{server}:{_HTTP}"))
    command = ["haproxy", "-db", "-f", str(configuration)]
    serve(namespace, command, package="haproxy", service=(address, _HTTP))
