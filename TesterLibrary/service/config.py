# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The file of a service: its places, where it listens, and who may use it."""

from __future__ import annotations

import ipaddress
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..errors import TesterLibraryError
from ..files.document import Document, Kind, load_document
from ..model.units.units import Duration
from ..reporting.trend.address import Address
from ..testbeds import load_testbed, shipped_testbeds
from ..testbeds.testbed import Testbed
from .account import Account, check_secrets
from .scheduler import Place
from .store import KIND
from .user import Role

FOLDER = Path("results/service")
PORT = 8650
JOBS = "jobs"  # the folder inside of it for the jobs
MACHINE = "this machine"  # the group of testers that are started here
_KIND = Kind("service", TesterLibraryError)
_FIRST = 5555  # localhost:5555 is the first port in the documentation of snappi, localhost:5556 the second
_FRESH = Duration(60 * 10**9)
_LONGEST = Duration(3600 * 10**9)


@dataclass(frozen=True)
class LabgridPlace:
    """A place of labgrid that has to be acquired before its testbed is used."""

    coordinator: str  # HOST:PORT
    place: str


@dataclass(frozen=True)
class OtgPlace:
    """Where clients of the Open Traffic Generator find a place, on this machine."""

    http: int = 8443
    grpc: int = 40051
    locations: Mapping[str, str] = field(default_factory=dict)  # names of ports by what clients call them
    idle: Duration = Duration(60 * 10**9)  # how long the lease is kept when nobody is connected


@dataclass(frozen=True)
class ServedPlace:
    """A place with its testbed, and how it is looked at before a grant."""

    place: Place
    testbed: Testbed
    file: str  # or the name of a shipped testbed
    check: str = "answer"
    cables: tuple[tuple[str, str], ...] = ()
    fresh: Duration = _FRESH
    labgrid: LabgridPlace | None = None
    otg: OtgPlace | None = None
    runner: Account | None = None  # as whom its jobs are run; None: as the service

    @property
    def name(self) -> str:
        """The name of the place."""
        return self.place.name

    @property
    def address(self) -> str | None:
        """The address of a tester that runs on its own; None: each run starts one."""
        return self.testbed.tester.address


@dataclass(frozen=True)
class Tls:
    """PEM files of the server."""

    certificate: Path
    key: Path
    client_ca: Path | None = None


@dataclass(frozen=True)
class Limits:
    """The most that one request, lease or user may have."""

    body: int = 1_000_000
    lease: Duration = _LONGEST
    leases_of_a_user: int = 100


@dataclass(frozen=True)
class Config:
    """The content of a service's file, checked."""

    places: tuple[ServedPlace, ...]
    host: str = "127.0.0.1"
    port: int = PORT
    folder: Path = FOLDER
    database: Address = field(default_factory=lambda: Address.parse(FOLDER / "service.sqlite", KIND))
    tls: Tls | None = None
    certificates: Mapping[str, Role] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    suites: tuple[Path, ...] = ()
    limits: Limits = Limits()

    @property
    def is_loopback(self) -> bool:
        """Whether nobody beyond this machine reaches the service."""
        return ipaddress.ip_address(self.host).is_loopback

    def with_otg(self, name: str) -> Config:
        """The same with a place at the usual ports of OTG, and locations as snappi's documentation has them.

        TesterLibraryError if there is no such place.
        """
        if name not in (known := [place.name for place in self.places]):
            raise TesterLibraryError(f"--otg {name}: there is no such place; there are {', '.join(known)}")
        return replace(
            self,
            places=tuple(
                replace(place, otg=place.otg or _as_documented(place.testbed))
                if place.name == name
                else place
                for place in self.places
            ),
        )

    @property
    def runners(self) -> tuple[Account, ...]:
        """The users as whom jobs are run, but that of the service."""
        return tuple(dict.fromkeys(place.runner for place in self.places if place.runner))

    def check_runners(self, *, has_tokens: bool) -> None:
        """TesterLibraryError if jobs cannot be run as others, or if those would get at what is not theirs."""
        for account in self.runners:
            if not has_tokens and not self.certificates:
                raise TesterLibraryError(
                    f"runner: {account.name}: nobody has to say who he is here, so jobs would be admins; "
                    "add a user by --add-user, or give certificates"
                )
            database = [] if self.database.is_server else [Path(self.database.given)]
            check_secrets(account.name, [*database, *([self.tls.key] if self.tls else [])])
            jobs = self.folder.absolute() / JOBS
            jobs.mkdir(parents=True, exist_ok=True)
            for folder in (self.folder, jobs):  # whose files are closed to others: jobs pass through
                folder.chmod(0o711)
            account.try_out(jobs)

    def check_access(self, *, has_tokens: bool) -> None:
        """TesterLibraryError if everybody on a network could use the testers, or read a token."""
        if self.is_loopback:
            return
        if self.tls is None:
            raise TesterLibraryError(
                f"listen: {self.host} is reached from other machines, which needs tls: certificate and key; "
                "or listen at 127.0.0.1"
            )
        if not has_tokens and not (self.tls.client_ca and self.certificates):
            raise TesterLibraryError(
                f"listen: {self.host} is reached from other machines, and everybody there would be an admin; "
                "give tls: client_ca with certificates, or add a user by --add-user, or listen at 127.0.0.1"
            )


def _as_documented(testbed: Testbed) -> OtgPlace:
    names = [port.name for port in testbed.ports]
    return OtgPlace(locations={f"localhost:{_FIRST + number}": name for number, name in enumerate(names)})


def shipped_places() -> Config:
    """The places of a service without a file: the shipped testbeds that need no hardware."""
    names = [name for name in shipped_testbeds() if not load_testbed(name).dut.is_physical]
    return Config(tuple(_place(name.rpartition("/")[2], {"testbed": name}, name, None) for name in names))


def load_config(path: Path) -> Config:
    """Reads the file of a service. TesterLibraryError names file, line, key and what is allowed there."""
    document = load_document(path, _KIND)
    data: Mapping[str, Any] = document.data
    host, _, port = data.get("listen", f"{Config.host}:{PORT}").rpartition(":")
    folder = _near(path, data.get("folder", str(FOLDER)))
    database = data.get("database", str(folder / "service.sqlite"))
    places = tuple(_served(document, name, given) for name, given in data["places"].items())
    _check_addresses(document, places)
    _check_runners(document, places)
    return Config(
        places=places,
        host=str(document.parsed(ipaddress.ip_address, host.strip("[]"), ("listen",))),
        port=document.parsed(_port, port, ("listen",)),
        folder=folder,
        database=document.parsed(lambda text: Address.parse(text, KIND), database, ("database",)),
        tls=_tls(document, data["tls"]) if "tls" in data else None,
        certificates={name: Role(role) for name, role in data.get("certificates", {}).items()},
        names=tuple(name.lower() for name in data.get("names", ())),
        suites=tuple(
            _suites(document, name, number, folder) for number, name in enumerate(data.get("suites", ()))
        ),
        limits=_limits(document, data.get("limits", {})),
    )


def _served(document: Document, name: str, given: Mapping[str, Any]) -> ServedPlace:
    where = ("places", name)
    testbed = given["testbed"]
    near = _near(document.path, testbed)
    file = str(near) if near.is_file() else testbed
    served = document.parsed(lambda _: _place(name, given, file, document), testbed, (*where, "testbed"))
    if (served.check == "cable") != bool(served.cables):
        raise document.error((*where, "check"), "check: cable and cables: [[p3, p4]] go together; give both")
    known = [port.name for port in served.testbed.ports]
    for number, cable in enumerate(served.cables):
        for port in cable:
            if port not in known:
                problem = f"the testbed has no port {port!r}; it has {', '.join(known)}"
                raise document.error((*where, "cables", number), problem)
    return served


def _place(name: str, given: Mapping[str, Any], file: str, document: Document | None) -> ServedPlace:
    testbed = load_testbed(file)
    # Testers that are started with their testbed are no more to the service than one is.
    tester = testbed.tester if all(spec.is_local for spec in testbed.specs) else testbed.only_tester
    kind = "switch" if tester.switch else "simulated" if testbed.dut.is_simulated else "engine"
    tags = {
        "testbed": testbed.name,
        "tester": kind,
        "device": testbed.dut.name,
        "kind": testbed.dut.kind,
        "ports": str(len(testbed.ports)),
        **{tag: str(value) for tag, value in given.get("tags", {}).items()},
    }
    group = given.get("group", "")
    if not group and tester.is_local and not testbed.dut.is_simulated:
        group = MACHINE
    fresh = _FRESH
    if document and "fresh" in given:
        fresh = document.parsed(Duration.parse, given["fresh"], ("places", name, "fresh"))
    return ServedPlace(
        place=Place(name, tags, group or tester.address or ""),
        testbed=testbed,
        file=file,
        check=given.get("check", "answer"),
        cables=tuple((tx, rx) for tx, rx in given.get("cables", ())),
        fresh=fresh,
        labgrid=LabgridPlace(**given["labgrid"]) if "labgrid" in given else None,
        otg=_otg(name, given["otg"], testbed, document) if "otg" in given else None,
        runner=_runner(name, given["runner"], testbed, document) if document and "runner" in given else None,
    )


def _otg(name: str, given: Mapping[str, Any], testbed: Testbed, document: Document | None) -> OtgPlace:
    ports = [port.name for port in testbed.ports]
    more = dict(given)
    for location, port in more.get("locations", {}).items():
        if port not in ports:
            raise ValueError(f"otg: location {location!r}: no port {port!r}; there are {', '.join(ports)}")
    if document and "idle" in more:
        more["idle"] = document.parsed(Duration.parse, more["idle"], ("places", name, "otg", "idle"))
    return OtgPlace(**more)


def _check_addresses(document: Document, places: tuple[ServedPlace, ...]) -> None:
    """Places with one tester are one group, whatever they say."""
    groups: dict[str, str] = {}
    for place in places:
        if place.address and groups.setdefault(place.address, place.place.group) != place.place.group:
            problem = f"another place has the tester at {place.address} already; give both the same group"
            raise document.error(("places", place.name), problem)


def _check_runners(document: Document, places: tuple[ServedPlace, ...]) -> None:
    """Jobs of one user would read each other's results: places that have one are used one at a time."""
    groups: dict[str, str] = {}
    for place in places:
        group = place.place.group or place.name
        if place.runner and groups.setdefault(place.runner.name, group) != group:
            problem = (
                f"another place, which may be used at the same time, has the runner {place.runner.name}; "
                "give each a user of its own, or both the same group"
            )
            raise document.error(("places", place.name, "runner"), problem)


def _runner(name: str, given: Mapping[str, str], testbed: Testbed, document: Document) -> Account:
    where = ("places", name, "runner")
    if (testbed.tester.address or "").startswith("unix:"):
        problem = (
            f"the tester of {testbed.name} listens on a UNIX socket, which only the user who has started it "
            "reaches; let it listen on grpc+tls:, or leave runner out"
        )
        raise document.error(where, problem)
    if testbed.tester.is_local and not testbed.dut.is_simulated:
        problem = (
            f"each job on {testbed.name} starts its tester, as root; give a testbed whose tester runs on its "
            "own (address:), or leave runner out"
        )
        raise document.error(where, problem)
    return document.parsed(Account.of, given["user"], (*where, "user"))


def _tls(document: Document, data: Mapping[str, str]) -> Tls:
    files = {key: _near(document.path, name) for key, name in data.items()}
    for key, file in files.items():
        if not file.is_file():
            raise document.error(("tls", key), f"there is no file {file}")
    mode = stat.S_IMODE(files["key"].stat().st_mode)
    if mode & 0o077:
        problem = f"{files['key']} has mode {mode:o}, so others can read the key; chmod 600 it"
        raise document.error(("tls", "key"), problem)
    return Tls(**files)


def _limits(document: Document, data: Mapping[str, Any]) -> Limits:
    given = dict(data)
    if "lease" in given:
        given["lease"] = document.parsed(_lease_time, given["lease"], ("limits", "lease"))
    return Limits(**given)


def _lease_time(text: str) -> Duration:
    time = Duration.parse(text)
    if not 10**9 <= time.ns <= _LONGEST.ns:
        raise ValueError(f"{text!r} is not allowed; give 1 s to 1 h")
    return time


def _port(text: str) -> int:
    if not 0 <= int(text) <= 65535:
        raise ValueError(f"{text} is no port; give 0 to 65535, 0 for a free one")
    return int(text)


def _suites(document: Document, name: str, number: int, service: Path) -> Path:
    """A folder of suites, in which there are no files that users submit."""
    folder, own = _near(document.path, name).resolve(), service.resolve()
    if not folder.is_dir():
        raise document.error(("suites", number), f"there is no folder {folder}")
    if own.is_relative_to(folder) or folder.is_relative_to(own):
        problem = (
            f"{folder} and the folder of the service, {own}, are one inside of the other, so what users "
            "submit could be run as a suite; give suites a folder of their own"
        )
        raise document.error(("suites", number), problem)
    return folder


def _near(file: Path, name: str) -> Path:
    """A path from the folder of the file."""
    return (file.absolute().parent / Path(name).expanduser()).absolute()
