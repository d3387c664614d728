# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the order of frames, and what else became of them."""

from __future__ import annotations

from enum import Enum
from typing import Any

from assertionengine import AssertionOperator
from robot.api.deco import keyword

from ...measurement.trial import Trial
from ...methodology.order import OrderResult, measure_order, reordering_below
from ...methodology.result import Result, trials_of
from ...methodology.verdicts.tolerance import at_most
from ...model.units.units import Duration, Rate, Ratio
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._getter import Getter


class Fate(Enum):
    """The possible fates of a frame that is not lost."""

    DUPLICATED = "duplicated"
    REORDERED = "reordered"
    EXTENT = "extent"
    LATE = "late"
    CORRUPTED = "corrupted"
    WRONG_LENGTH = "wrong_length"
    FRAGMENTS = "fragments"
    WRONG_HEADERS = "wrong_headers"
    MISROUTED = "misrouted"


@component
class FrameOrder:
    """The order in which frames arrive."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._get = Getter(suite)

    @keyword(tags=["measure"])
    def measure_reordering(
        self, *streams: str, rate: Rate | None = None, duration: Duration | None = None
    ) -> OrderResult:
        """Sends streams for a time and tells from their sequence what became of their order (RFC 4737).

        | =Argument= | =Meaning= |
        | ``streams`` | names of streams; all, if none is given |
        | ``rate`` | the rate of each of the streams, in place of its own |
        | ``duration`` | how long it sends, such as ``2 s``; as the profile says, if left out |

        Returns a result. ``${result.order}`` has the frames that were ``sent``, ``received``, ``lost``,
        ``duplicated``, ``reordered`` (arrived after one that was sent later), ``late`` (too late to know
        whether they had arrived before), ``misrouted``, and the greatest ``extent``: how many frames arrived
        since the first one that overtook it. Frames that arrived ``corrupted`` (with another content), with a
        ``wrong_length``, in ``fragments`` (pieces of an IP packet) or with ``wrong_headers`` (others than the
        device may send, see `Create Stream`) are not the frames that were sent: they
        count as lost, and in none of the others. A stream that was given other frames while
        it was sending has none ``corrupted`` until its next start: a sequence number, by which a payload is
        known, no longer says which frame was sent.

        | `Measure Reordering` | north | rate=10 % |
        | `Verify Reordering Below` | 0 |
        """
        measurer = self._suite.measurer("reordering", streams, rate, by_signature=True)
        return self._suite.found(
            measure_order(measurer, measurer.load, duration or self._suite.profile.trial)
        )

    @keyword(tags=["verify"])
    def verify_reordering_below(
        self, bound: Ratio, measured: Trial | Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if no greater part of the frames received was out of order than the bound (RFC 4737 §3.4).

        | =Argument= | =Meaning= |
        | ``bound`` | ``0``, ``0.001 %`` or ``10 ppm`` of the frames received |
        | ``measured`` | a trial or result; the last one of the test, if it is left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        | `Verify Reordering Below` | 0 |
        """
        trials = trials_of(self._suite.judged(measured))
        return self._suite.conclude(at_most(lambda bound: reordering_below(trials, bound), bound, within))

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
        | ``fate`` | ``duplicated``, ``reordered``, ``late``, ``corrupted``, ``misrouted`` and those below |
        | ``assertion_operator`` | ``==``, ``<=``, ``<`` … of the Assertion Engine |
        | ``assertion_expected`` | how many frames |
        | ``message`` | a text in place of the usual one if the assertion fails |

        ``extent`` gives the greatest reordering extent; ``wrong_length``, ``fragments`` and ``wrong_headers``
        are frames that arrived otherwise than they were sent. `Measure Reordering` says what each of them
        means, `Get Frame Loss` tells lost frames.
        Not every tester counts each of them: such a value is None, and an assertion on it is INCONCLUSIVE.

        | `Get Frame Order` | duplicated | == | 0 |
        """
        return self._get.order(fate.value, assertion_operator, assertion_expected, message)
