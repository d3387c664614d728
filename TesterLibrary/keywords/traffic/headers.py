# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the headers and payloads of a stream's frames."""

from __future__ import annotations

from dataclasses import replace

from robot.api.deco import keyword

from ...files.headers import load_headers
from ...files.payload import load_payload
from ...model.headers import HeaderStack
from ...model.payload import PayloadKind
from ...running.suite import Suite
from .._component import component


@component
class Headers:
    """Headers and payloads of streams."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["stream"])
    def set_headers(self, name: str, headers: HeaderStack, definitions: str | None = None) -> None:
        """Gives the frames of a stream that is not sending other headers.

        | ``name`` | the name of the stream |
        | ``headers`` | the headers from the outermost inwards, written as in Scapy |
        | ``definitions`` | a file of headers that Scapy does not have, such as ``example`` or a path |

        Headers: ``Ether``, ``VLAN(vlan=100)``, ``Dot1AD``, ``MPLS``, ``IP``, ``IPv6``, ``SRv6``, ``GRE``,
        ``VXLAN``, ``GENEVE``, ``GTPU``, ``UDP``, ``TCP``, ``SCTP``, ``ICMP``, ``ICMPv6EchoRequest``, ``ARP``,
        ``BTH`` (RoCEv2), and every other header of Scapy; less common ones with their module:
        ``contrib.nsh.NSH``. Fields have Scapy's names. Values are numbers (``100``, ``0x64``), Scapy's words
        (``is-at``, ``SA``), addresses, text or ``0x`` octets, in quotes if necessary, and lists:
        ``SRv6(addresses=[2001:2::9])``. A VLAN tag is ``VLAN`` and its number ``vlan``; Scapy's names
        ``Dot1Q`` and ``vid`` are accepted as well, also in names of fields: ``VLAN.vlan``.

        The tester fills in what is not given: addresses from the ports and the gateway, multicast MAC
        addresses from the group, types, lengths and checksums from the headers around. A given value stays,
        even a wrong checksum. The FCS is not part of the headers: ports append the right one. No port of the
        tester can send a wrong FCS, so the filtering of such frames (RFC 2889 §5.9) is not tested.

        The signature is the last 16 bytes of each frame; all checksums stay right. Behind SCTP and RoCEv2,
        whose CRCs it cannot keep right, it follows the packet as an Ethernet trailer. A bridge forwards this
        trailer; towards a router such a stream is refused. An unknown header or field, a value that does not
        fit its field, and headers that do not fit the frame are refused: the message names stream, field and
        what is allowed.

        | `Set Headers` | north | Ether / VLAN(vlan=100) / IP(tos=0xb8) / UDP(dport=4791) |
        | `Set Headers` | north | Ether / IP / UDP / VXLAN(vni=42) / Ether / IP / TCP(flags=S) |
        | `Set Headers` | north | Ether / FabricTag(id=7) / IP / UDP | definitions=example |
        """
        types = load_headers(definitions) if definitions else ()
        self._suite.change(name, headers=replace(headers, types=types))

    @keyword(tags=["stream"])
    def set_payload(self, name: str, kind: PayloadKind, content: str | None = None) -> None:
        """Fills the frames of a stream that is not sending, between headers and signature.

        | ``name`` | the name of the stream |
        | ``kind`` | ``counting`` (the default), ``zeros``, ``random``, ``prbs31``, ``text`` or ``file`` |
        | ``content`` | the text, or the path of the file; it is repeated to fill the payload |

        ``random`` follows from the library's seed; ``prbs31`` is x^31 + x^28 + 1.

        | `Set Payload` | north | prbs31 |
        | `Set Payload` | north | text | GET / HTTP/1.1 |
        """
        self._suite.change(name, payload=load_payload(kind, content or ""))
