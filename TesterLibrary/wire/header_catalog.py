# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The headers that can be used: Scapy's by their names, and those that a header file describes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from ..errors import PlanError, did_you_mean
from ..model.headers import HeaderType

if TYPE_CHECKING:
    from scapy.packet import Packet

# Modules are searched in this order; a header of any other module is named with it: `contrib.nsh.NSH`.
_MODULES = (
    "layers.l2",
    "layers.inet",
    "layers.inet6",
    "layers.vxlan",
    "layers.sctp",
    "contrib.mpls",
    "contrib.geneve",
    "contrib.gtp",
    "contrib.roce",
)
# Headers of ours, and their modules in this folder.
_OWN = {
    "IGMP": "igmp",
    "IGMPv3Report": "igmp",
    "RouterAlert": "icmpv6",
    "ICMPv6MLD": "icmpv6",
    "ICMPv6MLDv2Report": "icmpv6",
    "ICMPv6Solicitation": "icmpv6",
    "ICMPv6Advertisement": "icmpv6",
}
_SHORTER = {"VLAN": "Dot1Q", "SRv6": "IPv6ExtHdrSegmentRouting", "GTPU": "GTP_U_Header"}
COMMON = (
    "Ether, Dot1Q, VLAN, Dot1AD, MPLS, IP, IPv6, SRv6, GRE, VXLAN, GENEVE, GTPU, UDP, TCP, SCTP, "
    "SCTPChunkData, ICMP, ICMPv6EchoRequest, IGMP, IGMPv3Report, RouterAlert, ICMPv6MLD, "
    "ICMPv6MLDv2Report, ICMPv6Solicitation, ICMPv6Advertisement, ARP, BTH"
)


_TAGS = ("VLAN", "Dot1Q", "Dot1AD")


def scapys_field(header: str, field: str) -> str:
    """Scapy's name of a field. IEEE 802.1Q calls `vlan` of a tag VID, so `vid` is taken, too."""
    return "vlan" if field == "vid" and header in _TAGS else field


class Catalog:
    """Classes of headers by name. Each stack has its own catalog, as its file may define headers."""

    def __init__(self, types: Iterable[HeaderType]) -> None:
        self.types: Mapping[str, HeaderType] = {header_type.name: header_type for header_type in types}
        self._made: dict[str, type[Packet]] = {}

    def __getitem__(self, name: str) -> type[Packet]:
        """The class of a header. PlanError names what comes close."""
        if name in self.types:
            return self._made.setdefault(name, self._make(self.types[name]))
        module, _, short = name.rpartition(".")
        if name in _OWN:
            found: type[Packet] | None = getattr(import_module(f".{_OWN[name]}", __package__), name)
        elif module:
            found = _in_module(module, short)
        else:
            full = _SHORTER.get(name, name)
            found = next(filter(None, (_in_module(module, full) for module in _MODULES)), None)
        if found is None:
            hint = did_you_mean(name, [*COMMON.split(", "), *self.types])
            raise PlanError(
                f"there is no header {name!r}{hint}. There are {COMMON}, others of Scapy's, "
                "less common ones with their module (contrib.nsh.NSH), and those that a file of yours defines"
            )
        return found

    def _make(self, header: HeaderType) -> type[Packet]:
        """The Scapy class of a header that a file describes."""
        from scapy.fields import BitField
        from scapy.packet import Packet

        if sum(field.bits for field in header.fields) % 8:
            raise PlanError(f"header {header.name!r} is no whole number of bytes long")
        return type(
            header.name,
            (Packet,),
            {
                "name": header.name,
                "fields_desc": [BitField(field.name, field.default, field.bits) for field in header.fields],
            },
        )


def _in_module(module: str, name: str) -> type[Packet] | None:
    from scapy.packet import Packet

    if not re.fullmatch(r"(layers|contrib)(\.\w+)+", module):
        return None
    try:
        found = getattr(import_module(f"scapy.{module}"), name, None)
    except ImportError:
        return None
    is_header = isinstance(found, type) and issubclass(found, Packet) and found.__name__ == name
    return found if is_header else None
