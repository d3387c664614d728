# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The pictures of a certificate, each with a text that says the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ..measurement.trial import Trial
from ..methodology.frame_loss import FrameLossResult
from ..methodology.latency import LatencyResult
from ..methodology.monitoring import MonitoringResult
from ..methodology.result import Result
from ..methodology.throughput import ThroughputResult
from ..model.units import Bandwidth
from . import plots
from .records import ResultRecord
from .render import image
from .verdict_table import short_names

R = TypeVar("R", bound=Result)
Series = Mapping[str, Sequence[R]]


@dataclass(frozen=True)
class Figure:
    """A plot; `text` says the same for those who cannot see it."""

    title: str
    source: str
    text: str


def figures(records: Sequence[ResultRecord], testbed: Mapping[str, Any]) -> Iterator[Figure]:
    """A figure for each procedure that has one, with all its results, and one for each watched traffic."""
    makers: tuple[tuple[type[Result], Callable[..., Iterator[Figure]]], ...] = (
        (ThroughputResult, _throughput),
        (LatencyResult, _latency),
        (FrameLossResult, _frame_loss),
    )
    for kind, make in makers:
        found = [record for record in records if isinstance(record.result, kind) and record.result.trials]
        if found:
            yield from make(_series(found), testbed)
    for record in records:
        if isinstance(record.result, MonitoringResult) and record.result.intervals:
            result = record.result
            picture = image(plots.interval_series(result.intervals))
            yield Figure(f"Intervals of {result.title}", picture, str(result))


def _series(records: Sequence[ResultRecord]) -> dict[str, list[Result]]:
    """Results of one procedure, by ascending frame size. What tells series apart is in their names.

    Each series has one result for each frame size: what was found again is in a series of its own.
    """
    suites = tuple(dict.fromkeys(record.place.suite for record in records))
    short = dict(zip(suites, short_names(suites), strict=True))
    several_streams = len({_streams(record.result) for record in records}) > 1
    series: dict[str, dict[str, Result]] = {}
    for record in sorted(records, key=lambda record: frame_size(record.result)):
        parts = [_streams(record.result)] if several_streams else []
        parts += [short[record.place.suite]] if len(suites) > 1 else []
        name, number = ", ".join(parts) or "measured", 1
        label = name
        while record.result.title in series.get(label, {}):
            number += 1
            label = f"{name} ({number})"
        series.setdefault(label, {})[record.result.title] = record.result
    return {label: list(results.values()) for label, results in series.items()}


def _streams(result: Result) -> str:
    return " + ".join(stream.name for stream in result.trials[0].streams)


def frame_size(result: Result) -> int:
    """Of the first stream, in bytes; of a mix the average."""
    return result.trials[0].streams[0].frame_size


def _throughput(series: Series[ThroughputResult], testbed: Mapping[str, Any]) -> Iterator[Figure]:
    found = {
        label: [(frame_size(r), _forwarded(r.judged[-1])) for r in results if r.judged]
        for label, results in series.items()
    }
    sizes = sorted({frame_size(result) for results in series.values() for result in results})
    speed = min((port["speed"]["bps"] for port in testbed.get("ports", ())), default=0)
    line = [(size, float(Bandwidth(speed).frames_per_second(size))) for size in sizes] if speed else []
    texts = (
        f"{f'{label}: ' if len(series) > 1 else ''}{r.title}: "
        f"{_forwarded(r.judged[-1]) if r.judged else 0:,.0f} frames/s"
        for label, results in series.items()
        for r in results
    )
    yield Figure("Throughput", image(plots.throughput_vs_size(found, line)), "; ".join(texts))


def _forwarded(trial: Trial) -> float:
    """Frames each second that left, as far as they arrived: from the first departure to the last."""
    return trial.achieved_rate * trial.received / trial.sent if trial.sent else 0.0


def _latency(series: Series[LatencyResult], _: Mapping[str, Any]) -> Iterator[Figure]:
    for label, results in series.items():
        measured = [(frame_size(r), r.title, r.latency) for r in results if r.latency.count]
        statistics = {
            name: [(size, value) for size, _, latency in measured if (value := latency.percentile(percent))]
            for name, percent in (("max", 100), ("p99", 99), ("p50", 50))
        }
        statistics["min"] = [(size, float(latency.min or 0)) for size, _, latency in measured]
        text = "; ".join(f"{title}: {latency}" for _, title, latency in measured)
        title = "Latency" if len(series) == 1 else f"Latency: {label}"
        yield Figure(title, image(plots.latency_vs_size(statistics)), text or "nothing was received")


def _frame_loss(series: Series[FrameLossResult], _: Mapping[str, Any]) -> Iterator[Figure]:
    for label, results in series.items():
        lines = {result.title: result.trials for result in results}
        worst = {
            name: max(
                (ratio for t in trials if t.valid and (ratio := t.loss_ratio) is not None), default=None
            )
            for name, trials in lines.items()
        }
        text = "; ".join(
            f"{name}: {'not measured' if loss is None else f'{loss:.3%} at most'}"
            for name, loss in worst.items()
        )
        title = "Frame loss" if len(series) == 1 else f"Frame loss: {label}"
        yield Figure(title, image(plots.loss_vs_load(lines)), text)
