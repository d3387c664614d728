# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Flows of a configuration to streams of ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from ...errors import UnitError
from ...measurement.delays.correction import DelayKind
from ...model.headers import HeaderStack
from ...model.payload import COUNTING
from ...model.ports import Port
from ...model.stream import Stream
from ...model.units.units import FCS_LENGTH, Bandwidth, FrameSizes, Rate
from ...planning.frame import SIGNATURE_LENGTH
from .packet import Packet, packet_of
from .refusal import Findings
from .schema import Message, chosen, given, named
from .sending import Limit, Timing, frame_size, payload, rate, timing
from .settings import FlowSetting, Interface, Part, PortSetting
from .support import reads

reads("Flow", "name tx_rx packet size rate duration metrics payload")
reads("FlowTxRx", "choice port device")
reads("FlowPort", "tx_name rx_name rx_names")
reads("FlowRouter", "mode tx_names rx_names bidirectional")
reads("FlowMetrics", "enable loss timestamps latency")
reads("FlowLatencyMetrics", "enable mode")

_LONGEST_NAME = 48  # characters of a stream's name that are the flow's
_MOST_LATER_S = Fraction(1, 10)
_STAND_IN = b"\x02\0\0\0\0\x01"  # of a gateway that has not been found yet
_KINDS = {"store_forward": DelayKind.STORE_AND_FORWARD, "cut_through": DelayKind.CUT_THROUGH}


@dataclass(frozen=True)
class World:
    """The ports and devices that flows refer to."""

    ports: Mapping[str, PortSetting]
    tester_ports: Mapping[str, Port]
    interfaces: Mapping[str, Interface]
    macs: Mapping[str, bytes]  # of the gateways that are known, by interface

    def latest(self, port: str, rate: Rate, sizes: FrameSizes) -> Fraction:
        """The gaps by which flows of the tester's port may begin later: one, or a tenth of a second."""
        return _latest(rate, sizes, self.tester_ports[port].speed)


@dataclass(frozen=True)
class _Ends:
    """The transmitter and the receiver of a flow."""

    tx: PortSetting
    rx: PortSetting | None
    anywhere: bool = False
    pairs: tuple[tuple[Interface, Interface], ...] = ()  # of devices


def flow_of(
    flow: Message, index: int, share: Fraction, world: World, findings: Findings
) -> FlowSetting | None:
    """A flow as this tester sends it; None if it is refused, which is noted with the path.

    Flows of a port do not begin at once, since a device would have to hold a frame of each: one begins later
    by its share (see `shares`) of its gap, at most a tenth of a second.
    """
    path, before = f"flows[{index}]", len(findings.errors)
    ends = _ends(flow.tx_rx, f"{path}.tx_rx", world, findings)
    packet = packet_of(flow.packet, f"{path}.packet", findings)
    sizes = asked = when = None
    with findings.at(f"{path}.size"):
        sizes = frame_size(flow.size)
    with findings.at(f"{path}.rate"):
        asked = rate(flow.rate)
    if sizes and asked and ends:
        with findings.at(f"{path}.duration"):
            when = timing(flow.duration, sizes, world.tester_ports[ends.tx.port].speed, asked)
    octets = COUNTING
    if flow.HasField("payload"):
        with findings.at(f"{path}.payload"):
            octets = payload(flow.payload)
    metrics = flow.metrics
    latency = _KINDS[named(metrics.latency, "mode") or "store_forward"] if metrics.latency.enable else None
    if len(findings.errors) > before or not (ends and packet and sizes and asked and when):
        return None
    signed = packet.length + SIGNATURE_LENGTH + FCS_LENGTH <= min(sizes.order)
    if latency and not signed:
        findings.add(
            f"{path}.metrics.latency",
            f"frames of {min(sizes.order)} bytes have no room for a signature behind headers of "
            f"{packet.length}; give at least {packet.length + SIGNATURE_LENGTH + FCS_LENGTH} bytes",
        )
        return None
    stream = Stream(
        name=_named(flow.name, index),
        tx=ends.tx.port,
        rx=ends.rx.port if ends.rx else _other(ends.tx.port, world.tester_ports),
        frame_size=sizes,
        rate=when.messages.average if when.messages else asked,
        headers=packet.stack,
        payload=octets,
        shaping=when.messages,
        start_after=when.start_after,
        phase=Fraction(0) if when.messages else share * world.latest(ends.tx.port, asked, sizes),
        editors=packet.editors,
        signature=signed,
        answered=not world.interfaces,  # where there are devices, they are answered for, and nothing else
    )
    return FlowSetting(
        name=flow.name,
        index=index,
        parts=_parts(stream, share, when, ends, packet, world),
        tx=ends.tx.name,
        rx=ends.rx.name if ends.rx else "",
        anywhere=ends.anywhere,
        enabled=metrics.enable,
        loss=metrics.loss,
        latency=latency,
        timestamps=metrics.timestamps,
        unresolved=_unresolved(ends, packet, world),
    )


def _named(name: str, index: int) -> str:
    """The name of a stream: that of its flow, unless it is too long for one."""
    fits = len(name) <= _LONGEST_NAME and name.isprintable() and name.strip()
    return name if fits else f"flow {index}: {''.join(filter(str.isprintable, name))[: _LONGEST_NAME - 10]}"


def _other(port: str, ports: Mapping[str, Port]) -> str:
    """A port to which frames go that are expected nowhere."""
    return next((name for name in sorted(ports) if name != port), port)


def _ends(tx_rx: Message, path: str, world: World, findings: Findings) -> _Ends | None:
    if chosen(tx_rx, "port") == "device":
        return _device_ends(tx_rx.device, f"{path}.device", world, findings)
    port, path = tx_rx.port, f"{path}.port"
    if not port.HasField("tx_name"):
        findings.add(f"{path}.tx_name", "is required")
        return None
    tx = _port(port.tx_name, f"{path}.tx_name", world, findings)
    names = {f"{path}.rx_names[{at}]": name for at, name in enumerate(port.rx_names)}
    if port.HasField("rx_name"):
        names = {f"{path}.rx_name": port.rx_name} | names
    receivers = {name: _port(name, place, world, findings) for place, name in names.items()}
    found = [known for known in receivers.values() if known]
    if tx is None or len(found) < len(receivers):
        return None
    if len(found) <= 1:
        return _Ends(tx, found[0] if found else None, anywhere=not found)
    others = {name for name in world.tester_ports if name != tx.port}
    if {known.port for known in found} != others:
        findings.add(
            f"{path}.rx_names",
            "frames are counted at one port, or at all ports but the transmitter's; give one name, or "
            f"those of {', '.join(sorted(others))}",
        )
        return None
    return _Ends(tx, found[0], anywhere=True)


def _port(name: str, path: str, world: World, findings: Findings) -> PortSetting | None:
    found = world.ports.get(name)
    if found is None:
        known = ", ".join(world.ports) or "none"
        findings.add(path, f"{name!r} is no port of the configuration; it has {known}")
    return found


def _device_ends(device: Message, path: str, world: World, findings: Findings) -> _Ends | None:
    before = len(findings.errors)
    if given(device, "bidirectional", False):
        findings.add(f"{path}.bidirectional", "a flow goes one way; give a second flow for the other way")
    sides = []
    for side in ("tx_names", "rx_names"):
        names = getattr(device, side)
        if not names:
            findings.add(f"{path}.{side}", "is required")
        for at, name in enumerate(names):
            if name not in world.interfaces:
                known = ", ".join(world.interfaces) or "none"
                findings.add(
                    f"{path}.{side}[{at}]",
                    f"{name!r} is no IPv4 or IPv6 interface of a device; there are {known}",
                )
        sides.append([world.interfaces[name] for name in names if name in world.interfaces])
    if len(findings.errors) > before:
        return None
    pairs = list(_paired(*sides, mesh=named(device, "mode") != "one_to_one"))
    if named(device, "mode") == "one_to_one" and len(sides[0]) != len(sides[1]):
        findings.add(
            path, f"{len(sides[0])} transmitters and {len(sides[1])} receivers; one_to_one needs as many"
        )
    elif any(one == other for one, other in pairs):
        findings.add(path, "an interface is transmitter and receiver of a pair; give two")
    elif len({(one.port, other.port) for one, other in pairs}) > 1:
        findings.add(
            path, "all pairs of a flow have one transmitting and one receiving port; give a flow for each"
        )
    if len(findings.errors) > before:
        return None
    by_port = {known.port: known for known in world.ports.values()}
    return _Ends(by_port[pairs[0][0].port], by_port[pairs[0][1].port], pairs=tuple(pairs))


def _paired(
    senders: Sequence[Interface], receivers: Sequence[Interface], *, mesh: bool
) -> Iterator[tuple[Interface, Interface]]:
    if mesh:
        yield from ((one, other) for one in senders for other in receivers)
    else:
        yield from zip(senders, receivers, strict=False)


def _unresolved(ends: _Ends, packet: Packet, world: World) -> str:
    """An interface whose gateway's MAC address is missing in the frames."""
    if not _open_destination(packet.stack):
        return ""
    return next((one.name for one, _ in ends.pairs if one.name not in world.macs), "")


def _open_destination(stack: HeaderStack) -> bool:
    return stack.headers[0].name == "Ether" and "dst" not in dict(stack.headers[0].fields)


def _parts(
    stream: Stream, share: Fraction, when: Timing, ends: _Ends, packet: Packet, world: World
) -> tuple[Part, ...]:
    """The stream of a flow, or one for each pair of devices: frame k is of pair k modulo their number."""
    if not ends.pairs:
        return (Part(stream, when.limit),)
    count = len(ends.pairs)
    if count > 1 and (packet.editors or when.messages or when.limit.duration):
        # Field patterns go through all frames of a flow, whichever pair they are of.
        raise UnitError(
            "a flow between several pairs of devices has constant fields, and no bursts or seconds"
        )
    return tuple(
        Part(_between(stream, share, number, count, one, packet, world), _limit(when.limit, number, count))
        for number, (one, _) in enumerate(ends.pairs)
    )


def _between(
    stream: Stream,
    share: Fraction,
    number: int,
    count: int,
    one: Interface,
    packet: Packet,
    world: World,
) -> Stream:
    stack = packet.stack
    if _open_destination(stack):
        mac = world.macs.get(one.name, _STAND_IN).hex(":")
        first = replace(stack.headers[0], fields=(*stack.headers[0].fields, ("dst", mac)))
        stack = replace(stack, headers=(first, *stack.headers[1:]))
    if count == 1:
        return replace(stream, headers=stack)
    rate = Rate(stream.rate.value / count, stream.rate.unit)
    later = share * world.latest(stream.tx, rate, stream.frame_size)
    return replace(
        stream,
        name=f"{stream.name} #{number + 1}",
        headers=stack,
        rate=rate,
        phase=Fraction(number, count) + later,
    )


def _limit(limit: Limit, number: int, count: int) -> Limit:
    if limit.packets is None:
        return limit
    return Limit(packets=limit.packets // count + (number < limit.packets % count))


def shares(flows: Sequence[Message], world: World) -> Iterator[Fraction]:
    """The part of its port's flows that are before each flow; any number for one that is refused anyway."""
    senders = [_sender(flow.tx_rx, world) for flow in flows]
    sharing, before = Counter(senders), Counter[str]()
    for sender in senders:
        yield Fraction(before[sender], sharing[sender])
        before[sender] += 1


def _sender(tx_rx: Message, world: World) -> str:
    """The tester's port that sends a flow; empty where there is none."""
    found: PortSetting | Interface | None
    if chosen(tx_rx, "port") == "device":
        found = next((world.interfaces.get(name) for name in tx_rx.device.tx_names), None)
    else:
        found = world.ports.get(tx_rx.port.tx_name)
    return found.port if found else ""


@lru_cache(maxsize=1024)
def _latest(rate: Rate, sizes: FrameSizes, speed: Bandwidth) -> Fraction:
    """Kept, because thousands of flows have the same few rates."""
    return min(Fraction(1), rate.frames_per_second(sizes.mean, speed) * _MOST_LATER_S)
