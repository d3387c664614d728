# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the order of frames, and for outages."""

from __future__ import annotations

from enum import Enum
from typing import Any

from assertionengine import AssertionOperator
from robot.api.deco import keyword

from ..measurement.counter import Counter
from ..measurement.trial import Trial
from ..methodology.order import OrderResult, measure_order, reordering_below
from ..methodology.outage import OutageResult, measure_outage, outage_below
from ..methodology.result import Result
from ..model.units import Duration, Rate, Ratio
from ..session import Session
from ..verdict import Verdict
from ._component import component
from ._getter import Getter
from .measurement import ONE_SECOND


class Fate(Enum):
    """What may become of a frame."""

    LOST = "lost"
    DUPLICATED = "duplicated"
    REORDERED = "reordered"
    EXTENT = "extent"
    LATE = "late"
    CORRUPTED = "corrupted"
    WRONG_LENGTH = "wrong_length"
    FRAGMENTS = "fragments"
    MISROUTED = "misrouted"


@component
class FrameOrder:
    """What became of the order of frames."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._get = Getter(session)

    @keyword(tags=["measure"])
    def measure_reordering(
        self, *streams: str, rate: Rate | None = None, duration: Duration = ONE_SECOND
    ) -> OrderResult:
        """Sends streams for a time and tells from their sequence what became of their order (RFC 4737).

        | =Argument= | =Meaning= |
        | ``streams`` | names of streams; all, if none is given |
        | ``rate`` | for each of them, in place of its own |
        | ``duration`` | of sending, such as ``2 s`` |

        Returns a result. ``${result.order}`` has the frames that were ``sent``, ``received``, ``lost``,
        ``duplicated``, ``reordered`` (arrived after one that was sent later), ``late`` (too late to know
        whether they had arrived before), ``misrouted``, and the greatest ``extent``: how many frames arrived
        since the first one that overtook it. Frames that arrived ``corrupted`` (with another content), with a
        ``wrong_length`` or in ``fragments`` (pieces of an IP packet) are not the frames that were sent: they
        count as lost, and in none of the others. A stream that was given other frames while
        it was sending has none ``corrupted`` until its next start: a sequence number, by which a payload is
        known, no longer says which frame was sent.

        | `Measure Reordering` | north | rate=10 % |
        | `Verify Reordering Below` | 0 |
        """
        measurer = self._session.measurer("reordering", streams, rate, by_signature=True)
        return self._session.found(measure_order(measurer, measurer.load, duration))

    @keyword(tags=["verify"])
    def verify_reordering_below(self, bound: Ratio, measured: Trial | Result | None = None) -> Verdict:
        """Passes if no greater part of the frames received was out of order than the bound (RFC 4737 §3.4).

        | =Argument= | =Meaning= |
        | ``bound`` | ``0``, ``0.001 %`` or ``10 ppm`` of the frames received |
        | ``measured`` | a trial or result; the last one of the test, if it is left out |

        | `Verify Reordering Below` | 0 |
        """
        return self._session.conclude(reordering_below(self._trials(measured), bound))

    @keyword(tags=["get"])
    def get_frame_order(
        self,
        fate: Fate,
        assertion_operator: AssertionOperator | None = None,
        assertion_expected: Any = None,
        message: str | None = None,
    ) -> int | None:
        """Returns how many frames of the last trial had a fate, and asserts if an operator is given.

        | =Argument= | =Meaning= |
        | ``fate`` | ``LOST``, ``DUPLICATED``, ``REORDERED``, ``LATE``, ``CORRUPTED`` or ``MISROUTED`` |
        | ``assertion_operator`` | ``==``, ``<=``, ``<`` … of the Assertion Engine |
        | ``assertion_expected`` | frames |
        | ``message`` | in place of the usual one if the assertion fails |

        ``EXTENT`` gives the greatest reordering extent; `Measure Reordering` says what each of them means.
        Not every tester counts each of them: such a value is None, and an assertion on it is INCONCLUSIVE.

        | `Get Frame Order` | DUPLICATED | == | 0 |
        """
        return self._get.order(fate.value, assertion_operator, assertion_expected, message)

    @keyword(tags=["measure"])
    def measure_outage(
        self, *streams: str, rate: Rate | None = None, duration: Duration = ONE_SECOND
    ) -> OutageResult:
        """Sends streams for a time and returns the longest outage of each (RFC 6201).

        | =Argument= | =Meaning= |
        | ``streams`` | names of streams; all, if none is given |
        | ``rate`` | for each of them, in place of its own; it is the resolution |
        | ``duration`` | of sending, such as ``60 s``: time enough for the device to recover |

        Returns a result. ``${result.outages[0]}`` is the longest: ``by_time_ns`` (from the last frame before
        to the first one after), ``by_loss_ns`` (frames lost / rate), ``lost``, ``start_ns`` (on the tester's
        clock), ``ended`` (False if nothing arrived until the traffic ended).

        To do something to the device meanwhile, use `Start Traffic` and `Stop Traffic` in its place, which
        return the same.

        | `Start Traffic` | north |
        | Restart The Line Card |
        | ${trial} = | `Stop Traffic` |
        | `Verify Outage Below` | 50 ms | ${trial} |
        """
        measurer = self._session.measurer("outage", streams, rate, by_signature=True, needs=[Counter.OUTAGES])
        return self._session.found(measure_outage(measurer, measurer.load, duration))

    @keyword(tags=["verify"])
    def verify_outage_below(self, bound: Duration, measured: Trial | Result | None = None) -> Verdict:
        """Passes if the longest outage, by time, is at most the bound and was over before the traffic ended.

        | =Argument= | =Meaning= |
        | ``bound`` | a time such as ``50 ms`` |
        | ``measured`` | a trial or result; the last one of the test, if it is left out |

        | `Verify Outage Below` | 50 ms | ${trial} |
        """
        return self._session.conclude(outage_below(self._trials(measured), bound))

    def _trials(self, measured: Trial | Result | None) -> tuple[Trial, ...]:
        judged = self._session.judged(measured)
        return (judged,) if isinstance(judged, Trial) else judged.judged
