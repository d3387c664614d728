# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The rate at which a device forwarded frames while it was offered them (RFC 2285 §3.6.1)."""

from __future__ import annotations

from fractions import Fraction

from ..measurement.stream_result import StreamResult
from ..measurement.trial import Trial
from ..model.units.units import RateUnit
from ..verdict import Between
from .verdicts.judging import amount


def reached_rate(trial: Trial, unit: RateUnit) -> Fraction:
    """The most that may have been forwarded: with the frames that arrived changed, or at other ports."""

    def most(stream: StreamResult) -> Fraction:
        found = stream.arrived_in_time.most + sum(count or 0 for count in stream.order.changed_or_elsewhere)
        return Fraction(found * 10**9, trial.sending_ns)

    return amount(trial, unit, most)


def forwarded_rate(trial: Trial, unit: RateUnit) -> Between:
    """The frames that arrived at the right ports while the trial was sent, each once, a second of sending.

    Frames that a queue held until after that do not count. The bounds differ by what copies and the times of
    the readings leave open.
    """

    def least(stream: StreamResult) -> Fraction:
        found = stream.arrived_in_time.least
        again = stream.order.most_first_arrivals - stream.order.first_arrivals
        return Fraction(max(0, found - again) * 10**9, trial.sending_ns)

    def most(stream: StreamResult) -> Fraction:
        return Fraction(stream.arrived_in_time.most * 10**9, trial.sending_ns)

    return Between(amount(trial, unit, least), amount(trial, unit, most))
