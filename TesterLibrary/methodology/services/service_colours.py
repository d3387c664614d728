# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The colours in which frames of a service arrive (MEF 10.3 §12, ITU-T Y.1564).

A device that is aware of colours, or marks frames by itself, says by a field of each frame whether it is
within the CIR (green) or within the EIR (yellow). Frames are counted by that field where they arrive.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...measurement.stream_result import StreamResult
from ...measurement.trial import Trial
from ...model.units.units import Rate, RateUnit, Ratio, ratio_text
from ...verdict import AT_LEAST, AT_MOST, Between, Verdict, assess
from ..verdicts.judging import ALL_DELIVERED, doubt_of, unmeasured


@dataclass(frozen=True)
class Arrived:
    """The colours in which frames of one stream arrived in a trial; each copy of a frame counts."""

    stream: str
    green: int
    yellow: int
    doubt: str = ""  # why frames of either colour may be missing


@dataclass(frozen=True)
class Offered:
    """A trial of streams of a service, and the colours in which their frames arrived, if asked for."""

    trial: Trial
    colours: tuple[Arrived, ...] = ()


@dataclass(frozen=True)
class ColourBounds:
    """The most that may arrive of each colour, in bits of frames each second, and the least of green ones."""

    cir: Fraction
    eir: Fraction
    loss: Ratio  # part of the committed frames that need not arrive green
    margin: Ratio  # part by which more may arrive: what a bucket holds


def judged_by_colour(
    offered: Offered, green: str, bounds: ColourBounds, *, committed: bool
) -> Iterator[Verdict]:
    """The verdicts on the colours of a trial.

    Up to the CIR frames of the green stream arrive green. Beyond it as many as the CIR has do, and no more;
    no more than the EIR has arrive yellow. A yellow frame never arrives green, and none arrives without a
    colour.

    Args:
        offered: The trial, with its colours.
        green: The name of the stream whose frames are sent green, or without a colour.
        bounds: The bandwidth profile, with what is allowed beside it.
        committed: Whether no more than the CIR was offered.
    """
    trial = offered.trial
    doubt = doubt_of([trial]) or unmeasured([trial])
    doubt = doubt or next((arrived.doubt for arrived in offered.colours if arrived.doubt), "")
    for arrived in offered.colours:
        stream = trial.stream(arrived.stream)
        neither = max(0, stream.counters.rx_packets - arrived.green - arrived.yellow)
        yield _none(neither, f"frames of {stream.name} that arrived in neither colour", stream, doubt)
        if arrived.stream != green:
            yield _none(arrived.green, f"frames of {stream.name} that arrived green", stream, doubt)
        elif committed:
            yield _all_green(stream, arrived, bounds.loss, doubt)
        else:
            yield from _green_rate(trial, stream, arrived, bounds, doubt)
    if not committed:
        value = sum(_rate(trial, trial.stream(c.stream), c.yellow) for c in offered.colours)
        yield _at_most(trial, "yellow", Between(value, value), bounds.eir, bounds.margin, doubt, "the EIR")


def _none(count: int, subject: str, stream: StreamResult, doubt: str) -> Verdict:
    measured = f"{count:,} of {stream.counters.tx_packets:,}"
    return assess(count, AT_MOST, 0, subject=subject, measured=measured, doubt=doubt)


def _all_green(stream: StreamResult, arrived: Arrived, loss: Ratio, doubt: str) -> Verdict:
    sent = stream.counters.tx_packets
    least, most = (Fraction(count, sent or 1) for count in _once(stream, arrived.green))
    return assess(
        least if least == most else Between(least, most),
        AT_LEAST,
        1 - loss.value,
        subject=f"frames of {stream.name} that arrived green",
        measured=f"{Ratio(least)} ({arrived.green:,} of {sent:,}; {arrived.yellow:,} arrived yellow)",
        bound=f">= {Ratio(1 - loss.value)}",
        doubt=doubt,
        text=ratio_text,
    )


def _green_rate(
    trial: Trial, stream: StreamResult, arrived: Arrived, bounds: ColourBounds, doubt: str
) -> Iterator[Verdict]:
    least, most = (_rate(trial, stream, count) for count in _once(stream, arrived.green))
    value, required = Between(least, most), bounds.cir * (1 - bounds.loss.value)
    short = doubt
    if not short and most < required and arrived.green >= stream.counters.tx_packets:
        short = ALL_DELIVERED
    yield assess(
        least if least == most else value,
        AT_LEAST,
        required,
        subject=f"green information rate of {trial.title}",
        measured=_text(value),
        bound=f">= {_bits(required)}, its CIR less {bounds.loss}",
        doubt=short,
        criterion="lowest green information rate",
    )
    yield _at_most(trial, "green", value, bounds.cir, bounds.margin, doubt, "its CIR")


def _at_most(
    trial: Trial, colour: str, value: Between, promised: Fraction, margin: Ratio, doubt: str, what: str
) -> Verdict:
    allowed = promised * (1 + margin.value)
    return assess(
        value.least if value.least == value.most else value,
        AT_MOST,
        allowed,
        subject=f"{colour} information rate of {trial.title}",
        measured=_text(value),
        bound=f"<= {_bits(allowed)}, {what} with a margin of {margin}",
        doubt=doubt,
        criterion=f"highest {colour} information rate",
    )


def _once(stream: StreamResult, count: int) -> Sequence[int]:
    """The least and the greatest number of different frames of so many that arrived, copies among them."""
    copies = stream.counters.rx_packets - stream.order.first_arrivals
    return max(0, count - copies), min(count, stream.counters.tx_packets)


def _rate(trial: Trial, stream: StreamResult, count: int) -> Fraction:
    """So many frames in bits each second of the time in which frames were sent."""
    return count * 8 * stream.mean_size * 10**9 / Fraction(trial.sending_ns)


def _bits(value: Fraction) -> Rate:
    return Rate(value, RateUnit.L2)


def _text(value: Between) -> str:
    least, most = _bits(value.least), _bits(value.most)
    return str(least) if value.least == value.most else f"{least} to {most}"
