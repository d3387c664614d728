# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads and answers messages of IPv6 neighbour discovery, as frames without a tag (RFC 4861 §4.3, §4.4)."""

from __future__ import annotations

from ipaddress import IPv6Address

from ....protocols.frame import checksum

IPV6 = b"\x86\xdd"
_ICMPV6, _SOLICITATION, _ADVERTISEMENT = 58, 135, 136
_TARGET_OPTION = b"\x02\x01"  # a link-layer address of Ethernet
_HOPS = 255  # nothing that a router has forwarded is heeded (§7.1)
_SOLICITED, _OVERRIDE = 0x40, 0x20
_ALL_NODES, _ALL_NODES_MAC = IPv6Address("ff02::1"), bytes.fromhex("333300000001")


def asked_for(frame: bytes) -> IPv6Address | None:
    """The address that a solicitation asks for; None: the frame is none."""
    return _target(frame, _SOLICITATION)


def advertised(frame: bytes) -> tuple[IPv6Address, bytes] | None:
    """The address of an advertisement and its MAC address; None: the frame is none, or has none."""
    address = _target(frame, _ADVERTISEMENT)
    mac = _option(frame, _TARGET_OPTION)
    return None if address is None or mac is None else (address, mac)


def advertisement(question: bytes, address: IPv6Address, mac: bytes) -> bytes:
    """The answer to a solicitation. Who has no address yet is told by a message to all nodes (§7.2.4)."""
    source = IPv6Address(question[22:38])
    receiver, flags = (source, _SOLICITED | _OVERRIDE) if int(source) else (_ALL_NODES, _OVERRIDE)
    destination = question[6:12] if int(source) else _ALL_NODES_MAC
    message = bytes((_ADVERTISEMENT, 0, 0, 0, flags, 0, 0, 0)) + address.packed + _TARGET_OPTION + mac
    return _frame(destination, mac, address, receiver, message)


def _target(frame: bytes, kind: int) -> IPv6Address | None:
    if len(frame) < 78 or frame[12:14] != IPV6 or frame[20] != _ICMPV6 or frame[54] != kind:
        return None
    length = int.from_bytes(frame[18:20], "big")
    message = frame[54 : 54 + length]
    if frame[21] != _HOPS or frame[55] or len(message) != length or length < 24:
        return None
    return IPv6Address(message[8:24]) if checksum(_pseudo(frame[22:54], length) + message) == 0 else None


def _option(frame: bytes, option: bytes) -> bytes | None:
    rest = frame[78 : 54 + int.from_bytes(frame[18:20], "big")]
    while len(rest) >= 8 and rest[1]:
        if rest[:2] == option:
            return rest[2:8]
        rest = rest[8 * rest[1] :]
    return None


def _frame(to: bytes, mac: bytes, source: IPv6Address, receiver: IPv6Address, message: bytes) -> bytes:
    ends = source.packed + receiver.packed
    total = checksum(_pseudo(ends, len(message)) + message)
    message = message[:2] + total.to_bytes(2, "big") + message[4:]
    header = b"\x60\0\0\0" + len(message).to_bytes(2, "big") + bytes((_ICMPV6, _HOPS)) + ends
    return to + mac + IPV6 + header + message


def _pseudo(ends: bytes, length: int) -> bytes:
    return ends + length.to_bytes(4, "big") + bytes((0, 0, 0, _ICMPV6))
