# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The keyword for a header field as frames arrive with it."""

from __future__ import annotations

from assertionengine import AssertionOperator
from robot.api.deco import keyword

from ..model.editor import FieldPath
from ..running.observed import judge_captured_field
from ..running.suite import Suite
from ..verdict import Verdict
from ._component import component


@component
class HeaderField:
    """Keywords about what a device did to the headers of frames."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["verify"])
    def verify_header_field(
        self,
        name: str,
        field: FieldPath,
        assertion_operator: AssertionOperator,
        assertion_expected: str,
        capture: str | None = None,
    ) -> Verdict:
        """Passes if a header field of each captured frame of a stream is as expected.

        | =Argument= | =Meaning= |
        | ``name`` | the name of the stream |
        | ``field`` | a header and its field as in Scapy: ``IP.ttl``, ``VLAN.vlan``, ``IP[2].tos`` |
        | ``assertion_operator`` | ``==``, ``!=``, ``<``, ``<=``, ``>`` or ``>=`` |
        | ``assertion_expected`` | ``sent``, ``sent - 1``, ``sent + 1``, a number, or an address |
        | ``capture`` | a capture that `Stop Capture` has ended; the last one of the test, if left out |

        ``sent`` is the value with which the same frame left, also of fields that change from frame to frame;
        its departure has to be in the capture. A frame that arrives without the header fails. The verdict
        says how many frames were looked at; where others found no room in the capture they do not pass.

        A TTL that is decremented twice, a DSCP that is rewritten and a VLAN tag that is lost:

        | `Start Capture` | streams=north | frames=100,000 |
        | `Measure Loss` | north | duration=1 s |
        | `Stop Capture` |
        | `Verify Header Field` | north | IP.ttl | == | sent - 1 |
        | `Verify Header Field` | north | IP.tos | == | sent |
        | `Verify Header Field` | north | VLAN.vlan | == | 100 |
        """
        self._suite.stream(name)
        captured = self._suite.captures.stopped(capture)
        return self._suite.conclude(
            judge_captured_field(captured, name, field, assertion_operator, str(assertion_expected))
        )
