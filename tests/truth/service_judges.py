# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on services whose policers are known (ITU-T Y.1564)."""

from __future__ import annotations

import random
from fractions import Fraction

from TesterLibrary.methodology.services.service import Purpose, Service, loads_of
from TesterLibrary.methodology.services.service_activation import (
    Acceptance,
    measure_configuration,
    measure_performance,
)
from TesterLibrary.methodology.services.service_burst import BucketSearch, BurstSize, find_burst_size
from TesterLibrary.model.units.quantity import Octets
from TesterLibrary.model.units.units import Duration, Rate, RateUnit, Ratio
from tests.unit.methodology.coloured import GREEN, YELLOW, ColouredServices
from tests.unit.methodology.policed_services import SIZE, PolicedServices
from tests.unit.methodology.shaped import ShapedService

from .case import Case, judge

_TIME = Duration(4 * 10**8)
_SHAPED_TIME = Duration(10**9)


@judge
def configuration(draw: random.Random) -> Case:
    """The truth is worked out from the frames that the buckets let pass at each load."""
    service = _service(draw)
    device = _device(draw, service)
    loss = Ratio(draw.choice([Fraction(0), Fraction(1, 1000), Fraction(1, 10)]))
    delay = Duration(draw.choice([device.delay_ns - 1000, device.delay_ns * 2]))
    margin = Ratio(draw.choice([Fraction(1, 50), Fraction(1, 20)]))
    result = measure_configuration(device, service, _TIME)
    truth = device.delay_ns <= delay.ns
    excuse = "it was busy" if device.busy else ""
    for load in loads_of(service):
        counts = {name: device.passed(name, rate, _TIME) for name, rate in load.of(service).items()}
        sent, passed = counts[service.name]
        rate = Fraction(passed * 8 * SIZE * 10**9, _TIME.ns)
        if load.green.value <= service.cir.value:
            truth &= Fraction(sent - passed, sent) <= loss.value
            excuse = excuse or ("" if passed else "nothing arrived")
        else:
            truth &= rate >= service.cir.value * (1 - loss.value)
        if load.purpose is Purpose.POLICING:
            allowed = service.most * (1 + margin.value)
            truth &= (
                sum(Fraction(arrived * 8 * SIZE * 10**9, _TIME.ns) for _, arrived in counts.values())
                <= allowed
            )
            excuse = excuse or ("" if load.offered > allowed else "the margin is too great")
    verdict = result.verdict(Acceptance(loss, delay), margin)
    about = f"{service} {device.rates} bucket {device.bucket} {loss} {delay} {margin}"
    return Case("service configuration", truth, verdict, excuse, about)


@judge
def shaped(draw: random.Random) -> Case:
    """A shaper with a queue. The truth is what leaves it while frames are sent, not after that."""
    service = Service("green", Rate(Fraction(draw.randint(10, 40) * 10**5), RateUnit.L2))
    off = Fraction(draw.choice([100, 101, 103, draw.randint(60, 97), draw.randint(107, 160)]), 100)
    device = ShapedService(
        int(service.cir.value * off),
        bucket=draw.choice([1, 4]) * SIZE,
        room=draw.choice([10, 100, 10**6]),
        straggler_ns=draw.choice([0, 0, draw.randint(1, 300_000_000)]),
    )
    margin = Ratio(Fraction(1, 20))
    result = measure_configuration(device, service, _SHAPED_TIME)
    loads = loads_of(service)
    rates = [
        Fraction(device.emitted(load.green, _SHAPED_TIME) * 8 * SIZE * 10**9, _SHAPED_TIME.ns)
        for load in loads
    ]
    verdict = result.verdict(Acceptance(Ratio(Fraction(0))), margin)
    truth = off >= 1 and rates[-1] <= service.cir.value * (1 + margin.value)
    left, came = device.arrivals(service.cir, _SHAPED_TIME)
    truth &= len(came) == len(left)
    return Case("service behind a shaper", truth, verdict, "", f"{service} {device}")


@judge
def burst_size(draw: random.Random) -> Case:
    """The truth is what the committed or the excess bucket holds, told by colour or not."""
    kind = draw.choice(list(BurstSize))
    stream = GREEN if kind is BurstSize.CBS else draw.choice([GREEN, YELLOW])
    sizes = {bucket: draw.randint(SIZE, 60_000) for bucket in BurstSize}
    rates = {bucket: draw.randint(5, 60) * 10**5 for bucket in BurstSize}
    device = ColouredServices(
        rates[BurstSize.CBS],
        sizes[BurstSize.CBS],
        rates[BurstSize.EBS],
        sizes[BurstSize.EBS],
        counts_colours=(stream == GREEN) or draw.random() < 0.5,
        late_ns=draw.choice([0, 0, 100_000]),
        busy=draw.random() < 0.05,
    )
    search = BucketSearch(kind, stream, Rate(Fraction(rates[kind]), RateUnit.L2), Octets(500_000))
    result = find_burst_size(device, search, Fraction(SIZE), Fraction(device.line_bps))
    bound = max(1, sizes[kind] + draw.choice([-5000, -2000, 2000, 5000]))
    above = draw.random() < 0.5
    verdict = result.verdict_above(bound) if above else result.verdict_below(bound)
    truth = sizes[kind] >= bound if above else sizes[kind] <= bound
    excuse = "it was busy" if device.busy else ""
    if result.below and result.at_least.count <= bound < result.below.count:
        excuse = excuse or "within a frame of the bound"
    about = f"{kind} {sizes} {rates} {stream} bound {bound} late {device.late_ns}; {result}"
    return Case("service burst size", truth, verdict, excuse, about)


@judge
def colours(draw: random.Random) -> Case:
    """The truth is worked out from a policer of the same sort whose frames are counted one by one."""
    service = Service(GREEN, *(Rate(Fraction(draw.randint(10, 40) * 10**5), RateUnit.L2) for _ in "ce"))
    off = [draw.choice([Fraction(1), Fraction(1), Fraction(draw.randint(70, 140), 100)]) for _ in "ce"]
    assert service.eir is not None
    options = {
        "cir": int(service.cir.value * off[0]),
        "cbs": draw.choice([4, 10]) * SIZE,
        "eir": int(service.eir.value * off[1]),
        "ebs": draw.choice([4, 10]) * SIZE,
        "paints": draw.choice(["", "", "", GREEN, YELLOW]),
        "busy": draw.random() < 0.05,
    }
    margin = Ratio(Fraction(draw.choice([4, 10]), 100))
    result = measure_configuration(ColouredServices(**options), service, _TIME)  # type: ignore[arg-type]
    twin, truth, wanting = ColouredServices(**options), True, False  # type: ignore[arg-type]
    for load in loads_of(service):
        offered = twin.offer(load.of(service), _TIME)
        (arrived,) = offered.colours
        sent = offered.trial.sent
        green, yellow = (count * 8 * SIZE * 10**9 / _TIME.ns for count in (arrived.green, arrived.yellow))
        if load.purpose is Purpose.COMMITTED:
            truth &= arrived.green == sent
            continue
        truth &= service.cir.value <= green <= service.cir.value * (1 + margin.value)
        truth &= yellow <= service.eir.value * (1 + margin.value)
        if load.purpose is Purpose.POLICING:
            allowed = service.most * (1 + margin.value)
            truth &= green + yellow <= allowed
            wanting |= load.offered <= allowed
    excuse = "it was busy" if options["busy"] else "the margin is too great" if wanting else ""
    verdict = result.verdict(Acceptance(), margin)
    return Case("service by colour", truth, verdict, excuse, f"{service} {options} {margin}")


@judge
def performance(draw: random.Random) -> Case:
    """The truth is what each service loses, and when it is not available."""
    rates = {name: Rate(Fraction(draw.randint(1, 40) * 10**5), RateUnit.L2) for name in ("video", "voice")}
    begins, count, seconds = draw.randint(0, 20), draw.choice([0, 5, 9, 10, 11, 30]), 40
    severe = range(begins, min(seconds, begins + count))
    device = PolicedServices(
        {name: int(rate.value * draw.choice([1, 1, 2, Fraction(9, 10)])) for name, rate in rates.items()},
        lost_every=draw.choice([0, 0, 50]),
        severe=severe,
        busy=draw.random() < 0.05,
    )
    loss = Ratio(draw.choice([Fraction(0), Fraction(1, 20), Fraction(1, 4)]))
    bound = Ratio(Fraction(draw.choice([0, 25, 50, 75, 100]), 100))
    result = measure_performance(device, rates, _TIME, Duration(_TIME.ns // seconds))
    counts = [device.passed(name, rate, _TIME) for name, rate in rates.items()]
    # Beside the last ten intervals, which may be too few to end a time without availability.
    without = len(severe) if len(severe) >= 10 else 0
    if without and seconds - severe.stop < 10:
        without = seconds - severe.start
    truth = all(Fraction(sent - passed, sent) <= loss.value for sent, passed in counts)
    truth &= 1 - Fraction(without, seconds) >= bound.value
    verdict = result.verdict([], Acceptance(loss, availability=bound))
    excuse = "it was busy" if device.busy else ""
    if not all(passed for _, passed in counts):
        excuse = excuse or "nothing arrived"
    about = f"{rates} {device.rates} {severe} {loss} {bound}"
    return Case("service performance", truth, verdict, excuse, about)


def _service(draw: random.Random) -> Service:
    cir = Rate(Fraction(draw.randint(5, 40) * 10**5), RateUnit.L2)
    if draw.random() < 0.3:
        return Service("green", cir)
    eir = Rate(cir.value * Fraction(draw.choice([5, 10, 20, 50, 100]), 100), RateUnit.L2)
    return Service("green", cir, eir, draw.choice([None, "yellow"]))


def _device(draw: random.Random, service: Service) -> PolicedServices:
    """A policer as promised, or one that is off by some percent, or none."""
    off = draw.choice([Fraction(1), Fraction(1), Fraction(draw.randint(70, 140), 100)])
    most = service.cir.value if service.yellow else service.most
    rates = {"green": int(most * off)}
    if service.yellow and service.eir:
        rates["yellow"] = int(service.eir.value * draw.choice([Fraction(1), off]))
    if draw.random() < 0.1:
        rates = {}
    return PolicedServices(
        rates,
        bucket=draw.choice([1, 4, 20]) * SIZE,
        lost_every=draw.choice([0, 0, 0, 2000, 20]),
        delay_ns=draw.choice([100_000, 5_000_000]),
        busy=draw.random() < 0.05,
    )
