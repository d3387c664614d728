# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A configuration of the model as a job file of ours; what has no equivalent there is refused by its path."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from ...errors import UnitError
from ...files.document import document_text
from ...model.departures import Messages
from ...model.editor import Editor, FieldValues, Sweep
from ...model.mix import SizeMix
from ...model.payload import Payload, PayloadKind
from ...model.ports import Port
from ...model.stream import Stream
from ...model.units.units import Bandwidth, FrameSize, Rate, RateUnit
from .configuration import settings_of
from .laboratory import Laboratory
from .refusal import Findings
from .schema import Message
from .settings import FlowSetting, Part

_LONGEST_FRAME = 9216
_LEAST_EXACT = Fraction(1, 10**6)  # relative error of a rate, from gaps in whole nanoseconds
_HEADER = """\
# Made by `tester import` from a configuration of Open Traffic Generator; `tester plan` shows what it sends.
"""


def job_file(config: Message, name: str, speed: Bandwidth) -> str:
    """The text of a job file.

    Args:
        config: A `Config` of the model.
        name: The name of the job.
        speed: That of ports to which the configuration gives none.

    Raises:
        OtgError: everything that is wrong with it, or has no equivalent, with its path.
    """
    ports = {
        port.name: Port(port.name, speed, bytes([2, 0, 0, 0, 0, number]), _LONGEST_FRAME)
        for number, port in enumerate(config.ports, 1)
    }
    locations = {port.location: port.name for port in config.ports if port.HasField("location")}
    settings = settings_of(config, Laboratory(ports, {}, frozenset(ports), locations), {})
    findings = Findings()
    for kind in ("devices", "captures"):
        if getattr(config, kind):
            findings.add(kind, "a job file has none; it has streams between ports")
    streams = [
        stream
        for flow in settings.flows.values()
        for stream in _streams(flow, settings.tester_ports, findings)
    ]
    findings.settle()
    document = {
        "version": 1,
        "name": name,
        "ports": [{"name": port.name, "speed": str(port.speed)} for port in settings.tester_ports.values()],
        "streams": streams,
    }
    return _HEADER + document_text(document)


def _streams(flow: FlowSetting, ports: Any, findings: Findings) -> Iterator[dict[str, Any]]:
    for part in flow.parts:
        with findings.at(flow.place):
            yield _stream(flow, part, ports[part.stream.tx])


def _stream(flow: FlowSetting, part: Part, port: Port) -> dict[str, Any]:
    stream = part.stream
    if stream.headers is None:
        raise UnitError("packet: a flow without headers has no equivalent; give its headers")
    if flow.anywhere:
        raise UnitError("tx_rx.port.rx_names: a stream of a job file is expected on one port; give one")
    if stream.headers.types:
        raise UnitError("packet: a custom header has no equivalent; job files take headers by Scapy's names")
    document: dict[str, Any] = {
        "name": stream.name,
        "tx": stream.tx,
        "rx": stream.rx,
        "frame_size": _size(stream),
        "headers": str(stream.headers),
    }
    if stream.shaping is None and part.limit.packets is None and part.limit.duration is None:
        document["rate"] = _exact(stream.rate)
    else:
        document["messages"] = _messages(part, port)
    if stream.start_after.ns:
        document["start_after"] = f"{stream.start_after.ns} ns"
    if stream.editors:
        document["edit"] = [_edit(editor) for editor in stream.editors]
    if stream.payload.kind is not PayloadKind.COUNTING:
        document["payload"] = _payload(stream.payload)
    if not stream.signature:
        document["signature"] = False
    return document


def _size(stream: Stream) -> int | str:
    size = stream.frame_size
    if isinstance(size, FrameSize):
        return size.bytes
    if isinstance(size, SizeMix) and (size.weights or size.name == "imix"):
        return size.weights or size.name
    raise UnitError(f"size: {size} has no equivalent; job files have one size, or sizes with weights")


def _exact(rate: Rate) -> str:
    """The rate without rounding."""
    if rate.unit is RateUnit.LINE:
        return f"{_decimal(rate.value * 100)} %"
    return f"{_decimal(rate.value)} {rate.unit.value}"


def _decimal(value: Fraction) -> str:
    text = format(float(value), ".12f").rstrip("0").rstrip(".")
    if Fraction(text) != value:
        raise UnitError(f"rate: {value} has no end as a decimal number; give one that has")
    return text


def _messages(part: Part, port: Port) -> dict[str, Any]:
    """Frames that end, or bursts: gaps are whole nanoseconds there."""
    stream, limit = part.stream, part.limit
    if isinstance(stream.shaping, Messages):
        (message,) = stream.shaping.messages
        item = {
            "packets": message.packets,
            "interval": f"{message.pause.ns} ns",
            "packet_interval": f"{message.gap.ns} ns",
        }
        if limit.packets is None:
            return {"repeat": True, "list": [item]}
        return {"repeat": False, "list": [{**item, "count": limit.packets // message.packets}]}
    pps = stream.rate.frames_per_second(stream.frame_size.mean, port.speed)
    if not isinstance(stream.frame_size, FrameSize):
        raise UnitError("duration: a stream that ends has one frame size in a job file")
    gap = round(10**9 / pps)
    if abs(gap * pps / 10**9 - 1) > _LEAST_EXACT:
        raise UnitError(
            f"duration: a stream that ends has gaps of whole nanoseconds in a job file, and {float(pps):g} "
            f"frames a second are {float(10**9 / pps):g} ns apart; give a rate that fits, or make it "
            "continuous"
        )
    packets = limit.packets
    if limit.duration is not None:
        sending_ns = limit.duration.ns - stream.start_after.ns
        packets = -(-sending_ns * pps.numerator // (10**9 * pps.denominator))
    return {"repeat": False, "list": [{"packets": packets, "packet_interval": f"{gap} ns"}]}


def _edit(editor: Editor) -> dict[str, Any]:
    mode = editor.mode
    if isinstance(mode, FieldValues):
        return {"field": str(editor.path), "values": [_scalar(value) for value in mode.values]}
    assert isinstance(mode, Sweep)
    sweep = {"first": _scalar(mode.first), "step": _scalar(mode.step), "count": mode.count}
    return {"field": str(editor.path), "sweep": sweep}


def _scalar(text: str) -> int | str:
    return int(text) if text.removeprefix("-").isdecimal() else text


def _payload(payload: Payload) -> dict[str, str]:
    if not any(payload.data):
        return {"kind": "zeros"}
    if payload.data.isascii() and payload.data.decode().isprintable():
        return {"kind": "text", "content": payload.data.decode()}
    raise UnitError(f"payload: {payload.data.hex()} has no equivalent; job files have zeros and text in them")
