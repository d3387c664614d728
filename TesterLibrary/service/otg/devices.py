# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Emulated devices of a configuration: the addresses that the tester answers for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import IPv4Address, IPv6Address

from ...errors import UnitError
from ...model.ports import Address, Port
from ...model.units.units import FCS_LENGTH
from .refusal import Findings
from .schema import Message, chosen, given
from .settings import Interface, PortSetting
from .support import reads

reads("Device", "name ethernets")
reads("DeviceEthernet", "name connection mac mtu ipv4_addresses ipv6_addresses")
reads("EthernetConnection", "choice port_name", choice="port_name")
for _version in "46":
    reads(f"DeviceIpv{_version}", "name address prefix gateway gateway_mac")
    reads(f"DeviceIpv{_version}GatewayMAC", "choice auto value")

_MAC = re.compile("[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}")
_ETHERNET = 14  # bytes of its header
_USUAL_MTU = 1500


def interfaces_of(
    config: Message, ports: Mapping[str, PortSetting], tester_ports: Mapping[str, Port], findings: Findings
) -> dict[str, Interface]:
    """The interfaces of all devices, by name; what is wrong with them is noted."""
    found: dict[str, Interface] = {}
    for number, device in enumerate(config.devices):
        for index, ethernet in enumerate(device.ethernets):
            place = f"devices[{number}].ethernets[{index}]"
            port = ports.get(ethernet.connection.port_name)
            if port is None:
                known = ", ".join(ports) or "none"
                findings.add(
                    f"{place}.connection.port_name",
                    f"{ethernet.connection.port_name!r} is no port of the configuration; it has {known}",
                )
                continue
            most = tester_ports[port.port].max_frame_size - _ETHERNET - FCS_LENGTH
            if given(ethernet, "mtu", _USUAL_MTU) > max(most, _USUAL_MTU):
                findings.add(f"{place}.mtu", f"{ethernet.mtu} is more than the {most} of port {port.port!r}")
            with findings.at(f"{place}.mac"):
                mac = mac_of(ethernet.mac)
                for version in (4, 6):
                    for at, address in enumerate(getattr(ethernet, f"ipv{version}_addresses")):
                        with findings.at(f"{place}.ipv{version}_addresses[{at}]"):
                            found[address.name] = _interface(
                                address, version, device.name, ethernet.name, port.port, mac
                            )
    return found


def _interface(
    address: Message, version: int, device: str, ethernet: str, port: str, mac: bytes
) -> Interface:
    mac_choice = address.gateway_mac
    known = mac_of(mac_choice.value) if chosen(mac_choice, "auto") == "value" else None
    prefix = given(address, "prefix", 24 if version == 4 else 64)
    most = 32 if version == 4 else 128
    if not 1 <= prefix <= most:
        raise UnitError(f"prefix: {prefix} is not within 1 and {most}")
    return Interface(
        address.name,
        ethernet,
        device,
        port,
        mac,
        _address(address.address, version, "address"),
        _address(address.gateway, version, "gateway"),
        known,
    )


def _address(text: str, version: int, what: str) -> Address:
    try:
        return IPv4Address(text) if version == 4 else IPv6Address(text)
    except ValueError:
        raise UnitError(f"{what}: {text!r} is no IPv{version} address") from None


def mac_of(text: str) -> bytes:
    """The bytes of a MAC address. UnitError for any other text."""
    if not _MAC.fullmatch(text):
        raise UnitError(f"{text!r} is no MAC address such as 00:11:22:33:44:55")
    return bytes.fromhex(text.replace(":", ""))
