# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Testbed files: found by name or path, checked, turned into a Testbed.

The format is `reports/schemas/testbed.schema.json`; `resources/testbeds/two-nics.yaml` explains it.
"""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import jsonschema

from .. import paths
from ..errors import TestbedError
from ..model.ports import Address, Interface
from ..model.units import Bandwidth
from .document import Document, read_document
from .embedded import devices
from .testbed import Certificates, DutSpec, Testbed, TesterSpec, TestbedPort

_T = TypeVar("_T")
_KERNEL_NAME = re.compile(r"(?!(br0|lo|all|default)$)[A-Za-z0-9_-]{1,15}")
_MIB = {"MiB": 1, "GiB": 1024}


def shipped_testbeds() -> dict[str, Path]:
    """The testbed files that come with the library, by full name, such as `embedded/l2-bridge`."""
    folder = paths.data_root() / "resources" / "testbeds"
    return {path.relative_to(folder).with_suffix("").as_posix(): path for path in sorted(folder.rglob("*.yaml"))}


def find_testbed(name_or_path: str) -> Path:
    """The file of a shipped testbed (`embedded/l2-bridge` or `l2-bridge`), or of a path.

    TestbedError names what there is.
    """
    shipped = shipped_testbeds()
    for name, path in shipped.items():
        if name_or_path in (name, name.rpartition("/")[2]):
            return path
    own = Path(name_or_path).expanduser()
    if own.is_file():
        return own
    known = [*shipped, *(name.rpartition("/")[2] for name in shipped)]
    raise TestbedError(
        f"there is no testbed {name_or_path!r}{_did_you_mean(name_or_path, known)}. "
        f"Give {', '.join(shipped)}, or the path of a file of yours (from {Path.cwd()})"
    )


def load_testbed(name_or_path: str) -> Testbed:
    """The testbed of that name or path. TestbedError lists what is wrong: file, line, key, what is allowed."""
    document = read_document(find_testbed(name_or_path))
    schema = json.loads(paths.report_file("schemas/testbed.schema.json").read_text())
    errors = jsonschema.Draft202012Validator(schema).iter_errors(document.data)
    problems = [document.error(*_explain(error)) for error in sorted(errors, key=lambda e: list(map(str, e.absolute_path)))]
    if problems:
        raise TestbedError("\n".join(problems))
    return _Reader(document).testbed()


def _did_you_mean(given: str, known: list[str]) -> str:
    close = get_close_matches(given, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _explain(error: jsonschema.ValidationError) -> tuple[list[str | int], str]:
    """Where, and in words for the author of the file."""
    place = list(error.absolute_path)
    rule, schema = error.validator, error.schema
    if rule == "additionalProperties":
        allowed = list(schema["properties"])
        unknown = next(key for key in error.instance if key not in allowed)
        hint = _did_you_mean(unknown, allowed)
        return [*place, unknown], f"there is no such key{hint}; allowed are {', '.join(allowed)}"
    if rule == "required":
        missing = next(key for key in error.validator_value if key not in error.instance)
        return [*place, missing], f"is missing; {schema['properties'][missing].get('description', 'give it')}"
    if rule == "enum":
        allowed = [str(value) for value in error.validator_value]
        return place, f"{error.instance!r} is not allowed{_did_you_mean(str(error.instance), allowed)}; give {' or '.join(allowed)}"
    what = schema.get("description", error.message)
    return place, f"{error.instance!r} is not allowed; {what}"


class _Reader:
    """Values of a document that the schema has found well-formed, and what no schema can check."""

    def __init__(self, document: Document) -> None:
        self._document = document

    def _error(self, place: tuple[str | int, ...], message: str) -> TestbedError:
        return TestbedError(self._document.error(place, message))

    def _parsed(self, parse: Callable[[str], _T], place: tuple[str | int, ...], text: str | None) -> _T | None:
        if text is None:
            return None
        try:
            return parse(text)
        except ValueError as problem:
            raise self._error(place, str(problem)) from problem

    def testbed(self) -> Testbed:
        data = self._document.data
        dut = self._dut(data["dut"])
        ports = tuple(self._port(number, port, dut) for number, port in enumerate(data["ports"]))
        self._unique("name", [port.name for port in ports])
        self._unique("interface", [port.interface for port in ports])
        self._unique("mac", [port.mac for port in ports])
        tester = self._tester(data.get("tester", {}))
        if dut.is_embedded and not tester.is_local:
            raise self._error(("tester", "address"), "an embedded device needs a tester on this machine; leave it out")
        return Testbed(
            name=data["name"],
            description=data.get("description", ""),
            ports=ports,
            dut=dut,
            tester=tester,
            source=self._document.path,
        )

    def _unique(self, key: str, values: list[Any]) -> None:
        for number, value in enumerate(values):
            if value and value in values[:number]:
                raise self._error(
                    ("ports", number, key), f"port {values.index(value)} has it already; each port has its own"
                )

    def _dut(self, data: Mapping[str, Any]) -> DutSpec:
        known = list(devices())
        dut = DutSpec(**{**data, "version": str(data.get("version", ""))})
        if dut.is_embedded and dut.device not in known:
            hint = _did_you_mean(dut.device, known)
            raise self._error(("dut", "device"), f"{dut.device!r} is no embedded device{hint}; give {' or '.join(known)}")
        if not dut.is_embedded and dut.device:
            raise self._error(("dut", "device"), "only for kind: embedded; name a physical one by vendor and model")
        return dut

    def _port(self, number: int, data: Mapping[str, Any], dut: DutSpec) -> TestbedPort:
        place = ("ports", number)
        interface = data.get("interface", "")
        if dut.is_embedded and not _KERNEL_NAME.fullmatch(data["name"]):
            raise self._error(
                (*place, "name"),
                f"{data['name']!r} has to do as the name of the device's interface: "
                "up to 15 letters, digits, '_', '-', but not br0 or lo",
            )
        if dut.is_embedded and interface:
            raise self._error((*place, "interface"), "an embedded testbed makes its interfaces itself; leave it out")
        if not dut.is_embedded and not interface:
            raise self._error((*place, "interface"), "is missing; a NIC's interface, such as iface:eth1")
        address: Interface | None = self._parsed(ipaddress.ip_interface, (*place, "address"), data.get("address"))
        gateway: Address | None = self._parsed(ipaddress.ip_address, (*place, "gateway"), data.get("gateway"))
        if address and "/" not in data["address"]:
            raise self._error((*place, "address"), f"{data['address']!r} has no prefix length; write {address.ip}/24, say")
        if gateway and (address is None or gateway not in address.network or gateway == address.ip):
            around = f"another address of {address.network}" if address else "to go with an address of the port"
            raise self._error((*place, "gateway"), f"{gateway} has to be {around}")
        mac = data.get("mac")
        speed = self._parsed(Bandwidth.parse, (*place, "speed"), data["speed"])
        assert speed is not None
        return TestbedPort(
            name=data["name"],
            speed=speed,
            interface=interface,
            mac=bytes.fromhex(mac.replace(":", "")) if mac else None,
            address=address,
            gateway=gateway,
        )

    def _tester(self, data: Mapping[str, Any]) -> TesterSpec:
        address = data.get("address")
        local = [key for key in ("cpus", "memory", "huge_pages") if key in data]
        if address and local:
            raise self._error(("tester", local[0]), "only for a tester that is started here; this one has an address")
        needs_tls = (address or "").startswith("grpc+tls:")
        if needs_tls != ("certificates" in data):
            which = "needs certificates: ca, certificate and key" if needs_tls else "only for an address grpc+tls:HOST:PORT"
            raise self._error(("tester", "address" if needs_tls else "certificates"), which)
        number, unit = data.get("memory", "0 MiB").split()
        return TesterSpec(
            address=address,
            certificates=self._certificates(data["certificates"]) if needs_tls else None,
            cpus=tuple(data.get("cpus", ())),
            memory_mib=int(number) * _MIB[unit] or None,
            huge_pages=data.get("huge_pages", False),
        )

    def _certificates(self, data: Mapping[str, str]) -> Certificates:
        files = {key: self._document.path.parent / Path(name).expanduser() for key, name in data.items()}
        for key, path in files.items():
            if not path.is_file():
                raise self._error(("tester", "certificates", key), f"there is no file {path}")
        return Certificates(**files)
