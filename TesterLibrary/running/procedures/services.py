# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Trials of services, each at a rate of its own (ITU-T Y.1564)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ...errors import PlanError
from ...measurement.interval import Interval
from ...measurement.trial import Trial
from ...methodology.monitoring import Method
from ...methodology.services.service import Service, loads_of
from ...methodology.services.service_colours import Offered
from ...model.stream import Stream
from ...model.units.units import Duration, Rate, RateUnit
from ..measurer import TrialMeasurer
from ..suite import Suite
from .service_colours import ServiceColours

_TITLE = "service activation"


class Services:
    """The `ServiceMeasurer` of a suite, and its `ServiceBurstMeasurer`."""

    def __init__(self, suite: Suite, colours: ServiceColours | None = None) -> None:
        self._suite, self._colours = suite, colours
        self._begun = False

    def committed(self, service: str) -> Rate:
        """The CIR of a service, in bits of frames each second: the rate of its stream."""
        return self.bits(service, self._suite.stream(service).rate)

    def bits(self, service: str, rate: Rate) -> Rate:
        """A rate of frames of a service in bits each second, FCS included."""
        stream = self._suite.stream(service)
        speed, size = self._suite.tester.ports[stream.tx].speed, self.size(service)
        return Rate(rate.frames_per_second(size, speed) * 8 * size, RateUnit.L2)

    def size(self, service: str) -> Fraction:
        """Bytes of a frame of a service on average, FCS included."""
        return Fraction(self._suite.stream(service).frame_size.mean)

    def line_bps(self, service: str) -> Fraction:
        """Bits of frames of a service that its port carries each second."""
        return self.bits(service, Rate(Fraction(1), RateUnit.LINE)).value

    def refuse_what_no_port_carries(self, service: Service, *, policing: bool) -> None:
        """Plans each load. PlanError says which one a port cannot carry; nothing was sent."""
        for load in loads_of(service, policing=policing):
            try:
                streams = self._streams(load.of(service))
                self._suite.tester.check(streams)
                if self._suite.tester.busiest(streams) > 1:
                    raise PlanError(f"{Rate(load.offered, RateUnit.L2)} is more than its port carries")
            except PlanError as problem:
                raise PlanError(
                    f"service {service.name!r} at {load.title}: {problem}; lower its rates, or give "
                    "policing=False"
                ) from None

    def offer(self, rates: Mapping[str, Rate], duration: Duration) -> Offered:
        """See ServiceMeasurer."""
        measurer = self._measurer(list(rates), rates)
        trial = measurer.measure(measurer.load, duration)
        return self._offered(trial, list(rates))

    def burst(self, service: str, frames: int, rest: Duration) -> Offered:
        """See ServiceBurstMeasurer."""
        trial = self._measurer([service]).burst(frames, rest)
        return self._offered(trial, [service])

    def _offered(self, trial: Trial, names: Sequence[str]) -> Offered:
        return Offered(trial, self._colours.arrived(names) if self._colours else ())

    def _measurer(self, names: Sequence[str], rates: Mapping[str, Rate] | None = None) -> TrialMeasurer:
        goes_on, self._begun = self._begun, True
        note = self._colours.note if self._colours else lambda _: None
        return self._suite.measurer(_TITLE, names, rates, by_signature=True, goes_on=goes_on, note=note)

    def watch(
        self, rates: Mapping[str, Rate], duration: Duration, interval: Duration
    ) -> tuple[Trial, tuple[Interval, ...], str]:
        """See ServiceMeasurer. A device that erases versions leaves one interval, which tells nothing."""
        suite = self._suite
        suite.refuse_without(_TITLE, list(rates), by_signature=True, needs=())
        traffic = suite.traffic
        handle = traffic.start(self._streams(rates))
        monitored = traffic.watch(handle, duration, interval)
        (trial,) = traffic.stop([handle])
        erased = monitored.reason if monitored.method is Method.QUIESCING else ""
        return trial, monitored.intervals, erased or "; ".join(monitored.objections)

    def _streams(self, rates: Mapping[str, Rate]) -> list[Stream]:
        return [self._suite.stream(name).at(rate) for name, rate in rates.items()]
