# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The key of the query table of a switch."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class KeyField:
    """A field of the table's key: bits of a header. Ethernet is always there, others are valid or not."""

    name: str
    header: str
    first: int  # bit of the header
    bits: int


KEYS = tuple(
    KeyField(name, header, first, bits)
    for header, fields in {
        "ether": (("ether_dst", 0, 48), ("ether_src", 48, 48), ("ether_type", 96, 16)),
        "vlan": (("vlan_prio", 0, 3), ("vlan_dei", 3, 1), ("vlan", 4, 12), ("vlan_type", 16, 16)),
        "arp": (("arp_op", 48, 16), ("arp_psrc", 112, 32), ("arp_pdst", 192, 32)),
        "ipv4": (
            ("ipv4_ihl", 4, 4),
            ("ipv4_tos", 8, 8),
            ("ipv4_len", 16, 16),
            ("ipv4_flags", 48, 3),
            ("ipv4_frag", 51, 13),
            ("ipv4_ttl", 64, 8),
            ("ipv4_proto", 72, 8),
            ("ipv4_src", 96, 32),
            ("ipv4_dst", 128, 32),
        ),
        "ipv6": (("ipv6_tc", 4, 8), ("ipv6_nh", 48, 8), ("ipv6_hlim", 56, 8)),
        "icmp": (("icmp_type", 0, 8), ("icmp_code", 8, 8)),
        "udp": (("udp_sport", 0, 16), ("udp_dport", 16, 16)),
        "tcp": (("tcp_sport", 0, 16), ("tcp_dport", 16, 16), ("tcp_reserved", 100, 4), ("tcp_flags", 104, 8)),
    }.items()
    for name, first, bits in fields
)
