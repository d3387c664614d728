# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Configurations and requests that together have every field and value that the server reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from TesterLibrary.service.otg.packet import _KINDS, SUPPORTED
from TesterLibrary.service.otg.schema import descriptor, is_list
from TesterLibrary.service.otg.support import fields_read, values_read

Json = dict[str, Any]

PORTS: list[Json] = [{"name": "one", "location": "p1"}, {"name": "two", "location": "p2"}]
SOURCE, TARGET = "00:11:22:33:44:55", "00:11:22:33:44:66"
ETHERNET: Json = {
    "choice": "ethernet",
    "ethernet": {"src": {"choice": "value", "value": SOURCE}, "dst": {"choice": "value", "value": TARGET}},
}
IPV4: Json = {
    "choice": "ipv4",
    "ipv4": {
        "src": {"choice": "value", "value": "10.0.0.1"},
        "dst": {"choice": "value", "value": "10.0.0.2"},
    },
}
IPV6: Json = {
    "choice": "ipv6",
    "ipv6": {
        "src": {"choice": "value", "value": "2001:db8::1"},
        "dst": {"choice": "value", "value": "2001:db8::2"},
    },
}
UDP: Json = {"choice": "udp", "udp": {}}
BELOW: dict[str, list[Json]] = {  # headers before one of a kind
    "ethernet": [],
    "vlan": [ETHERNET],
    "mpls": [ETHERNET],
    "ipv4": [ETHERNET],
    "ipv6": [ETHERNET],
    "arp": [ETHERNET],
    "icmpv6": [ETHERNET, IPV6],
    "vxlan": [ETHERNET, IPV4, UDP],
}
_USUAL = {"protocol_type": 2048, "hardware_length": 6, "protocol_length": 4, "ether_type": 2048, "tpid": 2048}
ABOVE: dict[str, list[Json]] = {"vxlan": [ETHERNET, IPV4], "vlan": [IPV4], "mpls": [IPV4], "ethernet": [IPV4]}


def flow(name: str = "f", packet: list[Json] | None = None, **more: Any) -> Json:
    """A flow from port one to port two."""
    made: Json = {
        "name": name,
        "tx_rx": {"choice": "port", "port": {"tx_name": "one", "rx_names": ["two"]}},
        "packet": [ETHERNET, IPV4, UDP] if packet is None else packet,
        "size": {"choice": "fixed", "fixed": 200},
        "rate": {"choice": "pps", "pps": 10},
    }
    return {**made, **more}


def config(*flows: Json, **more: Any) -> Json:
    """A configuration of two ports and these flows."""
    return {"ports": PORTS, "flows": list(flows), **more}


def _sample(pattern: Descriptor, field: str) -> Any:
    """A value for a field, whose kind its own messages tell."""
    if pattern.fields_by_name["value"].type != FieldDescriptor.TYPE_STRING:
        return _USUAL.get(field, 1)
    if "Mac" in field or "hardware_addr" in field or pattern.name.startswith("PatternFlowEthernet"):
        return "00:00:00:00:00:02"
    return "2001:db8::9" if "Ipv6" in pattern.name else "10.0.0.9"


def patterns(message: str, field: str) -> Iterator[Json]:
    """Each way in which the values of a field can be given."""
    pattern = descriptor(message).fields_by_name[field].message_type
    for choice in values_read(pattern.fields_by_name["choice"]):
        if choice not in pattern.fields_by_name:
            continue
        known = pattern.fields_by_name[choice]
        given: Any
        if choice == "generated":
            given = "good"
        elif choice == "custom":
            given = 4660
        elif known.message_type:
            first = _sample(pattern, field)
            step = (
                1
                if first == 1
                else "00:00:00:00:00:01"
                if first.count(":") == 5
                else "::1"
                if ":" in first
                else "0.0.0.1"
            )
            given = {"start": first, "step": step, "count": 3}
            if choice == "random":
                given = {"min": first, "max": first if first != 1 else 9, "seed": 3, "count": 4}
        else:
            given = _sample(pattern, field)
            if is_list(known):
                given = [given]
        yield {"choice": choice, choice: given}


def _stack(kind: str, part: Json) -> list[Json]:
    inner = {"choice": "echo", "echo": part} if kind in ("icmp", "icmpv6") else part
    return [*BELOW.get(kind, [ETHERNET, IPV4]), {"choice": kind, kind: inner}, *ABOVE.get(kind, [])]


def packets() -> Iterator[list[Json]]:
    """A packet for each way to give each field of each header."""
    for kind in SUPPORTED:
        if kind == "custom":
            yield [ETHERNET, {"choice": "custom", "custom": {"bytes": "00 11:22"}}]
            continue
        message = _KINDS[kind].message
        for field in fields_read(descriptor(message)):
            if field == "priority" and message == "FlowIpv4":
                yield from (_stack(kind, {**IPV4["ipv4"], field: given}) for given in _priorities())
                continue
            for given in patterns(message, field):
                part = dict(BELOW_PART.get(kind, {}))
                part[field] = given
                yield _stack(kind, part)


BELOW_PART: dict[str, Json] = {
    "ethernet": ETHERNET["ethernet"],
    "ipv4": IPV4["ipv4"],
    "ipv6": IPV6["ipv6"],
}


def _priorities() -> Iterator[Json]:
    for given in patterns("FlowIpv4Priority", "raw"):
        yield {"choice": "raw", "raw": given}
    for name in fields_read(descriptor("FlowIpv4Tos")):
        for given in patterns("FlowIpv4Tos", name):
            yield {"choice": "tos", "tos": {name: given}}
    for name in fields_read(descriptor("FlowIpv4Dscp")):
        for given in patterns("FlowIpv4Dscp", name):
            yield {"choice": "dscp", "dscp": {name: given}}


def _gaps() -> Iterator[Json]:
    for choice in ("bytes", "nanoseconds", "microseconds"):
        yield {"choice": choice, choice: 1000}


def sendings() -> Iterator[Json]:
    """Fields of a flow for each way to give its size, rate, duration, payload and metrics."""
    yield {"size": {"choice": "increment", "increment": {"start": 100, "end": 120, "step": 10}}}
    yield {"size": {"choice": "random", "random": {"min": 100, "max": 120}}}
    weights = {"choice": "custom", "custom": [{"size": 100, "weight": 1.5}, {"size": 200, "weight": 1}]}
    yield {"size": {"choice": "weight_pairs", "weight_pairs": weights}}
    for name in ("imix", "ipsec_imix", "tcp_imix"):
        pairs = {"choice": "predefined", "predefined": name}
        yield {"size": {"choice": "weight_pairs", "weight_pairs": pairs}}
    for choice in ("pps", "bps", "kbps", "mbps"):
        yield {"rate": {"choice": choice, choice: 1 if choice != "bps" else 9600}}
    yield {"rate": {"choice": "gbps", "gbps": 1}}
    yield {"rate": {"choice": "percentage", "percentage": 0.1}}
    for gap in _gaps():
        yield {
            "duration": {"choice": "fixed_packets", "fixed_packets": {"packets": 4, "gap": 12, "delay": gap}}
        }
        yield {
            "duration": {
                "choice": "fixed_seconds",
                "fixed_seconds": {"seconds": 0.5, "gap": 12, "delay": gap},
            }
        }
        yield {"duration": {"choice": "continuous", "continuous": {"gap": 12, "delay": gap}}}
        burst = {"bursts": 3, "packets": 2, "gap": 12, "inter_burst_gap": gap}
        yield {"duration": {"choice": "burst", "burst": burst}}
    yield {"payload": {"choice": "fixed", "fixed": {"pattern": "a5", "repeat": True}}}
    yield {"payload": {"choice": "increment_byte"}}
    for mode in ("store_forward", "cut_through"):
        latency = {"enable": True, "mode": mode}
        yield {"metrics": {"enable": True, "loss": True, "timestamps": True, "latency": latency}}
    yield {"tx_rx": {"choice": "port", "port": {"tx_name": "one", "rx_name": "two"}}}


def _address(version: int, name: str, number: int, mac: Json) -> Json:
    network = "10.9.0." if version == 4 else "2001:db8:9::"
    return {
        "name": name,
        "address": f"{network}{number}",
        "gateway": f"{network}{3 - number}",
        "prefix": 24 if version == 4 else 64,
        "gateway_mac": mac,
    }


def devices() -> list[Json]:
    """Two devices, one on each port, that are each other's gateways."""
    macs: list[Json] = [{"choice": "value", "value": TARGET}, {"choice": "auto", "auto": "00:00:00:00:00:00"}]
    return [
        {
            "name": f"device {number}",
            "ethernets": [
                {
                    "name": f"ethernet {number}",
                    "mac": SOURCE if number == 1 else TARGET,
                    "mtu": 1500,
                    "connection": {"choice": "port_name", "port_name": port},
                    "ipv4_addresses": [_address(4, f"ipv4 {number}", number, macs[number - 1])],
                    "ipv6_addresses": [_address(6, f"ipv6 {number}", number, macs[number - 1])],
                }
            ],
        }
        for number, port in ((1, "one"), (2, "two"))
    ]


def configs() -> Iterator[Json]:
    """Configurations that have every field of a configuration that is read."""
    yield config(*(flow(f"f{number}", packet) for number, packet in enumerate(packets())))
    yield config(*(flow(f"f{number}", **more) for number, more in enumerate(sendings())))
    for mode in ("mesh", "one_to_one"):
        sides = {"mode": mode, "tx_names": ["ipv4 1"], "rx_names": ["ipv4 2"], "bidirectional": False}
        between = flow("between", tx_rx={"choice": "device", "device": sides})
        yield config(between, devices=devices())
    for speed in values_read(descriptor("Layer1").fields_by_name["speed"]):
        layer = {"name": "layer", "port_names": ["one"], "speed": speed, "promiscuous": True, "mtu": 1500}
        yield config(layer1=[layer])
    for form in ("pcap", "pcapng"):
        capture = {"name": "c", "port_names": ["two"], "overwrite": True, "packet_size": 100, "format": form}
        yield config(captures=[capture])
    options = {"port_options": {"location_preemption": True}, "protocol_options": {"auto_start_all": False}}
    yield config(options=options)


def requests() -> Iterator[tuple[str, Json]]:
    """Requests of all kinds, by the names of their messages."""
    for names in values_read(descriptor("PortMetricsRequest").fields_by_name["column_names"]):
        yield "MetricsRequest", {"choice": "port", "port": {"port_names": ["one"], "column_names": [names]}}
    for names in values_read(descriptor("FlowMetricsRequest").fields_by_name["metric_names"]):
        yield "MetricsRequest", {"choice": "flow", "flow": {"flow_names": ["f"], "metric_names": [names]}}
    for version in (4, 6):
        name = f"ipv{version}_neighbors"
        yield "StatesRequest", {"choice": name, name: {"ethernet_names": ["ethernet 1"]}}
    yield "CaptureRequest", {"port_name": "two"}
    for state in ("start", "stop"):
        for part, inner in (
            ({"choice": "flow_transmit", "flow_transmit": {"flow_names": ["f"], "state": state}}, "traffic"),
            ({"choice": "capture", "capture": {"port_names": ["two"], "state": state}}, "port"),
            ({"choice": "all", "all": {"state": state}}, "protocol"),
        ):
            yield "ControlState", {"choice": inner, inner: part}
    changed = flow(rate={"choice": "pps", "pps": 20})
    yield (
        "ConfigUpdate",
        {"choice": "flows", "flows": {"property_names": ["rate", "size"], "flows": [changed]}},
    )
    yield "ConfigAppend", {"config_append_list": [{"choice": "flows", "flows": [flow("more")]}]}
    yield "ConfigDelete", {"config_delete_list": [{"choice": "flows", "flows": ["more"]}]}
