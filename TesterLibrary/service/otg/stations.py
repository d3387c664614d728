# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Emulated devices on the network: they answer for their addresses, and know their gateways."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

from ...errors import Inconclusive, PlanError, TargetError
from ...model.plan.plan import LearningFrame, Plan, PlannedNeighbour
from ...planning.frame import announcement
from ...running.tester import Tester
from ...targets.base import part_of
from ...wire.address import Station
from .refusal import Findings
from .schema import Message, chosen, descriptor, message_class, values_of
from .settings import Interface
from .support import reads

reads("StatesRequest", "choice ipv4_neighbors ipv6_neighbors", choice="ipv4_neighbors ipv6_neighbors")
reads("Neighborsv4StatesRequest", "ethernet_names")
reads("Neighborsv6StatesRequest", "ethernet_names")


class Stations:
    """The interfaces of a configuration on the tester."""

    def __init__(self, tester: Tester) -> None:
        self._tester = tester
        self._job = ""
        self._number = 0
        self.interfaces: Mapping[str, Interface] = {}
        self.macs: dict[str, bytes] = {}  # of gateways, by interface

    @property
    def is_up(self) -> bool:
        """Whether devices answer."""
        return bool(self._job)

    def start(self) -> list[str]:
        """Announces and answers for all addresses, and asks for gateways. Returns who does not answer."""
        if not self.interfaces:
            return []
        if not self.is_up:
            self._number += 1
            name = f"otg-devices-{self._number}"
            self._tester.target.load(Plan(name, self._tester.seed, (), tuple(self._neighbours())))
            self._job = name
            part_of(self._tester.target, "frames").inject(self._announcements())
        return list(self._asked())

    def _neighbours(self) -> Iterator[PlannedNeighbour]:
        yield from dict.fromkeys(PlannedNeighbour(one.port, one.address, one.mac) for one in self._each())

    def _each(self) -> Iterable[Interface]:
        return self.interfaces.values()

    def _announcements(self) -> Iterator[LearningFrame]:
        """Frames from which bridges learn where the devices are."""
        for one in self._each():
            port = replace(self._tester.ports[one.port], mac=one.mac, gateway=None)
            yield LearningFrame(one.port, announcement(Station(port, one.address, one.address)))

    def _asked(self) -> Iterator[str]:
        for one in self._each():
            if one.gateway_mac is not None:
                self.macs[one.name] = one.gateway_mac
                continue
            if one.name in self.macs:
                continue
            try:
                mac = part_of(self._tester.target, "frames").resolve(
                    one.port, one.gateway, source=one.address, source_mac=one.mac
                )
                self.macs[one.name] = mac
            except Inconclusive:
                yield f"interface {one.name}: nobody answers for its gateway {one.gateway}"

    def stop(self) -> None:
        """Devices answer no more."""
        job, self._job = self._job, ""
        if job:
            self._tester.target.unload([job])
        self.macs.clear()

    def close(self) -> None:
        """Forgets all devices. Never raises."""
        with suppress(TargetError, PlanError):
            self.stop()
        self._job, self.interfaces = "", {}
        self.macs.clear()

    def states(self, request: Message) -> Message:
        """The neighbours that interfaces know. OtgError for an interface that there is not."""
        choice = chosen(request, "ipv4_neighbors")
        version = 4 if choice == "ipv4_neighbors" else 6
        names = list(getattr(request, choice).ethernet_names)
        known, findings = list(dict.fromkeys(one.ethernet for one in self._each())), Findings()
        for index, name in enumerate(names):
            if name not in known:
                there = ", ".join(known) or "none"
                findings.add(
                    f"{choice}.ethernet_names[{index}]",
                    f"{name!r} is no Ethernet interface of the configuration; it has {there}",
                )
        findings.settle()
        answer = message_class("StatesResponse")()
        answer.choice = values_of(descriptor("StatesResponse").fields_by_name["choice"])[choice]
        for one in self._each():
            if one.gateway.version == version and (not names or one.ethernet in names):
                found = getattr(answer, choice).add()
                found.ethernet_name = one.ethernet
                setattr(found, f"ipv{version}_address", str(one.gateway))
                if self.is_up and one.name in self.macs:
                    found.link_layer_address = self.macs[one.name].hex(":")
        return answer
