# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Testbed files: found by name or path, checked, turned into a Testbed.

The format is `reports/schemas/testbed.schema.json`; `resources/testbeds/two-nics.yaml` explains it.
"""

from __future__ import annotations

import ipaddress
import re
import shlex
import socket
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from ..errors import TestbedError, TesterLibraryError, UnknownTestbed, did_you_mean
from ..files import paths
from ..files.document import Document, Kind, load_document
from ..model.ports import Address, Forwarding, Interface
from ..model.units.units import Bandwidth, Duration
from .embedded import devices, restarts
from .simulated import SimulatedDevice
from .testbed import (
    AskHook,
    DutSpec,
    HostSpec,
    ResetHook,
    SwitchSpec,
    Testbed,
    TestbedPort,
    TesterSpec,
)
from .tester_section import TesterSection, TestersSection

_T = TypeVar("_T")
_KIND = Kind("testbed", TestbedError)
_KERNEL_NAME = re.compile(r"(?!(br0|lo|all|default)$)[A-Za-z0-9_-]{1,15}")
_OF_KERNEL = ("iface", "af_xdp", "af_packet")  # interfaces by their names


def shipped_testbeds() -> dict[str, Path]:
    """The testbed files that come with the library, by full name, such as `embedded/l2-bridge`."""
    folder = paths.data_root() / "resources" / "testbeds"
    found = {path.relative_to(folder).with_suffix("").as_posix(): path for path in folder.rglob("*.yaml")}
    return dict(sorted(found.items()))


def find_testbed(name_or_path: str) -> Path:
    """The file of a shipped testbed (`embedded/l2-bridge` or `l2-bridge`), or of a path.

    TestbedError names what there is.
    """
    shipped = shipped_testbeds()
    for name, path in shipped.items():
        if name_or_path in (name, name.rpartition("/")[2]):
            return path
    file = Path(name_or_path).expanduser()
    if file.is_file():
        return file
    known = [*shipped, *(name.rpartition("/")[2] for name in shipped)]
    raise UnknownTestbed(
        f"there is no testbed {name_or_path!r}{did_you_mean(name_or_path, known)}. "
        f"Give {', '.join(shipped)}, or the path of a file of yours (from {Path.cwd()})"
    )


def load_testbed(name_or_path: str) -> Testbed:
    """The testbed of that name or path. TestbedError says what is wrong: file, line, key, what is allowed."""
    return _Reader(load_document(find_testbed(name_or_path), _KIND)).testbed()


def check_interfaces(name_or_path: str) -> None:
    """TestbedError names the first interface that the kernel of this machine, where it should be, has not."""
    document = load_document(find_testbed(name_or_path), _KIND)
    testbed = _Reader(document).testbed()
    if not testbed.dut.is_physical:
        return
    elsewhere = {port for tester in testbed.testers if not tester.spec.is_local for port in tester.ports}
    for number, port in enumerate(testbed.ports):
        if port.name in elsewhere or not (testbed.testers or testbed.tester.is_local):
            continue
        kind, _, name = port.interface.partition(":")
        try:
            if kind in _OF_KERNEL:
                socket.if_nametoindex(name)  # which takes alternative names, too
        except OSError:
            there = sorted(known for _, known in socket.if_nameindex() if known != "lo")
            hint = did_you_mean(name, there)
            problem = f"this machine has no interface {name!r}{hint}; it has {', '.join(there) or 'none'}"
            raise document.error(("ports", number, "interface"), problem) from None


class _Reader:
    """Values of a document that the schema has found well-formed, and what no schema can check."""

    def __init__(self, document: Document) -> None:
        self._document = document

    def _error(self, message: str, *place: str | int) -> TesterLibraryError:
        return self._document.error(place, message)

    def _parsed(self, parse: Callable[[str], _T], text: str | None, *place: str | int) -> _T | None:
        return None if text is None else self._document.parsed(parse, text, place)

    def testbed(self) -> Testbed:
        """The whole file."""
        data = self._document.data
        testers = TestersSection(self._document).testers()
        dut = self._dut(data["dut"])
        ports = tuple(self._port(number, port, dut) for number, port in enumerate(data["ports"]))
        for key in ("interface", "mac"):
            places = (("ports", number, key) for number in range(len(ports)))
            self._document.check_unique(places, any_case=key == "mac")
        if data.get("hosts") and not dut.is_physical:
            raise self._error("leave it out: only a physical device has hosts of your own", "hosts")
        tester = TesterSection(self._document).tester()
        for number, port in enumerate(ports):
            spec = next((t.spec for t in testers if port.name in t.ports), tester)
            self._check_switched(number, port, spec, dut)
        self._check_behind(ports, tester.switch, dut)
        self._check_beside(tester, dut, "tester")
        for number, joined in enumerate(testers):
            self._check_beside(joined.spec, dut, "testers", number)
        return Testbed(
            name=data["name"],
            description=data.get("description", ""),
            ports=ports,
            dut=dut,
            tester=tester,
            source=self._document.path,
            hosts={name: self._host(host, "hosts", name) for name, host in data.get("hosts", {}).items()},
            testers=testers,
        )

    def _check_beside(self, tester: TesterSpec, dut: DutSpec, *place: str | int) -> None:
        """Refuses a tester that no device of this kind can have."""
        cabled = dut.is_embedded and tester.switch is not None and tester.switch.is_started
        if dut.is_physical or tester.is_local or cabled:
            return
        key = "switch" if tester.switch else "address"
        what = "an embedded device has its tester beside it, or a switch with address: fake or model"
        if dut.is_simulated:
            what = "a simulated device has a simulated tester"
        raise self._error(f"leave it out: {what}", *place, key)

    def _dut(self, data: Mapping[str, Any]) -> DutSpec:
        known = list(devices())
        forwarding = Forwarding(data["forwarding"]) if "forwarding" in data else None
        hooks = {kind: self._hook(kind, hook) for kind, hook in data.get("reset", {}).items()}
        asks = {name: self._ask(name, hook) for name, hook in data.get("ask", {}).items()}
        version = str(data.get("version", ""))
        shell = self._host(data["shell"], "dut", "shell") if "shell" in data else None
        read = {"version": version, "forwarding": forwarding, "reset": hooks, "ask": asks, "shell": shell}
        dut = DutSpec(**{**data, **read})
        if dut.is_embedded and dut.device not in known:
            hint = did_you_mean(dut.device, known)
            problem = f"{dut.device!r} is no embedded device{hint}; give {' or '.join(known)}"
            raise self._error(problem, "dut", "device")
        if shell and not dut.is_physical:
            problem = "only for kind: physical; Run In Device reaches an embedded one by itself"
            raise self._error(problem, "dut", "shell")
        for key in ("device", "options"):
            if dut.is_physical and data.get(key):
                raise self._error("only for kind: embedded; a physical one has vendor and model", "dut", key)
        if dut.is_simulated:
            self._simulated(dut)
        self._check_hooks(dut)
        return dut

    def _host(self, data: Mapping[str, Any], *place: str) -> HostSpec:
        if "ssh" in data and "command" in data:
            raise self._error("give ssh or command, one of them", *place)
        return HostSpec(data.get("ssh", ""), self._words(data.get("command", []), *place))

    def _ask(self, name: str, data: Mapping[str, Any]) -> AskHook:
        place = ("dut", "ask", name)
        words = self._words(data["command"], *place)
        if not words:
            raise self._error("is empty; give the command that asks the device", *place, "command")
        timeout = self._time(data.get("timeout"), *place, "timeout") or AskHook.timeout
        return AskHook(words, data.get("ssh", ""), timeout)

    def _words(self, command: str | list[str], *place: str | int) -> tuple[str, ...]:
        if isinstance(command, str):
            return tuple(self._parsed(shlex.split, command, *place, "command") or ())
        return tuple(command)

    def _hook(self, kind: str, data: Mapping[str, Any]) -> ResetHook:
        place = ("dut", "reset", kind)
        words = self._words(data.get("command", []), *place)
        known = [key for key in ("command", "keyword", "restart") if key in data]
        if len(known) != 1:
            raise self._error("give command, keyword or restart, one of them", *place)
        for key, of in (("ssh", "command"), ("arguments", "keyword")):
            if key in data and of not in data:
                raise self._error(f"only with {of}", *place, key)
        if "command" in data and not words:
            raise self._error("is empty; give the command that resets the device", *place, "command")
        return ResetHook(
            command=words,
            ssh=data.get("ssh", ""),
            keyword=data.get("keyword", ""),
            arguments=tuple(map(str, data.get("arguments", ()))),
            restart=self._time(data.get("restart"), *place, "restart"),
            timeout=self._time(data.get("timeout"), *place, "timeout") or ResetHook.timeout,
        )

    def _time(self, text: str | None, *place: str | int) -> Duration | None:
        time = self._parsed(Duration.parse, text, *place)
        if time is not None and time.ns <= 0:
            raise self._error("give a time above 0", *place)
        return time

    def _check_hooks(self, dut: DutSpec) -> None:
        """Refuses restarts of devices that are not ours to restart."""
        for kind, hook in dut.reset.items():
            if hook.restart and dut.device not in restarts():
                known = ", ".join(restarts())
                problem = f"only for an embedded device that can be restarted: {known}"
                raise self._error(problem, "dut", "reset", kind, "restart")
            if dut.is_simulated:
                raise self._error("leave it out: a simulated device has a reset of its own", "dut", "reset")

    def _simulated(self, dut: DutSpec) -> None:
        """Refuses values of options that no simulated device has."""
        if dut.device:
            problem = "leave it out: a simulated device is described by its options"
            raise self._error(problem, "dut", "device")
        for name, value in dut.options.items():
            self._parsed(partial(SimulatedDevice.read, name), value, "dut", "options", name)
        try:
            SimulatedDevice.of(dut.options)
        except ValueError as problem:
            raise self._error(str(problem), "dut", "options") from problem

    def _port(self, number: int, data: Mapping[str, Any], dut: DutSpec) -> TestbedPort:
        place = ("ports", number)
        self._check_interface(data, dut, *place)
        speed = self._document.parsed(Bandwidth.parse, data["speed"], (*place, "speed"))
        address, gateway = self._addresses(data, *place)
        self._check_gateway(address, gateway, dut, *place)
        mac = data.get("mac")
        return TestbedPort(
            name=data["name"],
            speed=speed,
            interface=data.get("interface", ""),
            mac=bytes.fromhex(mac.replace(":", "")) if mac else None,
            address=address,
            gateway=gateway,
            fec=data.get("fec", ""),
            mtu=data.get("mtu"),
        )

    def _check_interface(self, data: Mapping[str, Any], dut: DutSpec, *place: str | int) -> None:
        """Refuses an interface or MTU that the kind of testbed does not have, or has to have."""
        name, interface = data["name"], data.get("interface", "")
        if dut.is_embedded and not _KERNEL_NAME.fullmatch(name):
            allowed = "up to 15 letters, digits, '_', '-', but not br0 or lo"
            problem = f"{name!r} has to do as the name of the device's interface: {allowed}"
            raise self._error(problem, *place, "name")
        if not dut.is_physical and interface:
            made = "an embedded testbed makes its interfaces" if dut.is_embedded else "nothing is sent"
            raise self._error(f"leave it out: {made}", *place, "interface")
        if not dut.is_embedded and "mtu" in data:
            kept = "an interface of yours keeps its own" if dut.is_physical else "nothing is sent"
            raise self._error(f"leave it out: {kept}", *place, "mtu")
        elsewhere = "address" in self._tester_of(name)  # that tester's ports are its own
        if dut.is_physical and not interface and not elsewhere:
            raise self._error("is missing; a NIC's interface, such as iface:eth1", *place, "interface")

    def _tester_of(self, port: str) -> Mapping[str, Any]:
        data = self._document.data
        testers = (tester for tester in data.get("testers", ()) if port in tester["ports"])
        return next(testers, data.get("tester", {}))

    def _check_gateway(
        self, address: Interface | None, gateway: Address | None, dut: DutSpec, *place: str | int
    ) -> None:
        if gateway and dut.layer is not None and dut.forwards is Forwarding.BRIDGED:
            says = "forwarding: bridged" if dut.forwarding else "layer: 2"
            problem = (
                f"a device with {says} has no address to be a gateway; leave the gateway out, or give the "
                "device layer: 3"
            )
            raise self._error(problem, *place, "gateway")
        if address and not gateway and not self._is_on_link(dut):
            says = "layer: 3" if dut.layer == 3 else "forwarding: routed"
            problem = (
                f"is missing: a device with {says} forwards only what is sent to it; give its address on "
                f"this link, another one of {address.network}, or the device layer: 2 if it bridges"
            )
            raise self._error(problem, *place, "gateway")

    @staticmethod
    def _is_on_link(dut: DutSpec) -> bool:
        """Whether ports reach each other without a gateway, as far as the file says."""
        if dut.device == "hosts" or dut.forwards is Forwarding.BRIDGED:
            return True
        return dut.layer != 3 and dut.forwarding is not Forwarding.ROUTED

    def _check_switched(self, number: int, port: TestbedPort, tester: TesterSpec, dut: DutSpec) -> None:
        """Ports of a switch are connectors, those of others are not; an embedded device has its own."""
        if dut.is_embedded and not port.fec:
            return
        connector = port.interface.startswith(("front:", "dev:"))
        if tester.switch and not connector:
            problem = f"{port.interface!r} is no port of a switch; give front:1/0 or dev:132, say"
            raise self._error(problem, "ports", number, "interface")
        if not tester.switch and connector:
            raise self._error("only for a tester in a switch: tester.switch", "ports", number, "interface")
        if not tester.switch and port.fec:
            raise self._error("only for a tester in a switch: tester.switch", "ports", number, "fec")
        if tester.switch and port.mac is None:
            problem = "is missing: a switch gives its ports no addresses; your own ones begin with 02"
            raise self._error(problem, "ports", number, "mac")

    def _addresses(
        self, data: Mapping[str, Any], *place: str | int
    ) -> tuple[Interface | None, Address | None]:
        text = data.get("address")
        address: Interface | None = self._parsed(ipaddress.ip_interface, text, *place, "address")
        gateway: Address | None = self._parsed(ipaddress.ip_address, data.get("gateway"), *place, "gateway")
        if address and "/" not in str(text):
            problem = f"{text!r} has no prefix length; write {text}/24, say"
            raise self._error(problem, *place, "address")
        if gateway and (address is None or gateway not in address.network or gateway == address.ip):
            needed = (
                f"be another address of {address.network}" if address else "go with an address of the port"
            )
            raise self._error(f"{gateway} has to {needed}", *place, "gateway")
        return address, gateway

    def _check_behind(self, ports: Sequence[TestbedPort], switch: SwitchSpec | None, dut: DutSpec) -> None:
        """Checks that the limits of the device behind a fake switch are those of a device that is there."""
        routed = any(port.gateway for port in ports)
        for key in ("shaper", "router"):
            if switch and dut.is_embedded and getattr(switch, key):
                problem = f"behind the switch is the embedded device {dut.device!r}; leave out one of both"
                raise self._error(problem, "tester", "switch", key)
        if switch and switch.shaper and routed:
            problem = "a port has a gateway, so behind the switch is a router, which does not shape"
            raise self._error(f"{problem}; leave out one of both", "tester", "switch", "shaper")
        if switch and switch.router and not routed:
            problem = "no port has a gateway, so behind the switch is a bridge; give ports a gateway"
            raise self._error(problem, "tester", "switch", "router")
