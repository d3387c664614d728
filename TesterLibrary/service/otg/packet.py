# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The headers of a flow's packets: from those of the model to a header stack and its editors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ...errors import UnitError
from ...model.editor import Editor, FieldPath, Mode
from ...model.headers import FieldType, Header, HeaderStack, HeaderType
from .patterns import Written, read_pattern, written
from .refusal import Findings
from .schema import Message, chosen, given, message_class
from .support import reads

_ADDRESSES = {"mac": "00:00:00:00:00:00", "ip": "0.0.0.0", "ip6": "::0"}


@dataclass(frozen=True)
class _Rule:
    """How a field of the model is written in a header stack."""

    field: str  # Scapy's name
    default: str | None = "0"  # of the model; None: filled in by the tester
    changes: bool = True  # from frame to frame; not where other octets follow from it


@dataclass(frozen=True)
class _Kind:
    """A header of the model and the header of a stack that it becomes."""

    header: str  # Scapy's name
    message: str
    length: int  # bytes
    rules: Mapping[str, _Rule]
    orphan: tuple[str, str] | None = (
        None  # what a field is where the header after it is none that it announces
    )
    more: Callable[[Message], Iterator[tuple[str, Written]]] | None = (
        None  # fields that are several in the model
    )


@dataclass(frozen=True)
class Packet:
    """The headers of a flow's packets and how their fields change."""

    stack: HeaderStack
    editors: tuple[Editor, ...] = ()
    length: int = 0  # bytes of all headers


@dataclass(frozen=True)
class _Layer:
    header: Header
    changes: tuple[tuple[str, Mode], ...] = ()  # of its fields


_FLAGS = ("reserved", "dont_fragment", "more_fragments")  # of IPv4, from the highest bit
_TCP_FLAGS = (
    *("ecn_ns", "ecn_cwr", "ecn_echo"),
    *(f"ctl_{name}" for name in ("urg", "ack", "psh", "rst", "syn", "fin")),
)
_TOS = {"precedence": 5, "delay": 4, "throughput": 3, "reliability": 2, "monetary": 1, "unused": 0}


def _bits(message: Message, names: Sequence[str]) -> int:
    """Flags of one bit each, the first one the highest."""
    number = 0
    for name in names:
        number = number << 1 | _single(message, name, 1)
    return number


def _single(message: Message, name: str, most: int) -> int:
    """The only value of a field."""
    value = int(given(getattr(message, name), "value", 0)) if message.HasField(name) else 0
    if value > most:
        raise UnitError(f"{name}: {value} is more than {most}")
    return value


def _ipv4_more(message: Message) -> Iterator[tuple[str, Written]]:
    yield "flags", Written(str(_bits(message, _FLAGS)))
    yield "tos", _priority(message.priority)


def _priority(priority: Message) -> Written:
    choice = chosen(priority, "dscp")
    if choice == "raw":
        return written(priority.raw, "0") or Written("0")
    if choice == "tos":
        parts = (
            (_single(priority.tos, name, 7 if name == "precedence" else 1), bit) for name, bit in _TOS.items()
        )
        return Written(str(sum(value << bit for value, bit in parts)))
    ecn = _single(priority.dscp, "ecn", 3)
    points = written(priority.dscp.phb, "0") or Written("0")
    return points.shifted(lambda point: point << 2 | ecn)


def _tcp_more(message: Message) -> Iterator[tuple[str, Written]]:
    yield "flags", Written(str(_bits(message, _TCP_FLAGS)))


def _gre_more(message: Message) -> Iterator[tuple[str, Written]]:
    yield "version", Written(str(_single(message, "version", 7)))


_KINDS: Mapping[str, _Kind] = {
    "ethernet": _Kind(
        "Ether",
        "FlowEthernet",
        14,
        {
            "dst": _Rule("dst", None),
            "src": _Rule("src", _ADDRESSES["mac"]),
            "ether_type": _Rule("type", None, changes=False),
        },
        orphan=("type", "65535"),
    ),
    "vlan": _Kind(
        "Dot1Q",
        "FlowVlan",
        4,
        {
            "priority": _Rule("prio"),
            "cfi": _Rule("dei"),
            "id": _Rule("vlan"),
            "tpid": _Rule("type", None, changes=False),
        },
        orphan=("type", "65535"),
    ),
    "mpls": _Kind(
        "MPLS",
        "FlowMpls",
        4,
        {
            "label": _Rule("label", "16"),
            "traffic_class": _Rule("cos"),
            "bottom_of_stack": _Rule("s", None, changes=False),
            "time_to_live": _Rule("ttl", "64"),
        },
    ),
    "ipv4": _Kind(
        "IP",
        "FlowIpv4",
        20,
        {
            "version": _Rule("version", "4"),
            "header_length": _Rule("ihl", None),
            "total_length": _Rule("len", None),
            "identification": _Rule("id"),
            "fragment_offset": _Rule("frag"),
            "time_to_live": _Rule("ttl", "64"),
            "protocol": _Rule("proto", None),
            "header_checksum": _Rule("chksum", None),
            "src": _Rule("src", _ADDRESSES["ip"]),
            "dst": _Rule("dst", _ADDRESSES["ip"]),
        },
        orphan=("proto", "61"),
        more=_ipv4_more,
    ),
    "ipv6": _Kind(
        "IPv6",
        "FlowIpv6",
        40,
        {
            "version": _Rule("version", "6"),
            "traffic_class": _Rule("tc"),
            "flow_label": _Rule("fl"),
            "payload_length": _Rule("plen", None),
            "next_header": _Rule("nh", None),
            "hop_limit": _Rule("hlim", "64"),
            "src": _Rule("src", _ADDRESSES["ip6"]),
            "dst": _Rule("dst", _ADDRESSES["ip6"]),
        },
        orphan=("nh", "59"),
    ),
    "tcp": _Kind(
        "TCP",
        "FlowTcp",
        20,
        {
            "src_port": _Rule("sport"),
            "dst_port": _Rule("dport"),
            "seq_num": _Rule("seq"),
            "ack_num": _Rule("ack"),
            "data_offset": _Rule("dataofs", None),
            "window": _Rule("window"),
            "checksum": _Rule("chksum", None),
        },
        more=_tcp_more,
    ),
    "udp": _Kind(
        "UDP",
        "FlowUdp",
        8,
        {
            "src_port": _Rule("sport"),
            "dst_port": _Rule("dport"),
            "length": _Rule("len", None),
            "checksum": _Rule("chksum", None),
        },
    ),
    "gre": _Kind(
        "GRE", "FlowGre", 4, {"protocol": _Rule("proto", None)}, orphan=("proto", "2048"), more=_gre_more
    ),
    "vxlan": _Kind(
        "VXLAN",
        "FlowVxlan",
        8,
        {
            "flags": _Rule("flags", "8", changes=False),
            "reserved0": _Rule("reserved1"),
            "vni": _Rule("vni"),
            "reserved1": _Rule("reserved2"),
        },
    ),
    "arp": _Kind(
        "ARP",
        "FlowArp",
        28,
        {
            "hardware_type": _Rule("hwtype", "1", changes=False),
            "protocol_type": _Rule("ptype", "2048", changes=False),
            "hardware_length": _Rule("hwlen", "6", changes=False),
            "protocol_length": _Rule("plen", "4", changes=False),
            "operation": _Rule("op", "1"),
            "sender_hardware_addr": _Rule("hwsrc", _ADDRESSES["mac"]),
            "sender_protocol_addr": _Rule("psrc", _ADDRESSES["ip"]),
            "target_hardware_addr": _Rule("hwdst", _ADDRESSES["mac"]),
            "target_protocol_addr": _Rule("pdst", _ADDRESSES["ip"]),
        },
    ),
    "icmp": _Kind(
        "ICMP",
        "FlowIcmpEcho",
        8,
        {
            "type": _Rule("type", "8"),
            "code": _Rule("code"),
            "checksum": _Rule("chksum", None),
            "identifier": _Rule("id"),
            "sequence_number": _Rule("seq"),
        },
    ),
    "icmpv6": _Kind(
        "ICMPv6EchoRequest",
        "FlowIcmpv6Echo",
        8,
        {
            "type": _Rule("type", "128", changes=False),
            "code": _Rule("code"),
            "checksum": _Rule("cksum", None),
            "identifier": _Rule("id"),
            "sequence_number": _Rule("seq"),
        },
    ),
}
_ECHO = ("icmp", "icmpv6")  # their only kind has a message of its own
_CUSTOM, _MOST_CUSTOM = "custom", 512
_SHORT = 256  # bytes of a header that is remembered; lists of values are longer
SUPPORTED = (*_KINDS, _CUSTOM)

reads("FlowHeader", f"choice {' '.join(SUPPORTED)}", choice=" ".join(SUPPORTED))
for _kind in _KINDS.values():
    for _name, _rule in _kind.rules.items():
        read_pattern(_kind.message, _name, changes=_rule.changes)
for _name in _FLAGS:
    read_pattern("FlowIpv4", _name, changes=False)
for _name in _TCP_FLAGS:
    read_pattern("FlowTcp", _name, changes=False)
for _name in _TOS:
    read_pattern("FlowIpv4Tos", _name, changes=False)
read_pattern("FlowGre", "version", changes=False)
read_pattern("FlowIpv4Priority", "raw")
read_pattern("FlowIpv4Dscp", "phb")
read_pattern("FlowIpv4Dscp", "ecn", changes=False)
reads("FlowIpv4", "priority")
reads("FlowIpv4Priority", "choice raw tos dscp")
reads("FlowIcmp", "choice echo")
reads("FlowIcmpv6", "choice echo")
reads("FlowCustom", "bytes")


def packet_of(headers: Sequence[Message], path: str, findings: Findings) -> Packet | None:
    """The header stack of a flow; None if one of its headers was refused, which is noted."""
    layers: list[_Layer] = []
    types: list[HeaderType] = []
    known = len(findings.errors)
    if not headers:
        headers = [message_class("FlowHeader")()]
    choices = [chosen(header, "ethernet") for header in headers]
    for index, (header, choice) in enumerate(zip(headers, choices, strict=True)):
        place = f"{path}[{index}].{choice}"
        with findings.at(place):
            if choice == _CUSTOM:
                custom = _custom(header.custom, index)
                types.append(custom)
                layers.append(_Layer(Header(custom.name, ())))
                continue
            follower = choices[index + 1] if index + 1 < len(choices) else ""
            serialized = _part(header, choice).SerializeToString()
            made = _known_layer if len(serialized) <= _SHORT else _layer
            layers.append(made(choice, serialized, _announced(follower)))
    if len(findings.errors) > known:
        return None
    stack = HeaderStack(tuple(layer.header for layer in layers), tuple(types))
    editors: list[Editor] = []
    for index, layer in enumerate(layers):
        if layer.changes:
            kind = layer.header.name
            number = sum(header.name == kind for header in stack.headers[: index + 1])
            editors += (Editor(FieldPath(kind, field, number), mode) for field, mode in layer.changes)
    length = sum(_KINDS[choice].length for choice in choices if choice != _CUSTOM)
    length += sum(known_type.fields[0].bits // 8 for known_type in types)
    return Packet(stack, tuple(editors), length)


def _part(header: Message, choice: str) -> Message:
    part = getattr(header, choice)
    return part.echo if choice in _ECHO else part


def _announced(follower: str) -> bool:
    """Whether a header says by a number of its own that this one comes after it."""
    return follower not in ("", _CUSTOM)


def _layer(choice: str, serialized: bytes, announces: bool) -> _Layer:
    kind = _KINDS[choice]
    message = message_class(kind.message).FromString(serialized)
    found = [(rule.field, _value(message, name, rule)) for name, rule in kind.rules.items()]
    found += kind.more(message) if kind.more else ()
    values = [(name, value) for name, value in found if value is not None]
    fields = [(name, value.first) for name, value in values]
    if kind.orphan and not announces and kind.orphan[0] not in dict(fields):
        fields.append(kind.orphan)
    changes = tuple((name, value.mode) for name, value in values if value.mode is not None)
    return _Layer(Header(kind.header, tuple(fields)), changes)


# Thousands of flows share most of their headers. Four of each of 4,096 flows.
_known_layer = lru_cache(maxsize=16_384)(_layer)


def _value(message: Message, name: str, rule: _Rule) -> Written | None:
    if not message.HasField(name):
        return None if rule.default is None else Written(rule.default)
    try:
        found = written(getattr(message, name), rule.default)
    except UnitError as problem:
        raise UnitError(f"{name}: {problem}") from None
    return found if found or rule.default is None else Written(rule.default)  # auto is the model's value


def _custom(custom: Message, index: int) -> HeaderType:
    """Octets as a header of one field, which the signature of a flow follows like any other header."""
    digits = custom.bytes.replace(" ", "").replace(":", "")
    try:
        octets = bytes.fromhex(digits)
    except ValueError:
        raise UnitError(f"bytes: {custom.bytes[:40]!r} is no even number of hexadecimal digits") from None
    if not 1 <= len(octets) <= _MOST_CUSTOM:
        raise UnitError(f"bytes: {len(octets)} bytes; give 1 to {_MOST_CUSTOM}")
    return HeaderType(
        f"Custom{index}", (FieldType("octets", 8 * len(octets), int.from_bytes(octets, "big")),)
    )
