# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the burst sizes of services (ITU-T Y.1564, MEF 10.3)."""

from __future__ import annotations

from robot.api.deco import keyword

from ...errors import PlanError
from ...measurement.trial import Trial
from ...methodology.result import Result
from ...methodology.services.service_burst import (
    LONGEST_BURST,
    BucketSearch,
    BurstSize,
    BurstSizeResult,
    find_burst_size,
)
from ...methodology.verdicts.tolerance import at_least, at_most
from ...model.query import PacketFilter
from ...model.units.quantity import Octets
from ...model.units.units import Rate, Ratio
from ...running.service_colours import Marks, told_apart
from ...running.services import Services
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component

_ONE_FRAME = Ratio.parse(0)
_SOURCE = "Find Committed Burst Size or Find Excess Burst Size"


@component
class ServiceBurst:
    """How much a policer lets go at once."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["y1564", "find"])
    def find_committed_burst_size(
        self,
        service: str,
        longest: Octets = LONGEST_BURST,
        resolution: Ratio = _ONE_FRAME,
        *,
        arrives_green: PacketFilter | None = None,
    ) -> BurstSizeResult:
        """Searches the committed burst size (CBS): what a service's policer lets go at once (MEF 10.3 §12).

        | =Argument= | =Meaning= |
        | ``service`` | the name of its stream, whose rate is the committed information rate (CIR) |
        | ``longest`` | bytes of the longest burst that is tried, such as ``64 kB`` |
        | ``resolution`` | how close the bounds have to be, as a part of the burst; one frame, if left out |
        | ``arrives_green`` | what green frames have where they arrive, such as ``IP.tos == 0x28`` |

        Bursts are sent at line rate, each after a time in which the CIR fills the bucket. The burst size is
        that of the longest burst that arrives whole, less what fills the bucket meanwhile. A device that
        marks what is beyond, instead of dropping it, needs ``arrives_green``: a burst passes then if all of
        it arrives green.

        Returns a result: ``at_least`` and ``below`` (bytes of frames, FCS included), ``passed`` and
        ``failed`` (frames of the two bursts that tell), ``limited_by`` and ``trials``.

        | `Create Stream` | video | rate=4 Mbps | frame_size=512 | headers=Ether / IP(tos=0x28) / UDP |
        | `Find Committed Burst Size` | video |
        | `Verify Burst Size Above` | 10 kB | within=5 % |
        """
        services = Services(self._suite)
        search = BucketSearch(BurstSize.CBS, service, services.committed(service), longest, resolution)
        return self._found(search, Marks(green=arrives_green))

    @keyword(tags=["y1564", "find"])
    def find_excess_burst_size(
        self,
        service: str,
        eir: Rate,
        longest: Octets = LONGEST_BURST,
        resolution: Ratio = _ONE_FRAME,
        *,
        yellow: str | None = None,
        arrives_yellow: PacketFilter | None = None,
    ) -> BurstSizeResult:
        """Searches the excess burst size (EBS) of a service: what goes at once beyond the CBS (MEF 10.3 §12).

        | =Argument= | =Meaning= |
        | ``service`` | the name of its stream, whose rate is the committed information rate (CIR) |
        | ``eir`` | the excess information rate, such as ``2 Mbps`` |
        | ``longest`` | bytes of the longest burst that is tried, as of `Find Committed Burst Size` |
        | ``resolution`` | how close the bounds have to be, as a part of the burst; one frame, if left out |
        | ``yellow`` | the stream of yellow frames, which take from the EBS alone, if there are some |
        | ``arrives_yellow`` | what yellow frames have where they arrive, such as ``IP.tos == 0x30`` |

        Give one of the two. Where no frames are sent yellow, a burst takes from the CBS first, and the device
        marks those that take from the EBS.

        Returns a result as `Find Committed Burst Size` does.

        | `Find Excess Burst Size` | data | eir=1 Mbps | yellow=data beyond |
        | `Verify Burst Size Above` | 10 kB | within=5 % |
        """
        if (yellow is None) is (arrives_yellow is None):
            raise PlanError(
                f"EBS of service {service!r}: give yellow=, the stream of yellow frames, or "
                "arrives_yellow=, by which the device marks them, and not both"
            )
        rate = Services(self._suite).bits(service, eir)
        search = BucketSearch(BurstSize.EBS, yellow or service, rate, longest, resolution)
        return self._found(search, Marks(yellow=arrives_yellow))

    @keyword(tags=["y1564", "verify"])
    def verify_burst_size_above(
        self, bound: Octets, measured: Trial | Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if a policer lets at least so many bytes go at once.

        | =Argument= | =Meaning= |
        | ``bound`` | bytes of frames, FCS included, such as ``10 kB`` |
        | ``measured`` | a result of `Find Committed Burst Size` or `Find Excess Burst Size`; the last one |
        | ``within`` | part of the bound by which the size may miss it, such as ``5 %``; 0, if left out |

        A size is known to one frame, and to what fills the bucket during a frame's lateness. A bound between
        is INCONCLUSIVE: say by ``within`` how close it has to be.

        | `Verify Burst Size Above` | 10 kB | within=5 % |
        """
        return self._suite.conclude(at_least(self._judged(measured).verdict_above, bound.count, within))

    @keyword(tags=["y1564", "verify"])
    def verify_burst_size_below(
        self, bound: Octets, measured: Trial | Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if a policer lets at most so many bytes go at once.

        | =Argument= | =Meaning= |
        | ``bound`` | bytes of frames, FCS included, such as ``10 kB`` |
        | ``measured`` | a result, as of `Verify Burst Size Above` |
        | ``within`` | part of the bound by which the size may exceed it, such as ``5 %``; 0, if left out |

        | `Verify Burst Size Below` | 10 kB | within=10 % |
        """
        return self._suite.conclude(at_most(self._judged(measured).verdict_below, bound.count, within))

    def _found(self, search: BucketSearch, marks: Marks) -> BurstSizeResult:
        suite = self._suite
        services = Services(suite)
        size, line_bps = services.size(search.stream), services.line_bps(search.stream)
        search.validate(size, line_bps)
        with told_apart(suite, marks, [search.stream]) as colours:
            return suite.found(find_burst_size(Services(suite, colours), search, size, line_bps))

    def _judged(self, measured: Trial | Result | None) -> BurstSizeResult:
        return self._suite.judged_as(BurstSizeResult, measured, about="a burst size", source=_SOURCE)
