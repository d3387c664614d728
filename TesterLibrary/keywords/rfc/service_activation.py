# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for service activation (ITU-T Y.1564)."""

from __future__ import annotations

from robot.api.deco import keyword

from ...measurement.trial import Trial
from ...methodology.result import Result
from ...methodology.services.service_activation import (
    Acceptance,
    ConfigurationResult,
    PerformanceResult,
    Service,
    measure_configuration,
    measure_performance,
)
from ...model.query import PacketFilter
from ...model.units.units import Duration, Rate, Ratio
from ...running.service_colours import Marks, told_apart
from ...running.services import Services
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component


@component
class ServiceActivation:
    """Whether services get what their bandwidth profiles promise, and no more."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["y1564", "sweep"])
    def sweep_service_configuration(
        self,
        service: str,
        eir: Rate | None = None,
        yellow: str | None = None,
        policing: bool = True,
        duration: Duration | None = None,
        *,
        arrives_green: PacketFilter | None = None,
        arrives_yellow: PacketFilter | None = None,
    ) -> ConfigurationResult:
        """Offers a service 25, 50, 75 and 100 % of its CIR, then CIR + EIR, then more (ITU-T Y.1564).

        | =Argument= | =Meaning= |
        | ``service`` | the name of its stream, whose rate is the committed information rate (CIR) |
        | ``eir`` | the excess information rate, such as ``2 Mbps``; if left out, no excess is forwarded |
        | ``yellow`` | the stream of yellow frames, such as one of another DSCP, if the device knows colours |
        | ``policing`` | whether more than CIR and EIR is offered at the end |
        | ``duration`` | how long each trial sends; as the profile says, if left out |
        | ``arrives_green`` | what green frames have where they arrive, such as ``IP.tos == 0x28`` |
        | ``arrives_yellow`` | the same of yellow frames; give both, or neither |

        With ``arrives_green`` and ``arrives_yellow``, conditions as of `Count Packets`, frames are told apart
        by their colour where they arrive, too. A stream whose frames the device marks anew needs
        ``forwarding=routed``. A tester that does not count packets by their fields, such as a switch, refuses
        it.

        Policing is tested with CIR + 125 % of the EIR, or with 125 % of the CIR + EIR where the EIR is less
        than a fifth of the CIR. With ``yellow`` the excess is sent as yellow frames, else in the stream of
        the service. Every trial is run, whatever the one before came to. A load that a port cannot carry
        is refused before anything is sent.

        Returns a result: ``received_rates`` (bits/s of frames, FCS included, at each load), ``losses`` (by
        stream, at each load), ``colours`` (of each load: how many frames of a ``stream`` arrived ``green``
        and ``yellow``), ``loads`` and ``trials``.

        | `Create Stream` | video | rate=4 Mbps | frame_size=512 | headers=Ether / IP(tos=0x28) / UDP |
        | ${result} = | `Sweep Service Configuration` | video | eir=2 Mbps |
        | `Verify Service Configuration` | loss=0.1 % | delay=5 ms | variation=2 ms |
        """
        suite = self._suite
        services = Services(suite)
        profile = Service(
            service,
            services.committed(service),
            None if eir is None else services.bits(service, eir),
            yellow,
        )
        profile.validate()
        services.refuse_what_no_port_carries(profile, policing=policing)
        marks = Marks(arrives_green, arrives_yellow)
        marks.validate(service)
        duration = duration or suite.profile.activation_step
        with told_apart(suite, marks, profile.streams) as colours:
            measurer = Services(suite, colours)
            return suite.found(measure_configuration(measurer, profile, duration, policing=policing))

    @keyword(tags=["y1564", "verify"])
    def verify_service_configuration(
        self,
        loss: Ratio = Ratio.parse(0),
        delay: Duration | None = None,
        variation: Duration | None = None,
        margin: Ratio = Ratio.parse("2 %"),
        measured: Trial | Result | None = None,
        *,
        yellow_loss: Ratio | None = None,
    ) -> Verdict:
        """Passes if a service met its criteria up to its CIR, got its CIR beyond, and was policed.

        | =Argument= | =Meaning= |
        | ``loss`` | the greatest frame loss ratio (FLR) up to the CIR; less by it may also arrive beyond |
        | ``delay`` | the greatest mean frame transfer delay (FTD); not judged, if left out |
        | ``variation`` | the greatest frame delay variation (FDV); not judged, if left out |
        | ``margin`` | part of CIR + EIR by which more may arrive: what the bucket of a policer holds |
        | ``measured`` | a result of `Sweep Service Configuration`; the last one of the test, if left out |
        | ``yellow_loss`` | the greatest loss of yellow frames at CIR + EIR; not judged, if left out |

        Where colours were counted as frames arrived, frames up to the CIR have to arrive green but for
        ``loss``; beyond it no more than the CIR may arrive green, no more than the EIR yellow, each with the
        ``margin``; no frame that was sent yellow may arrive green, and none in neither colour.

        The variation is the delay that 99.9 % of the frames do not exceed, less the least one (ITU-T Y.1563).
        The message says which criterion was missed, and at which load.

        | `Verify Service Configuration` | loss=0.1 % | delay=5 ms | variation=2 ms | margin=5 % |
        """
        judged = self._suite.judged_as(
            ConfigurationResult,
            measured,
            about="the configuration of a service",
            source="Sweep Service Configuration",
        )
        accepted = Acceptance(loss, delay, variation, yellow_loss=yellow_loss)
        return self._suite.conclude(judged.verdict(accepted, margin))

    @keyword(tags=["y1564", "measure"])
    def measure_service_performance(
        self, *services: str, duration: Duration | None = None, interval: Duration = Duration(10**9)
    ) -> PerformanceResult:
        """Offers services together, each at its CIR, for long (ITU-T Y.1564).

        | =Argument= | =Meaning= |
        | ``services`` | names of their streams, whose rates are the CIRs; all streams, if none is given |
        | ``duration`` | how long they send; as the profile says, if left out: 15 minutes in ``full`` |
        | ``interval`` | the time over which frames are counted for the availability |

        Returns a result: ``seconds`` (of each service: which intervals were severely errored) and ``trials``.

        | `Measure Service Performance` | video | voice | duration=15 min |
        | `Verify Service Performance` | video | loss=0.1 % | availability=99.9 % |
        """
        suite = self._suite
        rates = {stream.name: stream.rate for stream in suite.chosen(services)}
        duration = duration or suite.profile.activation
        return suite.found(measure_performance(Services(suite), rates, duration, interval))

    @keyword(tags=["y1564", "verify"])
    def verify_service_performance(
        self,
        *services: str,
        loss: Ratio = Ratio.parse(0),
        delay: Duration | None = None,
        variation: Duration | None = None,
        availability: Ratio | None = None,
        measured: Trial | Result | None = None,
    ) -> Verdict:
        """Passes if services met their criteria while all were sent together.

        | =Argument= | =Meaning= |
        | ``services`` | names of those that are judged; all that were measured, if none is given |
        | ``loss`` | the greatest frame loss ratio (FLR) of each |
        | ``delay`` | the greatest mean frame transfer delay (FTD); not judged, if left out |
        | ``variation`` | the greatest frame delay variation (FDV), as in `Verify Service Configuration` |
        | ``availability`` | the least part of the time; not judged, if left out |
        | ``measured`` | a result of `Measure Service Performance`; the last one of the test, if left out |

        A service is not available from ten intervals in a row that lost more than half of their frames until
        ten in a row that did not (ITU-T Y.1563).

        | `Verify Service Performance` | loss=0.1 % | delay=5 ms | availability=99.9 % |
        """
        judged = self._suite.judged_as(
            PerformanceResult,
            measured,
            about="the performance of services",
            source="Measure Service Performance",
        )
        accepted = Acceptance(loss, delay, variation, availability)
        return self._suite.conclude(judged.verdict(services, accepted))
