# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The sections `tester` and `testers` of a testbed file: testers here or elsewhere, or in switches."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any, TypeVar

from ..errors import TesterLibraryError
from ..files.document import Document, Place
from ..model.units.quantity import Frequency
from ..model.units.units import Bandwidth, Duration
from .fake_devices import RouterTable, Shaper
from .testbed import (
    LEASE_TIMES,
    CertificateFiles,
    CopySpec,
    JoinedTester,
    SwitchSpec,
    TesterSpec,
    is_lease_time,
)

_T = TypeVar("_T")
_MIB = {"MiB": 1, "GiB": 1024}


class TesterSection:
    """Values of the section that the schema has found well-formed, and what no schema can check."""

    def __init__(self, document: Document, place: Place = ("tester",)) -> None:
        self._document = document
        self._place = place

    def _error(self, message: str, *place: str) -> TesterLibraryError:
        return self._document.error((*self._place, *place), message)

    def _parsed(self, parse: Callable[[str], _T], text: str | None, *place: str) -> _T | None:
        return None if text is None else self._document.parsed(parse, text, (*self._place, *place))

    def tester(self) -> TesterSpec:
        """The whole section."""
        data = self._data()
        address = data.get("address")
        if "switch" in data:
            return TesterSpec(switch=self._switch(data))
        local = [key for key in ("cpus", "queues", "memory", "huge_pages") if key in data]
        if address and local:
            raise self._error("only for a tester to be started here, without an address", local[0])
        needs_tls = (address or "").startswith("grpc+tls:")
        if needs_tls and "certificates" not in data:
            raise self._error("grpc+tls needs certificates: ca, certificate and key", "address")
        if "certificates" in data and not needs_tls:
            raise self._error("only for an address grpc+tls:HOST:PORT", "certificates")
        number, unit = data.get("memory", "0 MiB").split()
        return TesterSpec(
            address=address,
            certificates=self._certificates(data["certificates"]) if needs_tls else None,
            cpus=tuple(data.get("cpus", ())),
            queues=data.get("queues", 1),
            memory_mib=int(number) * _MIB[unit] or None,
            huge_pages=data.get("huge_pages", False),
            lease=self._lease(data),
        )

    def _data(self) -> Mapping[str, Any]:
        where: Any = self._document.data
        for step in self._place:
            where = where[step] if step != "tester" else where.get("tester", {})
        return {key: value for key, value in where.items() if key not in ("name", "ports")}

    def _lease(self, data: Mapping[str, Any]) -> Duration | None:
        lease: Duration | None = self._parsed(Duration.parse, data.get("lease"), "lease")
        if lease is not None and not is_lease_time(lease):
            raise self._error(f"{lease} is no time of a lease; give {LEASE_TIMES}", "lease")
        if lease is not None and not lease.ns and str(data.get("address", "")).startswith("grpc+tls:"):
            problem = "a tester behind grpc+tls serves nobody without a lease; give a time from 1 s to 1 h"
            raise self._error(problem, "lease")
        return lease

    def _switch(self, data: Mapping[str, Any]) -> SwitchSpec:
        other = [key for key in data if key != "switch"]
        if other:
            raise self._error("only without a switch", other[0])
        switch = dict(data["switch"])
        spec = SwitchSpec(
            **{
                **switch,
                "loopback_ports": tuple(switch.get("loopback_ports", ())),
                "shaper": self._shaper(switch["shaper"]) if "shaper" in switch else None,
                "router": self._router(switch["router"]) if "router" in switch else None,
                "copies": self._copies(switch["copies"]) if "copies" in switch else None,
            }
        )
        for key in ("shaper", "router"):
            if key in switch and not spec.is_fake:
                problem = "only with address: fake; behind another switch is a device of yours"
                raise self._error(problem, "switch", key)
        if spec.address == "model":
            return self._modelled(spec)
        if not spec.is_fake and not spec.cpu_interface:
            problem = "is missing: the interface of this machine to the switch's CPU port"
            raise self._error(problem, "switch", "cpu_interface")
        folder = self._document.path.parent / Path(spec.build).expanduser()
        return replace(spec, build=folder) if folder.is_dir() else spec

    def _modelled(self, spec: SwitchSpec) -> SwitchSpec:
        """A model that is started with the testbed: it runs what the compiler wrote for its profile."""
        for key in ("cpu_interface", "copies"):
            if getattr(spec, key):
                problem = "only with another address; the model that a testbed starts has its own"
                raise self._error(problem, "switch", key)
        if self._document.data["dut"].get("kind") != "embedded":
            problem = "its ports end in cables to an embedded device; give dut.kind: embedded"
            raise self._error(problem, "switch", "address")
        written = Path("results") / "p4" / str(spec.build)
        beside = self._document.path.parent / Path(spec.build).expanduser()
        folder = next((folder for folder in (beside, written) if folder.is_dir()), spec.build)
        return replace(spec, build=folder, model=True)

    def _copies(self, data: Mapping[str, Any]) -> CopySpec:
        place = "switch", "copies"
        speed = self._parsed(Bandwidth.parse, data["speed"], *place, "speed")
        host = self._parsed(ipaddress.IPv4Interface, data["host"], *place, "host")
        return CopySpec(**{**data, "speed": speed, "host": host})

    def _router(self, data: Mapping[str, Any]) -> RouterTable:
        place = "switch", "router"
        return RouterTable(
            data.get("most_neighbours"),
            self._parsed(Frequency.parse, data.get("learning_rate"), *place, "learning_rate"),
            self._parsed(Duration.parse, data.get("ageing"), *place, "ageing"),
        )

    def _shaper(self, data: Mapping[str, Any]) -> Shaper:
        rate = self._parsed(Bandwidth.parse, data["rate"], "switch", "shaper", "rate")
        return Shaper(**{**data, "rate": rate})

    def _certificates(self, data: Mapping[str, str]) -> CertificateFiles:
        files = {key: self._document.path.parent / Path(name).expanduser() for key, name in data.items()}
        for key, path in files.items():
            if not path.is_file():
                raise self._error(f"there is no file {path}", "certificates", key)
        return CertificateFiles(**files)


class TestersSection:
    """The list `testers`: each has a name, and ports that no other one has."""

    __test__ = False  # pytest would take the name for a test class

    def __init__(self, document: Document) -> None:
        self._document = document

    def testers(self) -> tuple[JoinedTester, ...]:
        """All of them; none where the file has no such list."""
        data = self._document.data
        if "testers" in data and "tester" in data:
            raise self._document.error(("tester",), "leave it out, or else testers; give one of the two")
        testers = tuple(
            JoinedTester(
                entry["name"],
                tuple(entry["ports"]),
                TesterSection(self._document, ("testers", number)).tester(),
            )
            for number, entry in enumerate(data.get("testers", ()))
        )
        if testers:
            self._check_ports(testers)
            self._document.check_unique(("testers", number, "address") for number in range(len(testers)))
        return testers

    def _check_ports(self, testers: tuple[JoinedTester, ...]) -> None:
        names = [port["name"] for port in self._document.data["ports"]]
        places = [
            ("testers", number, "ports", index)
            for number, tester in enumerate(testers)
            for index in range(len(tester.ports))
        ]
        self._document.check_unique(places)
        for place in places:
            name = reduce(getitem, place, self._document.data)
            if name not in names:
                problem = f"there is no port {name!r}; ports has {', '.join(names)}"
                raise self._document.error(place, problem)
        for number, name in enumerate(names):
            if not any(name in tester.ports for tester in testers):
                problem = f"port {name!r} belongs to no tester; add it to the ports of one of testers"
                raise self._document.error(("ports", number, "name"), problem)
