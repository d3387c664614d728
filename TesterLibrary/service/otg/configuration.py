# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A configuration of the model to settings of ours: all of it, or all that is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ...errors import UnitError
from ...model.ports import Port
from ...model.units.units import FCS_LENGTH, Bandwidth
from .devices import interfaces_of
from .flows import World, flow_of, shares
from .laboratory import Laboratory
from .refusal import Findings
from .schema import Message, given, named
from .settings import CaptureSetting, FlowSetting, PortSetting, Settings
from .support import check, reads

_GBPS = (1, 10, 25, 40, 50, 100, 200, 400, 800)
_SPEEDS = {f"speed_{number}_gbps": number * 10**9 for number in _GBPS} | {
    f"speed_{number}_fd_mbps": number * 10**6 for number in (10, 100)
}
_ETHERNET = 14  # bytes of its header, which an MTU does not count, as the FCS
_USUAL_MTU = 1500
_MOST_ERRORS = 200  # in one answer

reads("Config", "ports layer1 captures devices flows options")
reads("ConfigOptions", "port_options protocol_options")
reads("PortOptions", "location_preemption")
reads("ProtocolOptions", "auto_start_all")
reads("Port", "name location")
reads("Layer1", "name port_names speed promiscuous mtu", speed=" ".join(_SPEEDS))
reads("Capture", "name port_names overwrite packet_size format")


def settings_of(config: Message, laboratory: Laboratory, macs: Mapping[str, bytes]) -> Settings:
    """The settings of a configuration.

    Args:
        config: A `Config` of the model.
        laboratory: The ports that there are.
        macs: MAC addresses of the gateways of interfaces, as far as they are known.

    Raises:
        OtgError: everything that is wrong, each with its path and what is allowed.
    """
    findings = Findings()
    check(config, "", findings)
    findings.settle()
    _check_names(config, findings)
    ports = dict(_ports(config, laboratory, findings))
    if len(ports) < len(config.ports):
        findings.settle()  # what names a port whose location is wrong has nothing wrong itself
    tester_ports = dict(_layer1(config, ports, laboratory, findings))
    interfaces = interfaces_of(config, ports, tester_ports, findings)
    known = dict(macs) | {one.name: one.gateway_mac for one in interfaces.values() if one.gateway_mac}
    world = World(ports, tester_ports, interfaces, known)
    flows = list(_flows(config, world, findings))
    captures = dict(_captures(config, ports, findings))
    if len(findings.errors) > _MOST_ERRORS:
        more = len(findings.errors) - _MOST_ERRORS
        findings.errors[_MOST_ERRORS:] = [f"and {more:,} more"]
    findings.settle()
    return Settings(
        ports=ports,
        tester_ports=tester_ports,
        interfaces=interfaces,
        flows={flow.name: flow for flow in flows},
        captures=captures,
    )


def _flows(config: Message, world: World, findings: Findings) -> Iterator[FlowSetting]:
    for index, (flow, share) in enumerate(zip(config.flows, shares(config.flows, world), strict=True)):
        found = None
        with findings.at(f"flows[{index}]"):
            found = flow_of(flow, index, share, world, findings)
        if found:
            yield found


def _objects(config: Message) -> Iterator[tuple[str, Message]]:
    """All that has a name, with its path."""
    for kind in ("ports", "layer1", "captures", "devices", "flows"):
        for index, one in enumerate(getattr(config, kind)):
            yield f"{kind}[{index}]", one
    for number, device in enumerate(config.devices):
        for index, ethernet in enumerate(device.ethernets):
            place = f"devices[{number}].ethernets[{index}]"
            yield place, ethernet
            for version in (4, 6):
                for at, address in enumerate(getattr(ethernet, f"ipv{version}_addresses")):
                    yield f"{place}.ipv{version}_addresses[{at}]", address


def _check_names(config: Message, findings: Findings) -> None:
    first: dict[str, str] = {}
    for place, one in _objects(config):
        if not one.name:
            findings.add(f"{place}.name", "is required")
        elif one.name in first:
            findings.add(
                f"{place}.name", f"{one.name!r} is the name of {first[one.name]} already; names are unique"
            )
        else:
            first[one.name] = place


def _ports(config: Message, laboratory: Laboratory, findings: Findings) -> Iterator[tuple[str, PortSetting]]:
    taken: dict[str, str] = {}
    for index, port in enumerate(config.ports):
        location = given(port, "location", port.name)
        found = laboratory.port_at(location)
        if found is None:
            problem = f"{location!r} is no port of this tester; there are {laboratory.allowed}"
            findings.add(f"ports[{index}].location", problem)
        elif found in taken:
            findings.add(f"ports[{index}].location", f"{location!r} is that of port {taken[found]!r} already")
        else:
            taken[found] = port.name
            yield port.name, PortSetting(port.name, location, found)


def _layer1(
    config: Message, ports: Mapping[str, PortSetting], laboratory: Laboratory, findings: Findings
) -> Iterator[tuple[str, Port]]:
    """The tester's ports; a port without a speed of its own has the one of the configuration."""
    yield from laboratory.ports.items()
    for index, layer in enumerate(config.layer1):
        place = f"layer1[{index}]"
        if not given(layer, "promiscuous", True):
            findings.add(f"{place}.promiscuous", "ports receive every frame; give true, or leave it out")
        speed = _SPEEDS.get(named(layer, "speed"))
        for at, setting in _named_ports(layer.port_names, f"{place}.port_names", ports, findings):
            port = laboratory.ports[setting.port]
            most = port.max_frame_size - _ETHERNET - FCS_LENGTH
            if given(layer, "mtu", _USUAL_MTU) > max(most, _USUAL_MTU):
                findings.add(f"{place}.mtu", f"{layer.mtu} is more than the {most} of port {setting.name!r}")
            if speed is None or speed == port.speed.bps:
                continue
            if setting.port in laboratory.virtual:
                yield setting.port, replace(port, speed=Bandwidth(speed))
            else:
                findings.add(
                    f"{place}.speed", f"port {at!r} has {port.speed}; give that, or leave the speed out"
                )


def _named_ports(
    names: Message, path: str, ports: Mapping[str, PortSetting], findings: Findings
) -> Iterator[tuple[str, PortSetting]]:
    for index, name in enumerate(names):
        if name in ports:
            yield name, ports[name]
        else:
            known = ", ".join(ports) or "none"
            findings.add(f"{path}[{index}]", f"{name!r} is no port of the configuration; it has {known}")


def _captures(
    config: Message, ports: Mapping[str, PortSetting], findings: Findings
) -> Iterator[tuple[str, CaptureSetting]]:
    taken: dict[str, str] = {}
    for index, capture in enumerate(config.captures):
        place = f"captures[{index}]"
        for name, setting in _named_ports(capture.port_names, f"{place}.port_names", ports, findings):
            if name in taken:
                findings.add(f"{place}.port_names", f"{name!r} is in capture {taken[name]!r} already")
                continue
            taken[name] = capture.name
            with findings.at(f"{place}.packet_size"):
                size = given(capture, "packet_size", 0)
                if capture.HasField("packet_size") and size <= FCS_LENGTH:
                    raise UnitError(
                        f"{size} bytes are none of a frame; give more than {FCS_LENGTH}, or leave it out"
                    )
                yield (
                    setting.port,
                    CaptureSetting(
                        capture.name,
                        setting.port,
                        newest=given(capture, "overwrite", True),
                        packet_size=size,
                        is_pcapng=named(capture, "format") == "pcapng",
                    ),
                )
