# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Entries of the control Rate (p4/controls/rate.p4): a meter, and units that pass and skip (norma §5.2)."""

from __future__ import annotations

from collections.abc import Iterator

from ....planning.switch.meter import TofinoMeter
from ....planning.switch.resources import TICK_BITS
from ....planning.switch.staging import Staging
from ..driver.counter_laps import Laps
from ..session.switch import Asked
from .entry import TableEntry

_RATE = "InternalIngress.rate"
_UNITS = ("correction", "pattern", "outer_pattern")  # in the order in which a packet passes them
# Packets in a meter's bucket. The vendor's driver limits the mantissa of a rate to this number: a smaller one
# than its nine bits could not express the rate, and with one packet most rates would be 0.
BURST = 511
_WORD = 1 << TICK_BITS


def meter_entry(template: int, staging: Staging, meter: TofinoMeter, *, metered: bool = True) -> TableEntry:
    """The entry of a template's meter. It is written before a stream starts, because it fills the bucket.

    Template packets that loop empty the bucket, also while they are held back.

    Args:
        template: The number of the template.
        staging: The stream's staging, with one of the meter's rates.
        meter: The chip's meter.
        metered: Whether the meter limits the template; else its loop does, and the meter has twice the rate.
    """
    pps = meter.asked(staging.meter_rate)
    pps = pps if metered else 2 * pps
    return TableEntry(
        f"internal.{_RATE}.meter",
        {"$METER_INDEX": template},
        data={
            "$METER_SPEC_CIR_PPS": pps,
            "$METER_SPEC_PIR_PPS": pps,
            "$METER_SPEC_CBS_PKTS": BURST,
            "$METER_SPEC_PBS_PKTS": BURST,
        },
    )


def unit_entries(template: int, staging: Staging) -> Iterator[TableEntry]:
    """The entries of a template's units, the last one at its phase. The last entry lets packets depart."""
    begins = [0] * (len(staging.stages) - 1) + [staging.begins]
    for unit, stage, tick in reversed(list(zip(_UNITS, staging.stages, begins, strict=False))):
        yield _tick(f"{_RATE}.{unit}", template, tick)
        yield _stage(f"{_RATE}.{unit}", template, passes=stage.passes, last=stage.period - 1)


def gap_entries(template: int, staging: Staging) -> Iterator[TableEntry]:
    """The random gaps of a template, all equally likely (p4/controls/gaps.p4).

    They are written while the template loops and is held back: until then its register has the present time.
    """
    control = f"{_RATE}.gaps"
    for number, gap_ns in enumerate(staging.gaps.gaps_ns if staging.gaps else ()):
        yield TableEntry(
            f"internal.{control}.quantiles",
            {"template": template, "number": number},
            f"{control}.draw",
            {"own": gap_ns},
        )


def held_entry(template: int) -> TableEntry:
    """Keeps all packets of a template back: its first unit passes none."""
    return _stage(f"{_RATE}.{_UNITS[0]}", template, passes=0, last=0)


def counting_entries(template: int) -> Iterator[TableEntry]:
    """Keeps all packets of a template back; its first unit counts the rounds that the meter lets pass."""
    unit = f"{_RATE}.{_UNITS[0]}"
    yield _tick(unit, template)
    yield _stage(unit, template, passes=0, last=_WORD - 1)


def passes_asked(template: int) -> Asked:
    """The entry to read for the number of rounds that the meter has let pass."""
    return Asked(f"internal.{_RATE}.{_UNITS[0]}.ticks", {"$REGISTER_INDEX": template})


def limit_entries(template: int, packets: int | None, delay: int = 0) -> Iterator[TableEntry]:
    """Lets so many packets depart, or any number, by the last unit, which a pattern must not need.

    After the packets that pass, a unit skips the rest of 2^32 packets; the stream has to be stopped before
    these end. A number that is too large for a unit is counted in laps, until `last_lap_entry` is written.
    A delay is that rest, too: the unit begins so many packets before its end. If it cannot go on by itself
    then, it has time for the packets that pass until `going_entry` is written.
    """
    unit = f"{_RATE}.{_UNITS[-1]}"
    if needs_word(packets, delay):
        yield _stage(unit, template, passes=_WORD - delay, last=_WORD - 1)
    else:
        yield going_entry(template, packets)
    yield _tick(unit, template, -delay % _WORD)


def needs_word(packets: int | None, delay: int) -> bool:
    """Whether `going_entry` has to be written when a delay is over."""
    return delay > 0 and (packets is None or packets > _WORD - delay)


def going_entry(template: int, packets: int | None) -> TableEntry:
    """Lets so many packets depart, or any number, of which the last unit has counted less than half a lap."""
    laps = None if packets is None else Laps.of(packets)
    if laps is not None and not laps.whole:
        return last_lap_entry(template, laps)
    length = laps.length if laps else _WORD - 1
    return _stage(f"{_RATE}.{_UNITS[-1]}", template, passes=length, last=length - 1)


def last_lap_entry(template: int, laps: Laps) -> TableEntry:
    """Lets the rest of a number of packets depart: the last unit goes on in its present lap."""
    unit = f"{_RATE}.{_UNITS[-1]}"
    return _stage(unit, template, passes=laps.rest, last=_WORD - 1)


def _stage(unit: str, template: int, *, passes: int, last: int) -> TableEntry:
    return TableEntry(
        f"internal.{unit}.stages",
        {"template": template},
        f"{unit}.stage",
        {"stage_passes": passes, "stage_last": last},
    )


def _tick(unit: str, template: int, tick: int = 0) -> TableEntry:
    return TableEntry(
        f"internal.{unit}.ticks", {"$REGISTER_INDEX": template}, data={f"{unit}.ticks.f1": tick}
    )
