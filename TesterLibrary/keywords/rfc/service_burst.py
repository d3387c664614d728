# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the burst sizes of services (ITU-T Y.1564, MEF 10.3)."""

from __future__ import annotations

from robot.api.deco import keyword

from ...errors import PlanError
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
from ...running.procedures.service_colours import Marks, told_apart
from ...running.procedures.services import Services
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._verifies import verifies

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
        """Searches the committed burst size (CBS): what a service's policer passes at once (MEF 10.3).

        | ``service`` | the name of its stream, whose rate is the committed information rate (CIR) |
        | ``longest`` | bytes of the longest burst that is tried, such as ``64 kB`` |
        | ``resolution`` | how close the bounds are at the end, as a part of the burst; 0: one frame |
        | ``arrives_green`` | the mark of green frames on arrival, such as ``IP.tos == 0x28`` |

        Bursts are sent at line rate, each after a pause in which the CIR fills the bucket (MEF 10.3 §12). The
        burst size is the longest burst that arrives whole, minus what fills the bucket meanwhile. A device
        that marks excess frames instead of dropping them needs ``arrives_green``: then a burst passes if all
        of it arrives green.

        Returns a result: ``at_least`` and ``below`` (bytes of frames, FCS included), ``passed`` and
        ``failed`` (frames of the two deciding bursts), ``limited_by`` and ``trials``.

        | `Create Stream` | video | rate=4 Mbps | frame_size=512 | headers=Ether / IP(tos=0x28) / UDP |
        | `Find Committed Burst Size` | video |
        | `Verify Burst Size Above` | 10 kB | within=5 % |
        """
        services = Services(self._suite)
        search = BucketSearch(BurstSize.CBS, service, services.committed(service), longest, resolution)
        return self._search(search, Marks(green=arrives_green))

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
        """Searches the excess burst size (EBS) of a service: what passes at once beyond the CBS (MEF 10.3).

        | ``service`` | the name of its stream, whose rate is the committed information rate (CIR) |
        | ``eir`` | the excess information rate, such as ``2 Mbps`` |
        | ``longest`` | bytes of the longest burst that is tried, as in `Find Committed Burst Size` |
        | ``resolution`` | how close the bounds are at the end, as a part of the burst; 0: one frame |
        | ``yellow`` | the stream of yellow frames, which use the EBS alone |
        | ``arrives_yellow`` | the mark of yellow frames on arrival, such as ``IP.tos == 0x30`` |

        Give either ``yellow`` or ``arrives_yellow``. Without yellow frames a burst uses the CBS first, and
        the device marks the frames that use the EBS.

        Returns a result as `Find Committed Burst Size` does.

        | `Find Excess Burst Size` | data | eir=1 Mbps | yellow=data beyond |
        | `Verify Burst Size Above` | 10 kB | within=5 % |
        """
        if (yellow is None) is (arrives_yellow is None):
            raise PlanError(
                f"EBS of service {service!r}: give either yellow=, the stream of yellow frames, or "
                "arrives_yellow=, the mark of yellow frames on arrival"
            )
        rate = Services(self._suite).bits(service, eir)
        search = BucketSearch(BurstSize.EBS, yellow or service, rate, longest, resolution)
        return self._search(search, Marks(yellow=arrives_yellow))

    @keyword(tags=["y1564", "verify"])
    @verifies(BurstSizeResult, at_least, source=_SOURCE)
    def verify_burst_size_above(self, result: BurstSizeResult, bound: Octets) -> Verdict:
        """Passes if a policer passes at least the bound at once.

        | ``bound`` | bytes of frames, FCS included, such as ``10 kB`` |

        The result is exact to one frame, and to what fills the bucket if a frame is late. INCONCLUSIVE if the
        bound lies in between; then give ``within``.

        | `Verify Burst Size Above` | 10 kB | within=5 % |
        """
        return result.verdict_above(bound.count)

    @keyword(tags=["y1564", "verify"])
    @verifies(BurstSizeResult, at_most, source=_SOURCE)
    def verify_burst_size_below(self, result: BurstSizeResult, bound: Octets) -> Verdict:
        """Passes if a policer passes at most the bound at once.

        | ``bound`` | bytes of frames, FCS included, such as ``10 kB`` |

        | `Verify Burst Size Below` | 10 kB | within=10 % |
        """
        return result.verdict_below(bound.count)

    def _search(self, search: BucketSearch, marks: Marks) -> BurstSizeResult:
        suite = self._suite
        services = Services(suite)
        size, line_bps = services.size(search.stream), services.line_bps(search.stream)
        search.validate(size, line_bps)
        with told_apart(suite, marks, [search.stream]) as colours:
            return suite.found(find_burst_size(Services(suite, colours), search, size, line_bps))
