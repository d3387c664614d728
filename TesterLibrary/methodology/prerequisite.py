# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A throughput that another procedure of RFC 2544 needs first (§26.2, §26.4 to §26.6)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..errors import Inconclusive, PlanError
from ..measurement.stream_result import StreamResult
from ..model.stream import Stream
from .throughput import ThroughputResult


def check_prerequisite(found: ThroughputResult, streams: Sequence[Stream]) -> None:
    """PlanError for a throughput of other streams, or one with loss: nothing follows from it for these."""
    (trial, *_) = found.trials
    searched, given = set(map(_measured, trial.streams)), set(map(_given, streams))
    if searched != given:
        raise PlanError(
            f"the throughput is that of {_text(searched)}, and the streams are {_text(given)}; give a result "
            "of Find Throughput for the same streams, frame sizes and ports"
        )
    if found.search.loss.value:
        raise PlanError(
            f"the throughput was searched with a loss of {found.search.loss}; search it with loss=0 "
            "(RFC 1242 §3.17)"
        )


def load_of(found: ThroughputResult, needed_by: str) -> Fraction:
    """The throughput, part of line rate. Inconclusive where the device has none, or the tester found none."""
    if found.load is None:
        raise Inconclusive(f"{needed_by} is measured at a part of the throughput, and there is none: {found}")
    return found.load


_Kind = tuple[str, str, str, int]  # name, ports, bytes of a frame


def _measured(stream: StreamResult) -> _Kind:
    return stream.name, stream.tx_port, stream.rx_port, round(stream.mean_size)


def _given(stream: Stream) -> _Kind:
    return stream.name, stream.tx, stream.rx, round(stream.frame_size.mean)


def _text(streams: set[_Kind]) -> str:
    return ", ".join(f"{name} ({tx} to {rx}, {size} bytes)" for name, tx, rx, size in sorted(streams))
