# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Entries of the control Rate (p4/controls/rate.p4): a meter, and units that pass and skip (norma §5.2)."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from ...model.pattern import Stage
from ...planning.staging import Staging
from .entry import Entry

_RATE = "InternalIngress.rate"
_UNITS = ("correction", "pattern", "outer_pattern")  # in the order in which a packet meets them
_BURST = 1  # packets of a meter's bucket: the fewer, the more even


def rate_entries(template: int, staging: Staging) -> Iterator[Entry]:
    """Of a template's meter and of its units, which begin a period."""
    pps = ceil(staging.meter_rate)  # a switch's driver truncates
    yield Entry(
        f"internal.{_RATE}.meter",
        {"$METER_INDEX": template},
        data={
            "$METER_SPEC_CIR_PPS": pps,
            "$METER_SPEC_PIR_PPS": pps,
            "$METER_SPEC_CBS_PKTS": _BURST,
            "$METER_SPEC_PBS_PKTS": _BURST,
        },
    )
    for unit, stage in zip(_UNITS, staging.stages, strict=False):
        yield from _unit(f"{_RATE}.{unit}", template, stage)


def _unit(unit: str, template: int, stage: Stage) -> Iterator[Entry]:
    yield Entry(
        f"internal.{unit}.stages",
        {"template": template},
        f"{unit}.stage",
        {"stage_passes": stage.passes, "stage_last": stage.period - 1},
    )
    yield Entry(f"internal.{unit}.ticks", {"$REGISTER_INDEX": template}, data={f"{unit}.ticks.f1": 0})
