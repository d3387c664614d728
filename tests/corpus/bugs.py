# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Routers and switches with one bug each, and the kind of device that shows it. Only the standard library."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from . import wire
from .router import Device, Port, Router, Switch


class DecrementsTwice(Router):
    """Switches with routing in two passes through the pipeline, and routers in service chains."""

    bug = "TTL decremented by 2"

    def hops_left(self, hops: int) -> int:
        return max(hops - 2, 0)


class KeepsHops(Router):
    """Firewalls in a "transparent" mode that route all the same, and tunnels that hide their hop."""

    bug = "TTL not decremented"

    def hops_left(self, hops: int) -> int:
        return hops


class LosesDscp(Router):
    """Home gateways and radio links, whose default queue policy writes best effort into each packet."""

    bug = "DSCP lost"

    def traffic_class(self, value: int) -> int:
        return value & 3


class ClearsEcn(Router):
    """Routers from the time of the TOS byte (RFC 1349), which take the ECN bits for a part of the DSCP."""

    bug = "ECN bits cleared"

    def traffic_class(self, value: int) -> int:
        return value & ~3


class LosesIpv6TrafficClass(Router):
    """Gateways whose marking rules are for IPv4 only, and write a new first word of the IPv6 header."""

    bug = "IPv6 traffic class lost"

    def traffic_class(self, value: int) -> int:
        del value
        return 0


class KeepsChecksum(Router):
    """Network processors whose program changes the TTL and leaves the checksum to hardware that is off."""

    bug = "IPv4 checksum not updated"

    def summed(self, header: bytes) -> bytes:
        return header


class LengthensTotal(Router):
    """Pipelines that take the length of the frame, trailer included, for that of the packet."""

    bug = "IPv4 total length wrong"

    def summed(self, header: bytes) -> bytes:
        length = int.from_bytes(header[2:4], "big") + 4
        return wire.with_checksum(header[:2] + struct.pack("!H", length) + header[4:])


class CountsIpv6Header(Router):
    """Encapsulating routers that write the length as in IPv4, with the header's 40 bytes."""

    bug = "IPv6 payload length wrong"

    def payload_length(self, length: int) -> int:
        return length + 40


class LeaksPadding(Router):
    """Network drivers that pad short frames with what the buffer had before (CVE-2003-0001, "EtherLeak")."""

    bug = "stale bytes in the padding"

    def padding(self, missing: int) -> bytes:
        return (b"secret" * missing)[:missing]


class QuotesOtherChecksum(Router):
    """Line cards that report a packet after they decremented its TTL, without a new checksum."""

    bug = "ICMP errors quote a wrong checksum"

    def quoted(self, packet: bytes) -> bytes:
        return packet[:8] + b"\0" + packet[9:28]


class NeverReports(Router):
    """Routers whose control plane polices all ICMP errors away: a hop of `* * *` in traceroute."""

    bug = "no time-exceeded messages"

    def report(
        self, ingress: Port, source: bytes, kind: int, code: int, quote: bytes, *, mtu: int = 0
    ) -> None:
        """Sends nothing."""


class AdvertisesNoAddress(Router):
    """Small IPv6 stacks that leave the option out as if they answered unicast only (RFC 4861 §4.4)."""

    bug = "advertisement without link-layer address"

    def advertised_mac(self, ingress: Port) -> bytes:
        del ingress
        return b""


class AdvertisesUnsolicited(Router):
    """Small IPv6 stacks: neighbours never find the router reachable, and ask again and again."""

    bug = "advertisement without the S flag"

    def advertised_flags(self) -> int:
        return wire.ROUTER | wire.OVERRIDE


class AdvertisesNoOverride(Router):
    """Proxies and standby routers: after a failover hosts go on sending to the old MAC address."""

    bug = "advertisement without the O flag"

    def advertised_flags(self) -> int:
        return wire.ROUTER | wire.SOLICITED


class AnswersMulticastOnly(Router):
    """Switch ASICs that trap only solicited-node groups: unreachability detection fails after a minute."""

    bug = "unicast solicitations not answered"

    def answers(self, destination: bytes) -> bool:
        return wire.is_multicast(destination)


class LosesPriority(Switch):
    """Software switches that pop and push the tag with its VLAN ID only."""

    bug = "VLAN priority lost"

    def retagged(self, frame: bytes) -> bytes:
        if frame[12:14] != b"\x81\x00":
            return frame
        control = int.from_bytes(frame[14:16], "big") & 0x0FFF
        return frame[:14] + struct.pack("!H", control) + frame[16:]


class DropsFullFrames(Router):
    """Routers that compare with `>=`, or subtract a tag that is not there from the MTU."""

    bug = "packets of exactly the MTU dropped"

    def is_too_long(self, length: int) -> bool:
        return length >= self.mtu


class LosesLastFragments(Router):
    """Stateless filters that pass a fragment without ports only if it says that more fragments follow."""

    bug = "last fragment lost"

    def pieces(self, ingress: Port, packet: bytes) -> Iterator[bytes]:
        fragment = int.from_bytes(packet[6:8], "big")
        if not fragment & wire.FRAGMENT_OFFSET or fragment & wire.MORE_FRAGMENTS:
            yield from super().pieces(ingress, packet)


class SwapsFragments(Router):
    """Routers that hash ports where there are any: first fragments take another path than the rest."""

    bug = "fragments out of order"

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.first = b""

    def pieces(self, ingress: Port, packet: bytes) -> Iterator[bytes]:
        fragment = int.from_bytes(packet[6:8], "big")
        if fragment == wire.MORE_FRAGMENTS:
            self.first = packet
            return
        yield from super().pieces(ingress, packet)
        if self.first:
            yield from super().pieces(ingress, self.first)
            self.first = b""


class Duplicates(Router):
    """Redundant paths (PRP, link aggregation after a change) whose second copy is not taken out."""

    bug = "each 20th frame duplicated"

    def leaving(self, ingress: Port, egress: Port, frame: bytes) -> Iterator[tuple[Port, bytes]]:
        del ingress
        yield egress, frame
        if self.forwarded % 20 == 0:
            yield egress, frame


class ChangesPayload(Router):
    """Memory errors between two checks: the checksum is computed anew over the wrong byte."""

    bug = "payload changed, checksum right"

    def payload(self, packet: bytes, header_length: int) -> bytes:
        if self.forwarded % 20 or packet[9] != wire.UDP:
            return packet[header_length:]
        changed = packet[:40] + bytes([packet[40] ^ 1]) + packet[41:]
        return changed[header_length:26] + struct.pack("!H", wire.udp_checksum(changed)) + changed[28:]


class RewritesText(Router):
    """Firewalls with an application layer gateway (SIP, FTP): they change addresses in the payload."""

    bug = "address in the payload rewritten"

    def payload(self, packet: bytes, header_length: int) -> bytes:
        changed = packet[:header_length] + packet[header_length:].replace(b"198.18.1.2", b"198.19.1.1")
        return changed[header_length:26] + struct.pack("!H", wire.udp_checksum(changed)) + changed[28:]


class LosesOddLengths(Router):
    """Network cards that move words of 4 bytes, and count the last word of a frame wrong."""

    bug = "frames of 4n + 1 bytes lost"

    def pieces(self, ingress: Port, packet: bytes) -> Iterator[bytes]:
        if (len(packet) + 18) % 4 != 1:  # Ethernet's header and FCS
            yield from super().pieces(ingress, packet)


class Misdelivers(Router):
    """Fabrics that lose the egress port of a cell under load: the frame leaves where it came from."""

    bug = "frames sent back to the ingress port"

    def leaving(self, ingress: Port, egress: Port, frame: bytes) -> Iterator[tuple[Port, bytes]]:
        yield (ingress if self.forwarded % 20 == 0 else egress), frame


class FillsUdpChecksum(Router):
    """Routers with transmit offload: they sum up a datagram that was sent without a checksum (RFC 768)."""

    bug = "UDP checksum 0 rewritten"

    def payload(self, packet: bytes, header_length: int) -> bytes:
        payload = packet[header_length:]
        if packet[9] != wire.UDP or payload[6:8] != b"\0\0":
            return payload
        return payload[:6] + struct.pack("!H", wire.udp_checksum(packet)) + payload[8:]


class ZeroesFlowLabel(Router):
    """Firewalls that write the IPv6 header anew (RFC 6437 §6.1 allows it for covert channels, no router)."""

    bug = "flow label zeroed"

    def flow_label(self, value: int) -> int:
        del value
        return 0


class CountsSegments(Router):
    """SRv6 nodes that write the number of segments: hosts behind them drop the packet (RFC 8754 §4.3.1.1)."""

    bug = "SRv6 last entry wrong"

    def last_entry(self, value: int) -> int:
        return value + 1


class ForwardsLastHop(Router):
    """Fast paths that compare the TTL with 0 before they decrement it."""

    bug = "packets with TTL 1 forwarded"

    def is_expired(self, hops: int) -> bool:
        return hops == 0


class BalancesPackets(Router):
    """Routers with per-packet load sharing over unequal links: frames of one flow overtake each other."""

    bug = "frames of a flow reordered"

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.slower: tuple[Port, bytes] | None = None

    def leaving(self, ingress: Port, egress: Port, frame: bytes) -> Iterator[tuple[Port, bytes]]:
        del ingress
        if self.forwarded % 10 == 5:
            self.slower = egress, frame
            return
        yield egress, frame
        if self.slower and self.forwarded % 10 == 7:
            yield self.slower
            self.slower = None


class KeepsSourceAddress(Router):
    """Routers on a stick and bridging routers that write the destination's MAC address alone."""

    bug = "source MAC address not rewritten"

    def handle(self, ingress: Port, frame: bytes) -> None:
        self.sender = frame[6:12]
        super().handle(ingress, frame)

    def leaving(self, ingress: Port, egress: Port, frame: bytes) -> Iterator[tuple[Port, bytes]]:
        del ingress
        yield egress, frame[:6] + self.sender + frame[12:]


class CollectsFrames(Router):
    """Network cards with interrupt coalescing, and radio links: frames wait and leave in one burst."""

    bug = "100 frames collected and sent at once"

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.waiting: list[tuple[Port, bytes]] = []

    def leaving(self, ingress: Port, egress: Port, frame: bytes) -> Iterator[tuple[Port, bytes]]:
        del ingress
        self.waiting.append((egress, frame))
        if len(self.waiting) == 100:
            yield from self.waiting
            self.waiting.clear()


class LosesBucket(Router):
    """Link aggregation and ECMP with one dead member: each flow that is hashed to it is lost."""

    bug = "one of 16 hash buckets lost"

    def leaving(self, ingress: Port, egress: Port, frame: bytes) -> Iterator[tuple[Port, bytes]]:
        del ingress
        if frame[35] % 16 != 3:  # UDP source port behind 20 bytes of IPv4
            yield egress, frame


class Pauses(Router):
    """Routers whose forwarding stands while a table is written or a link of an aggregate changes."""

    bug = "forwarding pauses"

    def leaving(self, ingress: Port, egress: Port, frame: bytes) -> Iterator[tuple[Port, bytes]]:
        del ingress
        if not 60 < self.forwarded <= 120:
            yield egress, frame


class ClearsDontFragment(Router):
    """Access gateways that clear the DF bit to get around lost "fragmentation needed" messages."""

    bug = "DF bit cleared"

    def fragmentation(self, octets: bytes) -> bytes:
        flags = int.from_bytes(octets[2:], "big") & ~wire.DONT_FRAGMENT
        return octets[:2] + struct.pack("!H", flags)


class RenumbersPackets(Router):
    """Firewalls that "scrub" the IPv4 identification, also of packets that are fragmented later."""

    bug = "IPv4 identification rewritten"

    def fragmentation(self, octets: bytes) -> bytes:
        return struct.pack("!H", self.forwarded & 0xFFFF) + octets[2:]


class ForwardsBrokenHeaders(Router):
    """Fast paths that compute the checksum anew and never verify it: a damaged header becomes a right one."""

    bug = "IPv4 checksum not verified"

    def is_intact(self, header: bytes) -> bool:
        del header
        return True


class ForwardsMartians(Router):
    """Routers whose source check is done in an access list that nobody configured."""

    bug = "packets from martian addresses forwarded"

    def is_martian(self, source: bytes) -> bool:
        del source
        return False


class AnswersFromAfar(Router):
    """IPv6 stacks that do not look at the hop limit: anybody in the world can fill the neighbour cache."""

    bug = "solicitations with hop limit 64 answered"

    def is_on_link(self, hops: int) -> bool:
        del hops
        return True


class ReportsErrors(Router):
    """Line cards that report each expired packet, ICMP errors too: two of them never end."""

    bug = "ICMP errors about ICMP errors"

    def may_report(self, packet: bytes, header_length: int) -> bool:
        del packet, header_length
        return True


class AnswersForAll(Router):
    """Routers with proxy ARP as the default: they answer for addresses that nobody has."""

    bug = "ARP answered for each address"

    def answers_arp(self, ingress: Port, target: bytes) -> bool:
        del ingress, target
        return True


def devices(kind: type[Device]) -> dict[str, type[Device]]:
    """The devices with a bug, by their bug."""
    return {device.bug: device for device in kind.__subclasses__()}
