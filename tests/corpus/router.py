# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A router and a switch in user space that do everything right; each bug of `bugs.py` overrides one method.

Only the standard library.
"""

from __future__ import annotations

import select
import socket
import struct
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from ipaddress import ip_address, ip_interface
from typing import ClassVar

from . import wire

_ETH_P_ALL, _OUTGOING, _RECEIVE_BUFFER = 3, 4, 33  # the last is SO_RCVBUFFORCE
_SOL_PACKET, _AUXDATA, _VLAN_VALID = 263, 8, 0x10


class Port:
    """An interface of the device, in raw frames."""

    def __init__(self, name: str, gateway: str = "", station: str = "", mac: str = "") -> None:
        """`station` is the tester's address behind it, which has this MAC address."""
        self.name = name
        self.gateway = ip_interface(gateway) if gateway else None
        self.neighbours = {ip_address(station).packed: bytes.fromhex(mac.replace(":", ""))} if station else {}
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.socket.setsockopt(socket.SOL_SOCKET, _RECEIVE_BUFFER, 1 << 24)
        self.socket.setsockopt(_SOL_PACKET, _AUXDATA, 1)
        self.socket.bind((name, _ETH_P_ALL))
        self.mac: bytes = self.socket.getsockname()[4]

    @property
    def address(self) -> bytes:
        return self.gateway.ip.packed if self.gateway else b""

    def fileno(self) -> int:
        return self.socket.fileno()

    def receive(self) -> bytes:
        """A frame with its VLAN tag, which the kernel takes out; nothing if the frame leaves."""
        octets, beside, _, source = self.socket.recvmsg(16384, 64)
        if source[2] == _OUTGOING:
            return b""
        for _, kind, data in beside:
            status, _, _, _, _, control, protocol = struct.unpack("=IIIHHHH", data)
            if kind == _AUXDATA and status & _VLAN_VALID:
                return octets[:12] + struct.pack("!HH", protocol, control) + octets[12:]
        return octets

    def is_next_to(self, address: bytes) -> bool:
        return self.gateway is not None and ip_address(address) in self.gateway.network


class Device(ABC):
    """A router or a switch: its ports, and the way out of them."""

    bug: ClassVar[str] = ""

    def __init__(self, ports: Mapping[str, Port]) -> None:
        self.ports = ports
        self.forwarded = 0  # frames

    def run(self) -> None:
        print("ready", flush=True)
        sources = [*self.ports.values(), sys.stdin]
        while True:
            for source in select.select(sources, [], [])[0]:
                if not isinstance(source, Port):
                    return
                if frame := source.receive():
                    self.handle(source, frame)

    @abstractmethod
    def handle(self, ingress: Port, frame: bytes) -> None:
        """Takes a frame that has arrived at a port."""

    def forward(self, ingress: Port, egress: Port, frame: bytes) -> None:
        """Sends a frame of somebody else."""
        self.forwarded += 1
        for port, octets in self.leaving(ingress, egress, frame):
            self.send(port, octets)

    def leaving(self, ingress: Port, egress: Port, frame: bytes) -> Iterator[tuple[Port, bytes]]:
        """The frames that leave now, and their ports."""
        del ingress
        yield egress, frame

    def send(self, port: Port, frame: bytes) -> None:
        missing = wire.SHORTEST - len(frame)
        port.socket.send(frame + self.padding(missing) if missing > 0 else frame)

    def padding(self, missing: int) -> bytes:
        """RFC 894: octets of zero."""
        return bytes(missing)


class Switch(Device):
    """Sends each frame to the other port, as it came."""

    def handle(self, ingress: Port, frame: bytes) -> None:
        for egress in self.ports.values():
            if egress is not ingress:
                self.forward(ingress, egress, self.retagged(frame))

    def retagged(self, frame: bytes) -> bytes:
        """The frame with the tag with which it leaves."""
        return frame


class Router(Device):
    """Forwards between the networks of its ports (RFC 1812, RFC 8200), and answers for its own addresses."""

    mtu = 1500

    def handle(self, ingress: Port, frame: bytes) -> None:
        if frame[:6] != ingress.mac and not frame[0] & 1:
            return
        kind, packet = frame[12:14], frame[14:]
        if kind == wire.ARP:
            self.handle_arp(ingress, packet)
        elif kind == wire.IPV4:
            self.handle_ipv4(ingress, packet, frame[6:12])
        elif kind == wire.IPV6:
            self.handle_ipv6(ingress, packet, frame[6:12])

    def route(self, address: bytes) -> Port | None:
        return next((port for port in self.ports.values() if port.is_next_to(address)), None)

    def deliver(self, ingress: Port, kind: bytes, packet: bytes, destination: bytes) -> None:
        egress = self.route(destination)
        mac = egress.neighbours.get(destination) if egress else None
        if egress and mac:
            self.forward(ingress, egress, mac + egress.mac + kind + packet)

    # ARP and neighbour discovery

    def handle_arp(self, ingress: Port, packet: bytes) -> None:
        operation = packet[6:8]
        sender_mac, sender, target = packet[8:14], packet[14:18], packet[24:28]
        if ingress.is_next_to(sender):
            ingress.neighbours[sender] = sender_mac
        if operation == b"\x00\x01" and self.answers_arp(ingress, target):
            reply = packet[:6] + b"\x00\x02" + ingress.mac + target + sender_mac + sender
            self.send(ingress, sender_mac + ingress.mac + wire.ARP + reply)

    def answers_arp(self, ingress: Port, target: bytes) -> bool:
        return target == ingress.address

    def handle_solicitation(self, ingress: Port, packet: bytes, source_mac: bytes) -> None:
        source, group, target = packet[8:24], packet[24:40], packet[48:64]
        if target != ingress.address or not self.is_on_link(packet[7]) or not self.answers(group):
            return
        if ingress.is_next_to(source):
            ingress.neighbours[source] = source_mac
        message = wire.advertisement(target, self.advertised_mac(ingress), self.advertised_flags())
        answer = wire.icmpv6(target, source, message, hop_limit=255)
        self.send(ingress, source_mac + ingress.mac + wire.IPV6 + answer)

    def is_on_link(self, hops: int) -> bool:
        """Whether a message of neighbour discovery with this hop limit has passed no router."""
        return hops == 255

    def answers(self, destination: bytes) -> bool:
        """Whether a solicitation to this address is answered."""
        del destination
        return True

    def advertised_mac(self, ingress: Port) -> bytes:
        """The target link-layer address option; empty: none."""
        return ingress.mac

    def advertised_flags(self) -> int:
        return wire.ROUTER | wire.SOLICITED | wire.OVERRIDE

    # Forwarding

    def handle_ipv4(self, ingress: Port, padded: bytes, source_mac: bytes) -> None:
        del source_mac
        length = int.from_bytes(padded[2:4], "big")
        packet, header = padded[:length], padded[: (padded[0] & 15) * 4]
        if padded[0] >> 4 != 4 or len(header) < 20 or not self.is_intact(header):
            return
        source, destination, hops = header[12:16], header[16:20], header[8]
        if destination == ingress.address or self.is_martian(source):
            return
        if self.is_expired(hops):
            if self.may_report(packet, len(header)):
                self.report(ingress, source, 11, 0, self.quoted(packet))
            return
        changed = bytearray(header)
        changed[8] = self.hops_left(hops)
        changed[1] = self.traffic_class(header[1])
        changed[4:8] = self.fragmentation(header[4:8])
        routed = self.summed(bytes(changed)) + self.payload(packet, len(header))
        for piece in self.pieces(ingress, routed):
            self.deliver(ingress, wire.IPV4, piece, destination)

    def handle_ipv6(self, ingress: Port, padded: bytes, source_mac: bytes) -> None:
        packet = padded[: 40 + int.from_bytes(padded[4:6], "big")]
        source, destination, hops = packet[8:24], packet[24:40], packet[7]
        if packet[6] == wire.ICMPV6 and packet[40] == wire.SOLICITATION:
            self.handle_solicitation(ingress, packet, source_mac)
            return
        if (
            destination == ingress.address
            and packet[6] == wire.ROUTING
            and packet[42] == wire.SEGMENT_ROUTING
        ):
            packet = self.at_next_segment(packet)
            destination = packet[24:40]
        if destination == ingress.address or wire.is_multicast(destination) or self.is_martian(source):
            return
        if self.is_expired(hops):
            self.report_ipv6(ingress, source, 3, packet[:1232])
            return
        if len(packet) > self.mtu:
            self.report_ipv6(ingress, source, 2, packet[:1232], mtu=self.mtu)
            return
        first = int.from_bytes(packet[:4], "big")
        traffic_class, label = self.traffic_class(first >> 20 & 0xFF), self.flow_label(first & 0xFFFFF)
        head = struct.pack("!I", 6 << 28 | traffic_class << 20 | label)
        length = struct.pack("!H", self.payload_length(len(packet) - 40))
        routed = head + length + packet[6:7] + bytes([self.hops_left(hops)]) + packet[8:]
        self.deliver(ingress, wire.IPV6, routed, destination)

    def at_next_segment(self, packet: bytes) -> bytes:
        """RFC 8986 §4.1: the packet on its way to the next segment of its list."""
        segments_left, last = packet[43], packet[44]
        if not segments_left or segments_left > last + 1:
            return packet
        entry = 48 + (segments_left - 1) * 16
        route = bytes([segments_left - 1, self.last_entry(last)])
        return packet[:24] + packet[entry : entry + 16] + packet[40:43] + route + packet[45:]

    def last_entry(self, value: int) -> int:
        """The last entry of a segment routing header: the number of its segments less 1."""
        return value

    def pieces(self, ingress: Port, packet: bytes) -> Iterator[bytes]:
        """An IPv4 packet, if it is not too long for the next link."""
        if self.is_too_long(len(packet)):
            self.report(ingress, packet[12:16], 3, 4, packet[:28], mtu=self.mtu)
        else:
            yield packet

    def is_too_long(self, length: int) -> bool:
        return length > self.mtu

    def is_intact(self, header: bytes) -> bool:
        """RFC 1812 §5.2.2: whether an IPv4 header has the right checksum."""
        return wire.checksum(header) == 0

    def is_martian(self, source: bytes) -> bool:
        """Whether a packet from this address is not forwarded (RFC 1812 §5.3.7, RFC 4291 §2.5.6)."""
        address = ip_address(source)
        return address.is_loopback or address.is_link_local or address.is_multicast

    def is_expired(self, hops: int) -> bool:
        return hops <= 1

    def hops_left(self, hops: int) -> int:
        return hops - 1

    def traffic_class(self, value: int) -> int:
        """DSCP and ECN."""
        return value

    def fragmentation(self, octets: bytes) -> bytes:
        """Identification, flags and offset of an IPv4 header."""
        return octets

    def flow_label(self, value: int) -> int:
        return value

    def payload_length(self, length: int) -> int:
        """The payload length of an IPv6 header."""
        return length

    def summed(self, header: bytes) -> bytes:
        """An IPv4 header that was changed, with its checksum."""
        return wire.with_checksum(header)

    def payload(self, packet: bytes, header_length: int) -> bytes:
        """The payload of an IPv4 packet."""
        return packet[header_length:]

    # ICMP errors

    def may_report(self, packet: bytes, header_length: int) -> bool:
        """RFC 1812 §4.3.2.7: there is no error about an error."""
        return packet[9] != wire.ICMP or packet[header_length] not in wire.ERRORS

    def quoted(self, packet: bytes) -> bytes:
        """RFC 1812 §4.3.2.3: the packet as it came."""
        return packet[:28]

    def report(
        self, ingress: Port, source: bytes, kind: int, code: int, quote: bytes, *, mtu: int = 0
    ) -> None:
        if mac := ingress.neighbours.get(source):
            message = wire.icmp_error(kind, code, quote, mtu=mtu)
            packet = wire.ipv4(ingress.address, source, wire.ICMP, message)
            self.send(ingress, mac + ingress.mac + wire.IPV4 + packet)

    def report_ipv6(self, ingress: Port, source: bytes, kind: int, quote: bytes, *, mtu: int = 0) -> None:
        if mac := ingress.neighbours.get(source):
            message = struct.pack("!BBHI", kind, 0, 0, mtu) + quote
            packet = wire.icmpv6(ingress.address, source, message, hop_limit=64)
            self.send(ingress, mac + ingress.mac + wire.IPV6 + packet)
