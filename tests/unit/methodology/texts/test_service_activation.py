# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from TesterLibrary.methodology.services.service import Service
from TesterLibrary.methodology.services.service_activation import (
    Acceptance,
    measure_configuration,
    measure_performance,
)
from TesterLibrary.methodology.services.service_burst import BucketSearch, BurstSize, find_burst_size
from TesterLibrary.model.units.quantity import Octets
from TesterLibrary.model.units.units import Duration, Rate, Ratio
from TesterLibrary.verdict import Verdict
from tests.approval import Approved

from ..coloured import GREEN, YELLOW, ColouredServices
from ..policed_services import PolicedServices
from .samples import SECOND, said

VIDEO = Service("video", Rate.parse("4 Mbps"), Rate.parse("2 Mbps"))
STRICT = Acceptance(Ratio.parse("0.1 %"), Duration(10**6), Duration(10**6), None)


def configuration() -> Iterator[Verdict]:
    for device in (
        PolicedServices({"video": 6_000_000}),
        PolicedServices({}),
        PolicedServices({"video": 3_900_000}),
        PolicedServices({"video": 6_000_000}, delay_ns=2_000_000),
        PolicedServices({"video": 6_000_000}, slow_ns=2_000_000),
        PolicedServices({"video": 6_000_000}, busy=True),
        PolicedServices({"video": 0}, bucket=0),
    ):
        yield measure_configuration(device, VIDEO, SECOND).verdict(STRICT, Ratio.parse("2 %"))
    right = measure_configuration(PolicedServices({"video": 6_000_000}), VIDEO, SECOND)
    yield right.verdict(STRICT, Ratio.parse("20 %"))
    colours = Service("data", Rate.parse("4 Mbps"), Rate.parse("500 kbps"), "yellow")
    for rates in ({"data": 4_000_000, "yellow": 500_000}, {"data": 3_990_000}, {"yellow": 500_000}):
        result = measure_configuration(PolicedServices(rates), colours, SECOND)
        yield result.verdict(Acceptance(Ratio.parse("1 %")), Ratio.parse("2 %"))


def performance() -> Iterator[Verdict]:
    rates = {"video": Rate.parse("4 Mbps"), "voice": Rate.parse("1 Mbps")}
    for device in (PolicedServices({}, severe=range(5, 20)), PolicedServices({"voice": 900_000})):
        result = measure_performance(device, rates, Duration(30 * 10**9))
        for least in ("50 %", "99 %"):
            yield result.verdict([], Acceptance(availability=Ratio.parse(least)))


def colours() -> Iterator[Verdict]:
    marked = Service(GREEN, Rate.parse("4 Mbps"), Rate.parse("2 Mbps"))
    aware = Service(GREEN, Rate.parse("4 Mbps"), Rate.parse("2 Mbps"), YELLOW)
    right = {"cir": 4_000_000, "cbs": 5_120, "eir": 2_000_000, "ebs": 5_120}
    for service, options in (
        (marked, right),
        (marked, {**right, "cir": 3_500_000}),
        (marked, {**right, "cir": 4_500_000}),
        (marked, {**right, "eir": 2_450_000}),
        (marked, {**right, "busy": True}),
        (aware, {**right, "demotes": False}),
        (aware, {**right, "demotes": False, "paints": GREEN}),
        (aware, {**right, "demotes": False, "eir": 1_500_000}),
    ):
        result = measure_configuration(ColouredServices(**options), service, SECOND)  # type: ignore[arg-type]
        yield result.verdict(Acceptance(yellow_loss=Ratio.parse("1 %")), Ratio.parse("5 %"))


def burst_sizes() -> Iterator[Verdict]:
    search = BucketSearch(BurstSize.CBS, GREEN, Rate.parse("4 Mbps"), Octets(40_960))
    for device in (
        ColouredServices(4_000_000, 10_240, counts_colours=False),
        ColouredServices(4_000_000, 10_240, counts_colours=False, busy=True),
        ColouredServices(4_000_000, 10**6, counts_colours=False),
    ):
        result = find_burst_size(device, search, Fraction(512), Fraction(96 * 10**6))
        for bound in (9_000, 10_240, 50_000):
            yield result.verdict_above(bound)
            yield result.verdict_below(bound)


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("service_activation", said(configuration, performance, colours, burst_sizes))
