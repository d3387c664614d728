# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for service activation (ITU-T Y.1564)."""

from __future__ import annotations

from robot.api.deco import keyword

from ...measurement.trial import Trial
from ...methodology.result import Result
from ...methodology.services.service import Service
from ...methodology.services.service_activation import (
    Acceptance,
    ConfigurationResult,
    PerformanceResult,
    measure_configuration,
    measure_performance,
)
from ...model.query import PacketFilter
from ...model.units.units import Duration, Rate, Ratio
from ...running.procedures.service_colours import Marks, told_apart
from ...running.procedures.services import Services
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._verifies import judged_as


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

        | ``service`` | the name of its stream, whose rate is the committed information rate (CIR) |
        | ``eir`` | the excess information rate, such as ``2 Mbps``; none by default |
        | ``yellow`` | the stream of yellow frames, such as frames with another DSCP; see below |
        | ``policing`` | True: the last trial offers more than CIR and EIR |
        | ``duration`` | how long each trial sends; the profile decides by default |
        | ``arrives_green`` | the mark of green frames on arrival, such as ``IP.tos == 0x28`` |
        | ``arrives_yellow`` | the mark of yellow frames on arrival; give both marks or neither |

        ``arrives_green`` and ``arrives_yellow`` are conditions as in `Count Packets`: the tester counts the
        colour of each frame where it arrives. A stream whose frames the device marks anew needs
        ``forwarding=routed``. Testers that do not count packets by their fields, such as a switch, refuse
        these arguments.

        The policing trial offers CIR + 125 % of the EIR, or 125 % of the CIR + EIR if the EIR is less than a
        fifth of the CIR. With ``yellow``, for devices that know colours, the excess is sent as yellow frames,
        otherwise in the stream of the service. All trials run, whatever the result of the one before. A load
        that a port cannot carry is refused before anything is sent.

        Returns a result: ``received_rates`` (bits/s of frames, FCS included, at each load), ``losses`` (by
        stream, at each load), ``colours`` (at each load: how many frames of a ``stream`` arrived ``green``
        and ``yellow``), ``loads`` and ``trials``.

        | `Create Stream` | video | rate=4 Mbps | frame_size=512 | headers=Ether / IP(tos=0x28) / UDP |
        | ${result} = | `Sweep Service Configuration` | video | eir=2 Mbps |
        | `Verify Service Configuration` | loss=0.1 % | delay=5 ms | variation=2 ms |
        """
        suite = self._suite
        profile = self._profile(service, eir, yellow, policing=policing)
        marks = Marks.of(service, arrives_green, arrives_yellow)
        with told_apart(suite, marks, profile.streams) as colours:
            step = duration or suite.profile.activation_step
            return suite.found(
                measure_configuration(Services(suite, colours), profile, step, policing=policing)
            )

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

        | ``loss`` | the greatest frame loss ratio (FLR) up to the CIR; beyond it, how much less may arrive |
        | ``delay`` | the greatest mean frame transfer delay (FTD); not judged by default |
        | ``variation`` | the greatest frame delay variation (FDV); not judged by default |
        | ``margin`` | the part of CIR + EIR by which more may arrive: what the bucket of a policer holds |
        | ``measured`` | a result of `Sweep Service Configuration`; by default the last one of the test |
        | ``yellow_loss`` | the greatest loss of yellow frames at CIR + EIR; not judged by default |

        If the colours of arriving frames were counted, four more criteria apply:
        - up to the CIR, frames arrive green, except for ``loss``;
        - beyond the CIR, at most the CIR arrives green and at most the EIR yellow, each with the ``margin``;
        - no frame that was sent yellow arrives green;
        - no frame arrives in neither colour.

        The variation is the delay that 99.9 % of the frames do not exceed, minus the least delay (ITU-T
        Y.1563). The message says which criterion was missed, and at which load.

        | `Verify Service Configuration` | loss=0.1 % | delay=5 ms | variation=2 ms | margin=5 % |
        """
        result = judged_as(self._suite, ConfigurationResult, measured, "Sweep Service Configuration")
        acceptance = Acceptance(loss, delay, variation, yellow_loss=yellow_loss)
        return self._suite.conclude(result.verdict(acceptance, margin))

    @keyword(tags=["y1564", "measure"])
    def measure_service_performance(
        self, *services: str, duration: Duration | None = None, interval: Duration = Duration(10**9)
    ) -> PerformanceResult:
        """Offers services together, each at its CIR, for a long time (ITU-T Y.1564).

        | ``services`` | names of their streams, whose rates are the CIRs; all streams by default |
        | ``duration`` | how long they send; the profile decides by default: 15 minutes in ``full`` |
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

        | ``services`` | names of the services to judge; all that were measured by default |
        | ``loss`` | the greatest frame loss ratio (FLR) of each |
        | ``delay`` | the greatest mean frame transfer delay (FTD); not judged by default |
        | ``variation`` | the greatest frame delay variation (FDV), as in `Verify Service Configuration` |
        | ``availability`` | the least part of the time; not judged by default |
        | ``measured`` | a result of `Measure Service Performance`; by default the last one of the test |

        A service becomes unavailable with ten intervals in a row that each lost more than half of their
        frames. It is available again with ten intervals in a row that did not (ITU-T Y.1563).

        | `Verify Service Performance` | loss=0.1 % | delay=5 ms | availability=99.9 % |
        """
        result = judged_as(self._suite, PerformanceResult, measured, "Measure Service Performance")
        return self._suite.conclude(
            result.verdict(services, Acceptance(loss, delay, variation, availability))
        )

    def _profile(self, service: str, eir: Rate | None, yellow: str | None, *, policing: bool) -> Service:
        """The bandwidth profile. PlanError for one that makes no sense, or that no port carries."""
        services = Services(self._suite)
        excess = None if eir is None else services.bits(service, eir)
        profile = Service(service, services.committed(service), excess, yellow)
        profile.validate()
        services.refuse_what_no_port_carries(profile, policing=policing)
        return profile
