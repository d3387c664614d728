# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Metrics of ports and flows, as clients ask for them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import Any

from ...measurement.counter import total
from ...measurement.delays.correction import DelayKind
from ...measurement.snapshot import Snapshot
from ...model.units.units import LINE_OVERHEAD
from ...running.tester import Tester
from .group import received, unique
from .refusal import Findings, OtgFailure
from .schema import Message, chosen
from .settings import PortSetting
from .support import reads
from .transmission import FlowCount, Transmission

reads("MetricsRequest", "choice port flow", choice="port flow")
reads("PortMetricsRequest", "port_names column_names")
reads("FlowMetricsRequest", "flow_names metric_names")

_DOUBTFUL = frozenset({"frames_rx", "bytes_rx"})  # columns that say how much arrived
_READINGS = 4  # more ones, at most, of flows that are sending and seem to have lost frames
_KILO, _MEGA = 1000, 10**6


def metrics_of(
    request: Message,
    tester: Tester,
    flows: Transmission,
    ports: dict[str, PortSetting],
    capturing: Collection[str],
    captured: Collection[str],
) -> dict[str, Any]:
    """The answer to a request, as JSON has it: messages of thousands of flows would take longer to make.

    Raises:
        OtgError: a name of a port or a flow that there is not.
        OtgFailure: how much has arrived is not known, because the tester itself lost frames.
    """
    if chosen(request, "port") == "flow":
        wanted = _wanted(request.flow.flow_names, flows.settings, "flow.flow_names", "flow")
        columns = _columns(request.flow, "metric_names")
        return {"choice": "flow_metrics", "flow_metrics": _flow_metrics(wanted, columns, flows)}
    wanted = _wanted(request.port.port_names, ports, "port.port_names", "port")
    columns = _columns(request.port, "column_names")
    snapshot = flows.look()
    found = []
    for name in wanted:
        metric = _port_metric(ports[name], snapshot, tester, flows)
        if ports[name].port in {*capturing, *captured}:
            metric["capture"] = "started" if ports[name].port in capturing else "stopped"
        found.append(_shown(metric, columns))
    return {"choice": "port_metrics", "port_metrics": found}


def _wanted(names: Sequence[str], known: Mapping[str, object], path: str, what: str) -> list[str]:
    """The names that were asked for, or all."""
    findings = Findings()
    for index, name in enumerate(names):
        if name not in known:
            there = ", ".join(known) or "none"
            findings.add(f"{path}[{index}]", f"{name!r} is no {what} of the configuration; it has {there}")
    findings.settle()
    asked = set(names)
    return [name for name in known if name in asked] if asked else list(known)


def _columns(request: Message, field: str) -> frozenset[str]:
    """The columns that were asked for; empty for all."""
    known = request.DESCRIPTOR.fields_by_name[field].enum_type.values_by_number
    return frozenset(known[number].name for number in getattr(request, field))


def _shown(values: dict[str, Any], columns: frozenset[str]) -> dict[str, Any]:
    """A metric without the values that are None, or not asked for."""
    return {
        key: value
        for key, value in values.items()
        if value is not None and (not columns or key in columns or key == "name")
    }


def _port_metric(setting: PortSetting, now: Snapshot, tester: Tester, flows: Transmission) -> dict[str, Any]:
    port, before = now.port(setting.port), flows.port_base.port(setting.port)
    rates = flows.history.rates(port.name, now.taken_at_ns, flows.totals[port.name], 0.0)
    sending = {
        stream.tx_port for flow in flows.flow_counts(now, flows.settings) for stream in _sending_streams(flow)
    }
    return {
        "name": setting.name,
        "location": setting.location,
        "link": None if port.link_up is None else "up" if port.link_up else "down",
        "transmit": "started" if port.name in sending else "stopped",
        "frames_tx": port.tx_packets - before.tx_packets,
        "frames_rx": port.rx_packets - before.rx_packets,
        "bytes_tx": port.tx_bytes - before.tx_bytes,
        "bytes_rx": port.rx_bytes - before.rx_bytes,
        "frames_tx_rate": rates[0],
        "frames_rx_rate": rates[1],
        "bytes_tx_rate": rates[2],
        "bytes_rx_rate": rates[3],
        "speed": tester.ports[port.name].speed.bps // 8 // _KILO,
    }


def _sending_streams(flow: FlowCount) -> Iterator[Any]:
    if flow.is_sending:
        yield from flow.streams


def _flow_metrics(
    names: Collection[str], columns: frozenset[str], flows: Transmission
) -> list[dict[str, Any]]:
    snapshot = flows.look()
    enabled = [name for name in names if flows.settings[name].enabled]
    found = list(flows.flow_counts(snapshot, enabled))
    _refuse_doubtful(found, columns)
    lost = _losses(found, flows)
    return [_shown(_flow_metric(flow, snapshot, flows, lost), columns) for flow in found]


def _losses(found: Iterable[FlowCount], flows: Transmission) -> dict[str, float]:
    """Losses in percent, of flows for which they are asked and known.

    The counters of a flow that is sending are not of one instant, so that a frame may seem to be lost that
    arrives just now. What is lost stays lost: of several readings the least is true.
    """
    lost = _lost(found)
    for _ in range(_READINGS):
        moving = [name for name, (missing, _, sending) in lost.items() if sending and missing]
        if not moving:
            break
        for name, again in _lost(flows.flow_counts(flows.look(), moving)).items():
            lost[name] = min(lost[name], again)
    return {name: 100 * missing / sent if sent else 0.0 for name, (missing, sent, _) in lost.items()}


def _lost(found: Iterable[FlowCount]) -> dict[str, tuple[int, int, bool]]:
    """Frames that are lost, frames of which that was said, and whether more are sent."""
    known = {}
    for flow in found:
        counted = _loss(flow) if flow.setting.loss and flow.counters else None
        if counted is not None:
            known[flow.setting.name] = (*counted, flow.is_sending)
    return known


def _refuse_doubtful(found: Iterable[FlowCount], columns: frozenset[str]) -> None:
    """OtgFailure if what is missing may be the tester's doing: a wrong loss must not look like a device's."""
    if columns and not columns & _DOUBTFUL:
        return
    doubtful = {flow.setting.name: flow.group.doubts for flow in found if flow.group and flow.group.doubts}
    if doubtful:
        raise OtgFailure(
            [
                f"flow {name!r}: how much of it arrived is not to be trusted: {'; '.join(doubts)}. Run it "
                "again; metric_names without frames_rx and bytes_rx gives the rest"
                for name, doubts in doubtful.items()
            ]
        )


def _flow_metric(
    flow: FlowCount, now: Snapshot, flows: Transmission, lost: Mapping[str, float]
) -> dict[str, Any]:
    setting, counters = flow.setting, flow.counters
    rx = [received(counter, anywhere=setting.anywhere) for counter in counters]
    values: dict[str, Any] = {
        "name": setting.name,
        "port_tx": setting.tx,
        "port_rx": setting.rx or None,
        "transmit": "started" if flow.is_sending else "stopped",
        "frames_tx": sum([counter.tx_packets for counter in counters]),
        "frames_rx": total(rx),
        "bytes_tx": sum([counter.tx_bytes for counter in counters]),
        "bytes_rx": _bytes_rx(flow),
        "loss": lost.get(setting.name),
        **_rates(flow, now, flows),
    }
    if setting.latency is not None:
        values["latency"] = _latency(flow, flows, setting.latency)
    if setting.timestamps:
        values["timestamps"] = _timestamps(flow)
    return values


def _bytes_rx(flow: FlowCount) -> int | None:
    """Bytes at other ports are not counted by stream: they follow where all frames are of one size."""
    if not flow.setting.anywhere:
        return sum([counter.rx_bytes for counter in flow.counters])
    total = 0
    for stream, counter in zip(flow.streams, flow.counters, strict=False):
        if len(stream.sizes) != 1 or counter.rx_misrouted is None:
            return None
        total += counter.rx_bytes + counter.rx_misrouted * next(iter(stream.sizes))
    return total


def _rates(flow: FlowCount, now: Snapshot, flows: Transmission) -> dict[str, float]:
    frames_tx = frames_rx = bytes_tx = bytes_rx = 0.0
    if flow.is_sending:
        for stream in flow.streams:
            counts = flows.totals[stream.id]
            found = flows.history.rates(stream.id, now.taken_at_ns, counts, flows.pace(stream))
            frames_tx += found[0]
            frames_rx += found[1]
            bytes_tx += found[2]
            bytes_rx += found[3]
    if flow.setting.anywhere:  # bytes at other ports are not counted
        size = bytes_tx / frames_tx if frames_tx else 0.0
        bytes_rx = frames_rx * size
    bits_tx, bits_rx = 8 * bytes_tx, 8 * bytes_rx
    return {
        "frames_tx_rate": frames_tx,
        "frames_rx_rate": frames_rx,
        "tx_l1_rate_bps": 8 * (bytes_tx + LINE_OVERHEAD * frames_tx),
        "tx_rate_bytes": bytes_tx,
        "tx_rate_bps": bits_tx,
        "tx_rate_kbps": bits_tx / _KILO,
        "tx_rate_mbps": bits_tx / _MEGA,
        "rx_l1_rate_bps": 8 * (bytes_rx + LINE_OVERHEAD * frames_rx),
        "rx_rate_bytes": bytes_rx,
        "rx_rate_bps": bits_rx,
        "rx_rate_kbps": bits_rx / _KILO,
        "rx_rate_mbps": bits_rx / _MEGA,
    }


def _loss(flow: FlowCount) -> tuple[int, int] | None:
    """Frames that are lost, and frames among which they are.

    While a flow is sending these are the frames before the last one that has arrived: frames on their way
    are not lost. None where nobody can tell.
    """
    anywhere = flow.setting.anywhere
    sent = lost = 0
    for counter in flow.counters:
        arrived = unique(counter, anywhere=anywhere)
        before = counter.order.next_sequence if flow.is_sending else counter.tx_packets
        if arrived is None or before is None or (flow.is_sending and anywhere):
            return None
        sent, lost = sent + before, lost + max(0, before - arrived)
    return lost, sent


def _latency(flow: FlowCount, flows: Transmission, kind: DelayKind) -> dict[str, float] | None:
    least, most, total, number = inf, 0, 0, 0
    for stream, counter in zip(flow.streams, flow.counters, strict=False):
        seen = counter.latency
        if count := seen.count:
            off = flows.offset_ns(stream, kind)
            least = min(least, seen.min_ns - off)
            most = max(most, seen.max_ns - off)
            total += max(0, seen.sum_ns - off * count)
            number += count
    if not number:
        return None
    return {"minimum_ns": float(max(0, least)), "maximum_ns": float(most), "average_ns": total / number}


def _timestamps(flow: FlowCount) -> dict[str, float] | None:
    """When the first and the last frame arrived, by the tester's clock."""
    arrived = [counter for counter in flow.counters if counter.first_rx_ns]
    if not arrived:
        return None
    return {
        "first_timestamp_ns": float(min(counter.first_rx_ns for counter in arrived)),
        "last_timestamp_ns": float(max(counter.last_rx_ns for counter in arrived)),
    }
