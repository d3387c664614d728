# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Plots of trials and of results over frame sizes, as SVG text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...measurement import remarks
from ...measurement.delays.histogram import bounds_of
from ...measurement.delays.latency import Latency
from ...measurement.trial import Trial
from .canvas import COLORS, Plot

_PERCENTILES = (50.0, 90.0, 99.0, 99.9, 99.99)
_BINS = 60  # of a histogram, at most


def loss_vs_load(series: Mapping[str, Sequence[Trial]]) -> str:
    """Frame loss rate over offered load (RFC 2544 §26.3), a line for each label, without invalid trials."""
    with Plot(("Offered load, % of line rate", "Frame loss, %")) as plot:
        for index, (label, trials) in enumerate(series.items()):
            points = sorted(
                (float(t.load * 100), t.loss_ratio * 100)
                for t in trials
                if t.valid and t.loss_ratio is not None
            )
            plot.line(index, label, points)
        plot.axes.set_xlim(0, 102)
        losses = (t.loss_ratio for trials in series.values() for t in trials if t.valid)
        worst = max((loss * 100 for loss in losses if loss is not None), default=0)
        plot.axes.set_ylim(-1, max(5.0, worst * 1.05))
    return plot.svg


def throughput_vs_size(
    series: Mapping[str, Sequence[tuple[int, float]]], line: Sequence[tuple[int, float]]
) -> str:
    """Throughput in frames/s over frame size in bytes (RFC 2544 §26.1), with what the line could carry."""
    with Plot(("Frame size, bytes", "Throughput, frames/s")) as plot:
        if line:
            x, y = zip(*line, strict=True)
            plot.axes.plot(x, y, color="#5f5f5f", linestyle="--", label="line rate")
        for index, (label, points) in enumerate(series.items()):
            plot.line(index, label, points)
        plot.logarithmic()
        plot.frame_sizes(size for points in (*series.values(), line) for size, _ in points)
    return plot.svg


def latency_vs_size(statistics: Mapping[str, Sequence[tuple[int, float]]]) -> str:
    """Latency in microseconds over frame size in bytes, a line for each statistic (min, p50, p99, max)."""
    with Plot(("Frame size, bytes", "Latency, µs")) as plot:
        for index, (label, points) in enumerate(statistics.items()):
            plot.line(index, label, [(size, ns / 1000) for size, ns in points])
        plot.logarithmic()
        plot.frame_sizes(size for points in statistics.values() for size, _ in points)
    return plot.svg


def bursts_vs_size(statistics: Mapping[str, Sequence[tuple[int, float]]]) -> str:
    """Longest burst in frames over frame size in bytes (RFC 9004), a line for each statistic."""
    with Plot(("Frame size, bytes", "Longest burst, frames")) as plot:
        for index, (label, points) in enumerate(statistics.items()):
            plot.line(index, label, points)
        plot.axes.set_ylim(bottom=0)
        plot.frame_sizes(size for points in statistics.values() for size, _ in points)
    return plot.svg


def recovery_vs_size(series: Mapping[str, Sequence[tuple[int, float]]]) -> str:
    """System recovery in milliseconds over frame size in bytes (RFC 2544 §26.5), a line for each label."""
    with Plot(("Frame size, bytes", "System recovery, ms")) as plot:
        for index, (label, points) in enumerate(series.items()):
            plot.line(index, label, [(size, ns / 1e6) for size, ns in points])
        plot.axes.set_ylim(bottom=0)
        plot.frame_sizes(size for points in series.values() for size, _ in points)
    return plot.svg


def reset_times(resets: Sequence[tuple[str, float]]) -> str:
    """Seconds without forwarding (RFC 6201), a bar for each reset."""
    with Plot(("Reset", "Time without forwarding, s")) as plot:
        plot.axes.bar(range(len(resets)), [ns / 1e9 for _, ns in resets], width=0.5, color=COLORS[0])
        plot.axes.set_xticks(range(len(resets)), [kind for kind, _ in resets])
        plot.axes.set_ylim(bottom=0)
    return plot.svg


def latency_distribution(series: Mapping[str, Trial]) -> str:
    """Latency in microseconds, a line for each trial: at each percentile, and how many frames had it.

    The last percentile is the maximum.
    """
    pairs = ("Percentile", "Latency, µs"), ("Latency, µs", "Part of the frames, %")
    with Plot(*pairs, size=(7.2, 3.0)) as plot:
        for index, (label, trial) in enumerate(series.items()):
            latency = trial.latency
            values = [*(latency.percentile(p) for p in _PERCENTILES), latency.max]
            plot.line(index, label, [(i, v / 1000) for i, v in enumerate(values) if v is not None])
        labels = [*(f"{p:g}" for p in _PERCENTILES), "max"]
        plot.axes.set_xticks(range(len(labels)), labels)
        plot.logarithmic()
        plot.next()
        for index, trial in enumerate(series.values()):
            edges, parts = _histogram(trial.latency)
            plot.axes.stairs(parts, edges, color=COLORS[index % len(COLORS)], linewidth=1.4)
        plot.axes.set_ylim(bottom=0)
    return plot.svg


def _histogram(latency: Latency) -> tuple[list[float], list[float]]:
    """Edges in microseconds, and the part of all frames between each two, in percent."""
    buckets = latency.counters.buckets
    low, high = bounds_of(min(buckets))[0], bounds_of(max(buckets))[1]
    width = max(1, -(-(high - low) // _BINS))
    counts = [0] * -(-(high - low) // width)
    for bucket, count in buckets.items():
        begin, end = bounds_of(bucket)
        counts[min(len(counts) - 1, ((begin + end) // 2 - low) // width)] += count
    edges = [(low + width * n) / 1000 for n in range(len(counts) + 1)]
    return edges, [100 * count / sum(counts) for count in counts]


def _lossless_loads(trials: Sequence[Trial]) -> str:
    """The highest load without loss, and the loads that only filled a queue."""
    lossless = [t.load for t in trials if t.lost == 0]
    unknown = sum(t.lost is None for t in trials)
    best = "loss in every trial" if not unknown else f"not measured in {unknown} trials"
    if lossless:
        best = f"up to {float(max(lossless) * 100):.4g} % of line rate without loss"
    filling = sorted({t.load for t in trials if t.lost == 0 and not t.sustained})
    if filling:
        best += f"; not sustained at {', '.join(f'{float(load * 100):.4g} %' for load in filling)}"
    return best


def of_trials(trials: Sequence[Trial]) -> tuple[str, str]:
    """The plot that says most about the trials of one test, and a sentence for those who cannot see it.

    Several loads: loss over load. One load: the percentiles of latency. Two empty texts: nothing to show.
    The sentence says, too, which loads only filled a queue: a plot of loss does not show them.
    """
    valid = [t for t in trials if t.valid]
    if len({t.load for t in valid}) > 1:
        by_title: dict[str, list[Trial]] = {}
        for trial in valid:
            by_title.setdefault(trial.title, []).append(trial)
        return loss_vs_load(by_title), f"Frame loss over offered load: {_lossless_loads(valid)}"
    measured = [t for t in valid if t.latency.count]
    if not measured:
        return "", ""
    last = measured[-1]
    text = "; ".join(
        filter(None, (f"Latency by percentile; the last trial: {last.latency}", remarks.not_sustained(last)))
    )
    return latency_distribution({f"trial {t.number}": t for t in measured[-len(COLORS) :]}), text
