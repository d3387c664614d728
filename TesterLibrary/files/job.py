# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Job files: streams, responders and clients, and their ports; `resources/jobs` show the format."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from ..errors import PlanError
from ..model.departures import CaptureReplay, Shaping, average_of
from ..model.editor import FieldPath
from ..model.headers import HeaderStack, HeaderType
from ..model.job import Job, JobFile
from ..model.payload import COUNTING, Payload, PayloadKind
from ..model.ports import Port
from ..model.responder import End
from ..model.stream import STREAM_OPTIONS, Stream, VersionField
from ..model.stream_mix import mixed
from ..model.units.units import LINE_RATE, Bandwidth, Duration, Rate, Ratio
from . import paths
from .capture_survey import survey
from .document import Document, Kind, Place, dotted, load_document
from .field_values import parse_shares
from .headers import load_headers
from .job_editor import cascade, editor
from .job_end import clients, responder
from .job_shaping import SHAPINGS
from .payload import load_payload

_KIND = Kind("job", PlanError)
T = TypeVar("T")
_LONGEST_FRAME = 9216  # bytes, FCS included; where a port does not say


def load_job(name_or_path: str) -> JobFile:
    """The job of a shipped file, such as `bursts`, or of a path.

    PlanError says what is wrong: file, line, key, what is allowed.
    """
    more = {"stream": {name: option.schema for name, option in STREAM_OPTIONS.items()}}
    return _Reader(load_document(paths.resource("jobs", name_or_path), _KIND, more)).job()


def is_job_file(data: object) -> bool:
    """Whether what was read of a file is meant for a job file, and not for a campaign."""
    return isinstance(data, Mapping) and not {"ports", "streams", "responders", "clients"}.isdisjoint(data)


class _Reader:
    """Values of a document that the schema has found well-formed."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._parsed = document.parsed

    def job(self) -> JobFile:
        """The whole file."""
        data = self._document.data
        ports = [self._port(number, port) for number, port in enumerate(data["ports"])]
        streams = [self._stream(number, stream) for number, stream in enumerate(data.get("streams", ()))]
        self._document.check_unique(
            (key, number, "name")
            for key in ("responders", "clients")
            for number in range(len(data.get(key, ())))
        )
        ends = (
            *self._ends("responders", responder),
            *self._ends("clients", clients),
        )
        by_name = {port.name: port for port in ports}
        return JobFile(
            source=self._document.path,
            job=Job(data["name"], tuple(self._mixed(streams, by_name)), data.get("seed", 1), ends),
            ports=by_name,
            gateways={port.name: _mac(0x100 + n) for n, port in enumerate(ports, 1) if port.gateway},
            testbed=data.get("testbed"),
            duration=self._optional(_duration, "duration"),
            most_loss=self._optional(Ratio.parse, "loss"),
        )

    def _optional(self, parse: Callable[[str], T], key: str) -> T | None:
        given = self._document.data.get(key)
        return None if given is None else self._parsed(parse, str(given), (key,))

    def _port(self, number: int, data: Mapping[str, Any]) -> Port:
        place = ("ports", number)
        address, gateway, mac = data.get("address"), data.get("gateway"), data.get("mac")
        return Port(
            name=data["name"],
            speed=self._parsed(Bandwidth.parse, data["speed"], (*place, "speed")),
            mac=bytes.fromhex(mac.replace(":", "")) if mac else _mac(number + 1),
            max_frame_size=data.get("max_frame_size", _LONGEST_FRAME),
            address=self._parsed(ipaddress.ip_interface, address, (*place, "address")) if address else None,
            gateway=self._parsed(ipaddress.ip_address, gateway, (*place, "gateway")) if gateway else None,
        )

    def _ends(self, key: str, make: Callable[..., End]) -> Iterator[End]:
        for number, data in enumerate(self._document.data.get(key, ())):
            yield make(data, (key, number), self._parsed)

    def _stream(self, number: int, data: Mapping[str, Any]) -> Stream:
        place = ("streams", number)
        headers, payload = data.get("headers"), data.get("payload")
        if "definitions" in data and not headers:
            raise self._document.error((*place, "definitions"), "goes with headers that use it")
        types = self._parsed(_definitions, data.get("definitions"), (*place, "definitions"))
        stack = self._parsed(HeaderStack.parse, headers, (*place, "headers")) if headers else None
        shaping = self._shaping(data, place)
        average = average_of(shaping) or LINE_RATE
        stream = Stream(
            name=data["name"],
            tx=data["tx"],
            rx=data["rx"],
            rate=self._parsed(Rate.parse, data.get("rate", average), (*place, "rate")),
            headers=replace(stack, types=types) if stack else None,
            payload=self._parsed(_payload, payload, (*place, "payload")) if payload else COUNTING,
            shaping=shaping,
            editors=tuple(
                self._parsed(editor, item, (*place, "edit", index))
                for index, item in enumerate(data.get("edit", ()))
            ),
            cascades=tuple(
                self._parsed(cascade, item, (*place, "cascade", index))
                for index, item in enumerate(data.get("cascade", ()))
            ),
            version=self._parsed(_version, data.get("version"), (*place, "version")),
            **{
                name: self._parsed(option.parse, data[name], (*place, name))
                for name, option in STREAM_OPTIONS.items()
                if name in data
            },
        )
        captured = survey(shaping.path) if isinstance(shaping, CaptureReplay) else None
        return replace(stream, frame_size=captured) if captured else stream

    def _mixed(self, streams: list[Stream], ports: Mapping[str, Port]) -> list[Stream]:
        """The streams, those of mixes with their shares of the mix's rate."""
        known = {stream.name: stream for stream in streams}
        rates: dict[str, Place] = {  # the rates of streams
            data["name"]: ("streams", number, "rate")
            for number, data in enumerate(self._document.data.get("streams", ()))
            if "rate" in data
        }
        for number, data in enumerate(self._document.data.get("mixes", ())):
            place = ("mixes", number)
            given = {name: str(share) for name, share in data["shares"].items()}
            shares = self._parsed(parse_shares, given, (*place, "shares"))
            unknown = next((name for name in shares if name not in known), None)
            if unknown:
                problem = f"there is no stream {unknown!r}; there are {', '.join(known)}"
                raise self._document.error((*place, "shares"), problem)
            for name in shares:
                share = (*place, "shares", name)
                if (earlier := rates.setdefault(name, share)) != share:
                    raise self._document.error(
                        share,
                        f"line {self._document.line(earlier)} gives the rate of this stream already, by "
                        f"{dotted(earlier)}; a stream has a rate of its own or a share of one mix",
                    )
            rate = self._parsed(Rate.parse, data["rate"], (*place, "rate"))
            parts = [known[name] for name in shares]
            mix = partial(mixed, data["name"], shares=shares, rate=rate, ports=ports)
            made = self._parsed(mix, parts, place)
            known |= {stream.name: stream for stream in made}
        return list(known.values())

    def _shaping(self, data: Mapping[str, Any], place: Place) -> Shaping | None:
        """How its frames are spaced; one key at most says it."""
        given = [key for key in SHAPINGS if key in data]
        for key in given[1:]:
            problem = f"goes without {given[0]}: both say how frames are spaced; give one or the other"
            raise self._document.error((*place, key), problem)
        return self._parsed(SHAPINGS[given[0]], data[given[0]], (*place, given[0])) if given else None


def _duration(text: str) -> Duration:
    duration = Duration.parse(text)
    if duration.ns <= 0:
        raise ValueError(f"{text!r} is not allowed; give a time above 0, such as 10 s")
    return duration


def _definitions(name: str | None) -> tuple[HeaderType, ...]:
    return load_headers(name) if name else ()


def _version(data: Mapping[str, Any] | None) -> VersionField | None:
    return VersionField(FieldPath.parse(data["field"]), data.get("bit")) if data else None


def _payload(data: Mapping[str, str]) -> Payload:
    return load_payload(PayloadKind(data["kind"]), data.get("content", ""))


def _mac(number: int) -> bytes:
    """A locally administered address."""
    return b"\x02\0" + number.to_bytes(4, "big")
