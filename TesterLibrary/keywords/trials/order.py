# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the order of frames (RFC 4737)."""

from __future__ import annotations

from enum import Enum
from typing import Any

from assertionengine import AssertionOperator
from robot.api.deco import keyword

from ...methodology.order import OrderResult, measure_order, reordering_below
from ...methodology.result import Result
from ...methodology.verdicts.tolerance import at_most
from ...model.units.units import Duration, Rate, Ratio
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._getter import Getter
from .._verifies import verifies


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
        """Sends streams for a time, and finds out from sequence numbers how their order changed (RFC 4737).

        | ``duration`` | how long the streams send, such as ``2 s``; the profile decides by default |

        Returns a result. ``${result.order}`` counts frames:

        | =Attribute= | =Frames= |
        | ``sent``, ``received``, ``lost`` | sent, received, and not received |
        | ``duplicated`` | received again |
        | ``reordered`` | received behind a frame that was sent later |
        | ``late`` | too late to know whether they had arrived before |
        | ``misrouted`` | received on another port |
        | ``corrupted`` | another content |
        | ``wrong_length`` | another length |
        | ``fragments`` | pieces of an IP packet |
        | ``wrong_headers`` | headers that the device must not send, see `Create Stream` |

        ``extent`` is the greatest number of frames that arrived since the first one that overtook a reordered
        frame. ``corrupted``, ``wrong_length``, ``fragments`` and ``wrong_headers`` are not the frames that
        were sent: they count as lost, and in no other count. If a stream gets other frames while it is
        sending, none counts as ``corrupted`` until its next start: the tester knows a payload by its
        sequence number, which then no longer says which frame was sent.

        | `Measure Reordering` | north | rate=10 % |
        | `Verify Reordering Below` | 0 |
        """
        measurer = self._suite.measurer("reordering", streams, rate, by_signature=True)
        measurer.listens = max(measurer.listens, self._suite.tester.rules.settle)
        return self._suite.found(
            measure_order(measurer, measurer.load, duration or self._suite.profile.trial)
        )

    @keyword(tags=["verify"])
    @verifies(Result, at_most)
    def verify_reordering_below(self, result: Result, bound: Ratio) -> Verdict:
        """Passes if the part of the received frames out of order is at most the bound (RFC 4737 §3.4).

        | ``bound`` | ``0``, ``0.001 %`` or ``10 ppm`` of the frames received |

        | `Verify Reordering Below` | 0 |
        """
        return reordering_below(result.judged, bound)

    @keyword(tags=["get"])
    def get_frame_order(
        self,
        fate: Fate,
        assertion_operator: AssertionOperator | None = None,
        assertion_expected: Any = None,
        message: str | None = None,
    ) -> int | None:
        """Returns how many frames of the last trial had a fate, and asserts if an operator is given.

        | ``fate`` | ``duplicated``, ``reordered``, ``late``, ``corrupted``, ``misrouted``, or one below |
        | ``assertion_expected`` | a number of frames |

        ``extent`` is the greatest reordering extent. ``wrong_length``, ``fragments`` and ``wrong_headers``
        are frames that arrived changed. `Measure Reordering` explains all of them; `Get Frame Loss` counts
        lost frames. A tester that does not count a fate returns None, and an assertion is INCONCLUSIVE.

        Of what arrives again, only `Measure Reordering` waits for copies that come 0.2 s after the last
        frame.

        | `Get Frame Order` | duplicated | == | 0 |
        """
        return self._get.order(fate.value, assertion_operator, assertion_expected, message)
