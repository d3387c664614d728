# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The packets that events of a path or stamps see, by the fields that a switch compares.

They are the keys of tables in p4/controls/path_flows.p4 and p4/controls/path_stamps.p4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...errors import PlanError
from ...model.plan.match import Match
from .frame import TCP, UDP

Watch = Mapping[str, tuple[int, int]]  # value and mask, by the key of the table

_ETHER_TYPE, _ETHERNET, _TAG = 12, 14, 4  # bytes
_IPV4, _VLAN = 0x0800, 0x8100
_WHOLE = 0xFFFF
_VLAN_ID = 0x0FFF
# Fields that make a header follow the one before it, from the begin of IPv4: offset, bytes, and the bits.
_VERSION, _FRAGMENT, _PROTOCOL = (0, 1, 0xFF), (6, 2, 0x1FFF), (9, 1, 0xFF)
_NO_OPTIONS = 0x45
_FIELDS = {"ipv4_src": (12, 4), "ipv4_dst": (16, 4), "sport": (20, 2), "dport": (22, 2)}
_TRANSPORT = {TCP: "tcp", UDP: "udp"}


def watch_of(matches: Sequence[Match], does: str = "numbers flows of") -> Watch:
    """The keys of the table for packets that meet these matches.

    Args:
        matches: The matches.
        does: What a switch does to them, for the error.

    Raises:
        PlanError: packets but those of TCP or UDP in IPv4 meet them, or they look at other fields.
    """
    bits = _Bits(matches)
    ether_type = bits.take(_ETHER_TYPE, 2, _WHOLE)
    tagged = ether_type == _VLAN
    network = _ETHERNET + _TAG * tagged
    key: dict[str, tuple[int, int]] = {"vlan_valid": (int(tagged), 1)}
    if tagged:
        value, mask = bits.field(_ETHERNET, 2, _VLAN_ID)
        key |= {"vlan": (value, mask)} if mask else {}
        ether_type = bits.take(_ETHER_TYPE + _TAG, 2, _WHOLE)
    shape = [bits.take(network + offset, size, mask) for offset, size, mask in (_VERSION, _FRAGMENT)]
    protocol = bits.take(network + _PROTOCOL[0], *_PROTOCOL[1:])
    if ether_type != _IPV4 or shape != [_NO_OPTIONS, 0] or protocol not in _TRANSPORT:
        raise PlanError(
            f"a switch {does} TCP and UDP in IPv4 only, so it has to see no others; give "
            "headers=IP / TCP or headers=IP / UDP, with Dot1Q before it if need be, or use a testerd"
        )
    transport = _TRANSPORT[protocol]
    key |= {"ipv4_valid": (1, 1), "ipv4_proto": (protocol, 0xFF), f"{transport}_valid": (1, 1)}
    for name, (offset, size) in _FIELDS.items():
        value, mask = bits.field(network + offset, size, (1 << 8 * size) - 1)
        if mask:
            key[name if name.startswith("ipv4") else f"{transport}_{name}"] = value, mask
    rest = list(bits.rest())
    if rest:
        raise PlanError(
            "a switch compares vlan of Dot1Q, src and dst of IP, sport and dport of TCP and UDP; these "
            f"headers have more, in byte {rest[0]} of the frame; leave it out, or use a testerd"
        )
    return key


class _Bits:
    """The bits of a frame that matches look at; each is taken once."""

    def __init__(self, matches: Sequence[Match]) -> None:
        length = max((match.offset + len(match.mask) for match in matches), default=0)
        self._mask, self._value = bytearray(length), bytearray(length)
        for match in matches:
            end = match.offset + len(match.mask)
            self._mask[match.offset : end], self._value[match.offset : end] = match.mask, match.value

    def take(self, at: int, size: int, bits: int) -> int | None:
        """The value of bits that all have to be looked at; None if they are not."""
        value, mask = self.field(at, size, bits)
        return value if mask == bits else None

    def field(self, at: int, size: int, bits: int) -> tuple[int, int]:
        """Value and mask of those of the bits that are looked at."""
        mask = int.from_bytes(self._mask[at : at + size].ljust(size, b"\0"), "big")
        self._mask[at : at + size] = (mask & ~bits).to_bytes(size, "big")[: len(self._mask[at : at + size])]
        value = int.from_bytes(self._value[at : at + size].ljust(size, b"\0"), "big")
        return value & mask & bits, mask & bits

    def rest(self) -> Iterator[int]:
        """The bytes in which something is looked at that nobody has taken."""
        return (at for at, mask in enumerate(self._mask) if mask)
