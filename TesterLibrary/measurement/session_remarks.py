# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Sentences about the connections of an end, made from its numbers.

A function returns an empty text where there is nothing to say.
"""

from __future__ import annotations

from collections.abc import Iterator

from .delays.latency import Latency
from .session_numbers import SessionNumbers, in_nanoseconds

_MALFORMED = "wrong checksum or length: transmit offload of the device?"


def line(numbers: SessionNumbers) -> str:
    """The counters of an end on one line."""
    return ", ".join(_parts(numbers))


def _parts(numbers: SessionNumbers) -> Iterator[str]:
    rate, seconds = numbers.connection_rate, numbers.duration_ns / 1e9
    established = (
        f"{_count(numbers.established)} established in {seconds:.3g} s "
        f"({'unknown rate' if rate is None else f'{rate:,.0f}/s'})"
    )
    attempted = f"{numbers.openings:,} attempted, " if numbers.openings else ""
    yield f"{numbers.name}: {attempted}{established}"
    yield f"{_count(numbers.completed)} completed"
    yield f"{_count(numbers.failed)} failed"
    yield f"{_count(numbers.concurrent)} open"
    if numbers.stopped:
        yield f"{numbers.stopped:,} ended by the stop"
    if numbers.goodput_bps:
        yield f"goodput {numbers.goodput_bps / 1e6:,.6g} Mbps"
    if numbers.malformed:
        yield f"{numbers.malformed:,} frames were malformed ({_MALFORMED})"
    if numbers.interpreted:
        yield "tables interpreted"
    for key, histogram in numbers.histograms.items():
        if histogram.count:
            name = key.partition(".")[2].replace("_", " ")
            yield f"{name} {Latency(in_nanoseconds(histogram))}"


def unread(numbers: SessionNumbers) -> tuple[str, ...]:
    """Answers that the tables cannot read, so that nothing can be said of the device."""
    return tuple(
        f"{numbers.counters[counter]:,} {what}, by which {counter.partition('.')[0]} cannot judge the device"
        for counter, what in numbers.unread.items()
        if numbers.counters.get(counter)
    )


def causes(numbers: SessionNumbers) -> str:
    """How flows failed, by cause: `4 refused, 1 timed out`; empty if none did."""
    counts = ((name.partition(".")[2], numbers.counters.get(name, 0)) for name in numbers.failures)
    return ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts if count)


def failed(numbers: SessionNumbers) -> str:
    """How flows failed or were mixed up: `5 failed (5 refused)`; empty if none were."""
    crossed = f"{numbers.crossed:,} frames for other flows arrived" if numbers.crossed else ""
    if not numbers.failed:
        return crossed
    details = ", ".join(filter(None, (causes(numbers), numbers.examples, crossed)))
    return f"{numbers.failed:,} failed" + (f" ({details})" if details else "")


def interpreted(numbers: SessionNumbers) -> str:
    """Why the tester may have been too slow, and what to do; empty if its tables are not interpreted."""
    if not numbers.interpreted:
        return ""
    return (
        f"the tables of {numbers.name} are interpreted, at about half of the rate of the shipped ones: "
        "use the shipped tables as they are, or ask for less"
    )


def all_malformed(numbers: SessionNumbers) -> str:
    """Why nothing can be said of the device: no frame that arrived was sound. Empty if one was."""
    if not numbers.malformed or numbers.malformed < numbers.rx_packets:
        return ""
    return f"all {numbers.malformed:,} frames that arrived were malformed ({_MALFORMED})"


def _count(count: int | None) -> str:
    return "unknown number" if count is None else f"{count:,}"
