# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Responders and clients as tables and numbers, with the addresses that the tester has to answer for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from ..errors import TesterLibraryError
from ..model.endpoints import AddressRange, Endpoints, PortRange
from ..model.plan.plan import LearningFrame, PlannedNeighbour
from ..model.plan.planned_end import Accept, Opening, PlannedEnd, Series
from ..model.ports import Address, Port
from ..model.protocol import Protocol
from ..model.responder import Clients, End, Numbers, Reopen, Responder
from ..model.trigger import Trigger
from ..model.units.splitmix import splitmix64
from ..model.units.units import FCS_LENGTH
from ..protocols.frame import Frame
from ..protocols.parameters import parameter_values, written_parameters
from ..protocols.scope import layout_of
from ..wire.address import Station, station_of
from .device_addresses import DeviceAddresses
from .ends import protocol_of
from .frame import announcement
from .questions import questions
from .trigger import plan_trigger

MOST_NEIGHBOURS = 65_536  # addresses of one end that the tester answers for one by one
MOST_FLOWS = 1 << 24  # different ones that an end opens: `responder.proto`
MOST_AT_ONCE = 1 << 23  # flows that a tester keeps, one more than connections: `Limits.max_responder_flows`
_FREE_PORTS = PortRange(1024, 0x10000 - 1024)  # from which clients connect
_BELOW_TCP = {"IP": 14 + 20 + 20, "IPv6": 14 + 40 + 20}  # bytes of Ethernet, IP and TCP without options
_TAG = 4  # bytes of a VLAN's
_STANDARD_MSS = 1460

Neighbours = Mapping[tuple[str, Address], bytes]  # MAC addresses by port and IP address


@dataclass(frozen=True)
class EndPlan:
    """An end, and what makes others find it."""

    end: PlannedEnd
    neighbours: tuple[PlannedNeighbour, ...]
    learning: tuple[LearningFrame, ...]


def plan_end(
    end: End,
    number: int,
    seed: int,
    *,
    ports: Mapping[str, Port],
    gateways: Mapping[str, bytes],
    neighbours: Neighbours,
) -> EndPlan:
    """One responder, or clients.

    Args:
        end: As its author wrote it.
        number: Of the end in its job, from 0.
        seed: Of the job.
        ports: The tester's ports by name.
        gateways: MAC addresses of gateways, by the name of the port that uses them.
        neighbours: MAC addresses of what clients reach without a gateway.

    Raises:
        PlanError: what cannot be, by the name of the end.
    """
    if end.port not in ports:
        raise end.refused(f"port={end.port!r} is no port of this tester; it has {', '.join(sorted(ports))}")
    try:
        if isinstance(end, Trigger):
            return EndPlan(plan_trigger(end, splitmix64(seed, number), ports=ports), (), ())
        station, device = station_of(ports[end.port], ports), DeviceAddresses(ports)
        planner = _Planner(end, protocol_of(end, ports), station, device)
        if isinstance(end, Clients):
            return planner.clients(end, splitmix64(seed, number), gateways, neighbours)
        assert isinstance(end, Responder)
        return planner.responder(end, splitmix64(seed, number))
    except TesterLibraryError as problem:
        text = str(problem)
        raise problem if text.startswith(str(end.refused(""))) else end.refused(text) from None


class _Planner:
    """Plans one end, whose protocol is known."""

    def __init__(self, end: End, protocol: Protocol, station: Station, device: DeviceAddresses) -> None:
        self._end, self._protocol, self._station, self._device = end, protocol, station, device
        layout = layout_of(protocol.stack)
        names = [header.name for header in layout.headers]
        self._ip = next((name for name in names if name in ("IP", "IPv6")), "")
        transport = next((name for name in names if name in ("TCP", "UDP")), "")
        flow = [name.partition(".")[0] for key in protocol.layers[0].flow for name in key]
        # Flows that are known by something else, as RoCEv2's by their queue pair, have no ports of their own.
        self._transport = transport if transport in flow or not flow else ""
        self._announced = {
            f"{header.name}.{field}": value
            for header in layout.headers
            for field, value in header.announced.items()
        }
        self._known = {parameter.name for layer in protocol.layers for parameter in layer.parameters}

    def responder(self, end: Responder, seed: int) -> EndPlan:
        """One that answers."""
        given: dict[str, Any] = {}
        accepts: tuple[Accept, ...] = ()
        mine: AddressRange | None = None
        if end.answers_for is not None:
            given = self._answering(end.answers_for)
            values = self._values(given)
            if len(self._protocol.layers) == len(self._protocol.states) == 1:
                accepts = tuple(questions(self._protocol, values))
        elif self._ip:
            self._check_version(end.servers)
            servers = end.servers or Endpoints(AddressRange(self._own_address()))
            accepts, mine = tuple(self._accepts(servers)), servers.addresses
        elif end.servers is not None:
            raise end.refused(
                f"{self._protocol.name} has no IP header, so servers= means nothing; leave it out, and give "
                f"{self._instead_of_servers()}"
            )
        if self._protocol.layers[0].shared and end.vlan is not None:
            raise end.refused(
                f"packets of {self._protocol.name} are for all hosts of a port, and their tags are not taken "
                "off for one of them; leave vlan= out"
            )
        self._check_answers(self._values(given))
        keeps = len(self._protocol.layers[0].states) > 1
        if keeps and end.flows > MOST_AT_ONCE:
            raise end.refused(f"flows={end.flows:,} are too many for a tester, which keeps {MOST_AT_ONCE:,}")
        return self._plan(accepts, given, seed, end.flows if keeps else 0, None, mine)

    def clients(
        self, end: Clients, seed: int, gateways: Mapping[str, bytes], neighbours: Neighbours
    ) -> EndPlan:
        """Some that open flows."""
        sources = self._sources(end)
        target = self._target(end)
        flows = self._flows(end, sources)
        keeps = len(self._protocol.layers[0].states) > 1
        if keeps and end.reopen is Reopen.NEVER and (end.total or 0) > end.connections:
            raise end.refused(
                f"with reopen=never each of connections={end.connections:,} is opened once, and never "
                f"total={end.total:,}; give as many connections="
            )
        opening = Opening(
            flows=flows,
            addresses=tuple(self._series(sources, target, end.keys)),
            source_mac=self._station.port.mac,
            destination_mac=self._next_hop(end, target.addresses, gateways, neighbours),
            connections=end.connections if keeps else 0,
            rate=end.rate.per_second / 10**9 if end.rate else None,
            reopen=end.reopen,
            total=end.total or 0,
            first_flow=self._first_flow(end, flows),
        )
        accepts = (*self._accepts(sources), *self._accepts(target, side="src"))
        given = {"listen": 0} if "listen" in self._known else {}
        # One more than it opens, so that a packet of a flow that is over is answered whatever is open.
        capacity = end.connections + 1 if keeps else 0
        return self._plan(accepts, given, seed, capacity, opening, sources.addresses)

    def _plan(
        self,
        accepts: tuple[Accept, ...],
        given: Mapping[str, Any],
        seed: int,
        capacity: int,
        opening: Opening | None,
        mine: AddressRange | None,
    ) -> EndPlan:
        end = self._end
        values = self._values(given)
        self._check_lengths(values)
        planned = PlannedEnd(
            name=end.name,
            port=end.port,
            protocol=self._protocol,
            parameters=values,
            accepts=accepts,
            seed=seed,
            flow_capacity=capacity,
            vlan=end.vlan,
            opening=opening,
        )
        return EndPlan(planned, tuple(self._neighbours(mine)), tuple(self._learning(mine)))

    def _values(self, given: Mapping[str, Any]) -> Mapping[str, int]:
        """All parameters: what the end's author wrote outweighs what was given for the author."""
        written = written_parameters(self._protocol, self._end.parameters)
        return parameter_values(self._protocol, {**self._fitting(), **given, **written})

    def _answering(self, addresses: AddressRange) -> dict[str, Any]:
        """Parameters of a protocol about addresses."""
        given = {"first": addresses.first, "last": addresses.last, "mac": self._station.port.mac.hex(":")}
        missing = sorted(given.keys() - self._known)
        if missing:
            raise self._end.refused(
                f"{self._protocol.name} is not about addresses: it has no parameter {missing[0]!r}"
            )
        if "address" in self._known:  # from which it speaks; over IPv6 to its own link only
            given["address"] = self._own_address() if self._ip == "IP" else self._station.port.link_local
        return given

    def _check_answers(self, values: Mapping[str, int]) -> None:
        """Refuses to answer with a MAC address for addresses of the device."""
        if {"first", "last", "mac"} <= values.keys():
            bits = next(p.bits for p in self._protocol.parameters if p.name == "first")
            if text := self._device.objection(values["first"], values["last"], bits, self._end.port):
                raise self._end.refused(text)

    def _instead_of_servers(self) -> str:
        """The way to say for which addresses a protocol without IP answers."""
        names = [parameter.name for parameter in self._protocol.parameters]
        if {"first", "last"} <= set(names):
            return "first= and last=, the addresses that it answers for, or call Start ARP Responder"
        return f"its parameters: {', '.join(names) or 'it has none'}"

    def _own_address(self) -> Address:
        return self._station.host(4 if self._ip == "IP" else 6)

    def _accepts(self, ends: Endpoints, side: str = "dst") -> Iterator[Accept]:
        addresses = self._right_version(ends.addresses)
        yield Accept(f"{self._ip}.{side}", int(addresses.first), addresses.count)
        if ends.ports is None:
            return
        if not self._transport:
            raise self._end.refused(
                f"{self._protocol.name} has no ports, and {ends} has some; leave them out"
            )
        yield Accept(f"{self._transport}.{side[0]}port", ends.ports.first, ends.ports.count)

    def _right_version(self, addresses: AddressRange) -> AddressRange:
        wanted = {"IP": 4, "IPv6": 6}.get(self._ip)
        if addresses.first.version != wanted:
            speaks = f"IPv{wanted}" if wanted else "no IP"
            raise self._end.refused(
                f"{self._protocol.name} speaks {speaks}, so {addresses} cannot be its addresses"
            )
        return addresses

    def _check_version(self, own: Endpoints | None) -> None:
        """Refuses an end on a port of the other IP version, to which no device sends packets.

        IPv6 ends may have addresses of their own on an IPv4 port, for devices with static neighbours.
        """
        wanted, address = {"IP": 4, "IPv6": 6}[self._ip], self._station.port.address
        if not self._transport or address is None or address.version == wanted:
            return
        if wanted == 4 or own is None:
            nobody = "reach" if isinstance(self._end, Clients) else "serve"
            raise self._end.refused(
                f"{self._protocol.name} speaks IPv{wanted}, and port {self._end.port!r} has only the IPv"
                f"{address.version} address {address}, so it would {nobody} nobody; use a port with an "
                f"IPv{wanted} address"
            )

    def _sources(self, end: Clients) -> Endpoints:
        if not self._ip:
            raise end.refused(f"packets of {self._protocol.name} have no IP header, so none can be opened")
        self._check_version(end.sources)
        given = end.sources or Endpoints(AddressRange(self._own_address()))
        ports = given.ports or (_FREE_PORTS if self._transport else None)
        return Endpoints(given.addresses, ports)

    def _target(self, end: Clients) -> Endpoints:
        announced = self._announced.get(f"{self._transport}.dport")
        if end.target.ports is None and self._transport:
            if announced is None:
                raise end.refused(f"target={end.target} has no port; write {end.target}:80 for port 80")
            return Endpoints(end.target.addresses, PortRange(announced))
        return end.target

    def _flows(self, end: Clients, sources: Endpoints) -> int:
        """How many different ones there are; each has its own source."""
        if not any(kind == "start" for kind in {row.event for row in self._protocol.layers[0].rows}):
            raise end.refused(f"{self._protocol.name} only answers: no row of it is for the event 'start'")
        flows = sources.addresses.count * (sources.ports.count if sources.ports else 1)
        flows *= prod(numbers.count for numbers in end.keys.values())
        if end.connections > min(flows, MOST_AT_ONCE - 1):
            most = f"{flows:,} different sources {sources}; give more sources="
            if flows >= MOST_AT_ONCE:
                most = f"a tester, which keeps {MOST_AT_ONCE - 1:,}"
            raise end.refused(f"connections={end.connections:,} are too many for {most}")
        return min(flows, MOST_FLOWS)

    def _first_flow(self, end: Clients, flows: int) -> int:
        first = end.first_source or 0
        if not 0 <= first < flows:
            raise end.refused(f"first_source={first:,} is not within 0 to {flows - 1:,}, its sources")
        return first

    def _series(self, sources: Endpoints, target: Endpoints, keys: Mapping[str, Numbers]) -> Iterator[Series]:
        """Sources first go through their addresses, then through their ports, then through other keys."""
        clients = sources.addresses.count
        found = {
            f"{self._ip}.src": Series(f"{self._ip}.src", int(sources.addresses.first), clients),
            f"{self._ip}.dst": Series(
                f"{self._ip}.dst", int(target.addresses.first), target.addresses.count, every=clients
            ),
        }
        if sources.ports and target.ports:
            sport, dport = f"{self._transport}.sport", f"{self._transport}.dport"
            found[sport] = Series(sport, sources.ports.first, sources.ports.count, every=clients)
            every = clients * target.addresses.count
            found[dport] = Series(dport, target.ports.first, target.ports.count, every=every)
        every = clients * (sources.ports.count if sources.ports else 1)
        for name, numbers in keys.items():
            found[name] = Series(name, numbers.first, numbers.count, every=every)
            every *= numbers.count
        for name in (name for key in self._protocol.layers[0].flow for name in key):
            if name not in found:
                raise self._end.refused(
                    f"a flow of {self._protocol.name} is known by {name} too, which clients do not choose"
                )
            yield found[name]

    def _next_hop(
        self, end: Clients, target: AddressRange, gateways: Mapping[str, bytes], neighbours: Neighbours
    ) -> bytes:
        port = self._station.port
        if port.gateway:
            if port.name not in gateways:
                raise end.refused(
                    f"the MAC address of {port.gateway}, the gateway of port {port.name!r}, is not known; "
                    "resolve it before planning"
                )
            return gateways[port.name]
        found = {
            mac for (name, address), mac in neighbours.items() if name == port.name and address in target
        }
        if len(found) != 1:
            many = "are behind several MAC addresses; use clients for each" if found else "are not known"
            raise end.refused(f"on port {port.name!r} without a gateway the addresses {target} {many}")
        return found.pop()

    def _fitting(self) -> dict[str, int]:
        """Parameters that keep segments as short as the port needs."""
        if "mss" not in self._known:
            return {}
        below = FCS_LENGTH + _BELOW_TCP[self._ip] + _TAG * bool(self._end.vlan)
        most = self._station.port.max_frame_size - below
        return {"mss": most} if most < _STANDARD_MSS else {}

    def _check_lengths(self, values: Mapping[str, int]) -> None:
        """Refuses templates that the port can never send; where lengths vary, the tester finds out."""
        most = self._station.port.max_frame_size
        for layer in self._protocol.layers:
            for template in layer.templates:
                if template.body is None or not set(template.body.names) <= values.keys():
                    continue
                body = max(0, template.body.value(values.__getitem__))
                empty = Frame.of(layout_of(template.headers), template.payload).length
                size = empty + body + _TAG * bool(self._end.vlan) + FCS_LENGTH
                if size > most:
                    raise self._end.refused(
                        f"template {template.name!r} of {layer.name} has {body:,} bytes of body and makes "
                        f"frames of {size:,} bytes; port {self._station.port.name!r} takes {most:,} at most"
                    )

    def _neighbours(self, mine: AddressRange | None) -> Iterator[PlannedNeighbour]:
        """The addresses of the end that are in the network of its port, where devices ask for them."""
        port = self._station.port
        if mine is None:
            return
        if mine.count > MOST_NEIGHBOURS:
            raise self._end.refused(
                f"{mine} are {mine.count:,} addresses; the tester answers for {MOST_NEIGHBOURS:,} at most"
            )
        for address in mine:
            if port.address is None or address in port.address.network:
                yield PlannedNeighbour(port.name, address, port.mac)

    def _learning(self, mine: AddressRange | None) -> Iterator[LearningFrame]:
        port = self._station.port
        ours = (address for address in mine or () if not self._device.role(address, port.name))
        if (address := next(ours, None)) is not None:
            first = Station(port, address, other=self._station.other)
            yield LearningFrame(port.name, announcement(first))
