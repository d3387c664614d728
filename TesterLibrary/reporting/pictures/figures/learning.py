# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Learning curves: how many of the addresses that were announced a device knew, or how fast it learned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....measurement.addresses import AddressCheck
from ....methodology.address_table import AddressRateResult, CapacityResult
from ....methodology.learning import CacheResult
from ...pages.render import image
from ...record.records import ResultRecord
from ..figure import Figure
from ..level_plots import Level, knee
from .registry import Setting, draws

_ADDRESSES = "Addresses announced", "Addresses known"


@draws(CacheResult, in_log=True)
def cache(records: Sequence[ResultRecord], _: Setting) -> Iterator[Figure]:
    """A figure for each search."""
    for record in records:
        result = record.result
        if isinstance(result, CacheResult):
            levels = [Level(c.addresses, c.known, c.complete) for c in result.measured]
            yield _figure(f"Addresses learned of {result.title}", _ADDRESSES, levels, result.capacity, result)


@draws(CapacityResult, in_log=True)
def capacity(records: Sequence[ResultRecord], _: Setting) -> Iterator[Figure]:
    """A figure for each search."""
    for record in records:
        result = record.result
        if isinstance(result, CapacityResult):
            levels = [Level(c.addresses, _known(c), c.all_known) for c in result.checks]
            yield _figure(f"Address table of {result.title}", _ADDRESSES, levels, result.capacity, result)


@draws(AddressRateResult, in_log=True)
def rate(records: Sequence[ResultRecord], _: Setting) -> Iterator[Figure]:
    """A figure for each search; of the addresses of a check those that the device knew count as its rate."""
    for record in records:
        result = record.result
        if isinstance(result, AddressRateResult):
            labels = "Addresses announced each second", "Addresses learned each second"
            levels = [
                Level(c.rate, c.rate * _known(c) / c.addresses if c.addresses else 0.0, c.all_known)
                for c in result.checks
            ]
            yield _figure(f"Address learning rate of {result.title}", labels, levels, result.passed, result)


def _known(check: AddressCheck) -> int:
    """Addresses to which frames were neither flooded nor lost, at least."""
    return max(0, check.addresses - (check.flooded or 0) - (check.lost or 0))


def _figure(
    title: str, labels: tuple[str, str], levels: Sequence[Level], maximum: float, text: object
) -> Figure:
    return Figure(title, image(knee(*labels, levels, maximum)) if levels else "", str(text))
