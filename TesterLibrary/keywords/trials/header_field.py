# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for header fields as frames arrive with them."""

from __future__ import annotations

from assertionengine import AssertionOperator
from robot.api.deco import keyword

from ...errors import TesterLibraryError
from ...methodology.result import trials_of
from ...model.editor import FieldPath
from ...model.expected_field import ExpectedField
from ...running.observed import judge_captured_field, judge_expected_field
from ...running.suite import Suite
from ...verdict import Verdict, operator_text
from .._component import component


@component
class HeaderField:
    """Keywords about what a device did to the headers of frames."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["stream"])
    def set_expected_field(
        self,
        name: str,
        field: FieldPath,
        assertion_operator: AssertionOperator,
        assertion_expected: str,
    ) -> None:
        """Has the tester compare a header field of each frame of a stream that arrives, and count exactly.

        | =Argument= | =Meaning= |
        | ``name`` | the name of a stream that is not sending |
        | ``field`` | a header and its field as in Scapy: ``IP.ttl``, ``VLAN.vlan``, ``IP[2].tos`` |
        | ``assertion_operator`` | ``==``, ``!=``, ``<``, ``<=``, ``>`` or ``>=`` |
        | ``assertion_expected`` | what it is compared with, see below |

        | =Compared with= | =Meaning= |
        | ``sent``, ``sent - 1``, ``sent + 1`` | the value with which the same frame left, and so much more |
        | ``100``, ``10.0.0.1``, ``02:00:00:00:00:01`` | a value |
        | ``0 or 8`` | one of these values, with ``==``; none of them, with ``!=`` |
        | ``184 -> 40, 72 -> 0`` | sent as the first, it arrives as the second; others as they were sent |

        `Verify Header Field` with the same words judges it over all frames: those that arrive whole on the
        expected port, whether the device may change the field or not (see `Create Stream`). What counts as
        received does not change. Up to eight fields of a stream, of up to 48 bits each, are compared; the
        first four pairs of sent and wrong values are told with their counts. The stream needs its signature.
        A switch and a simulated tester refuse it by name.

        A TTL that is decremented twice, a DSCP that is rewritten, a VLAN tag that is lost and a MAC address
        that is another:

        | `Set Expected Field` | north | IP.ttl | == | sent - 1 |
        | `Set Expected Field` | north | IP.tos | == | 184 -> 40 |
        | `Set Expected Field` | north | VLAN.vlan | == | sent |
        | `Set Expected Field` | north | Ether.src | == | 02:00:00:00:00:01 |
        | `Measure Loss` | north | duration=60 s |
        | `Verify Header Field` | north | IP.ttl | == | sent - 1 |
        """
        stream = self._suite.stream(name)
        self._suite.put(
            stream.expecting(
                ExpectedField.of(field, operator_text(assertion_operator), str(assertion_expected))
            )
        )

    @keyword(tags=["verify"])
    def verify_header_field(
        self,
        name: str,
        field: FieldPath,
        assertion_operator: AssertionOperator,
        assertion_expected: str,
        capture: str | None = None,
    ) -> Verdict:
        """Passes if a header field of each frame of a stream arrived as expected.

        | =Argument= | =Meaning= |
        | ``name`` | the name of the stream |
        | ``field`` | a header and its field as in Scapy: ``IP.ttl``, ``VLAN.vlan``, ``IP[2].tos`` |
        | ``assertion_operator`` | ``==``, ``!=``, ``<``, ``<=``, ``>`` or ``>=`` |
        | ``assertion_expected`` | what it is compared with, as in `Set Expected Field` |
        | ``capture`` | the name of a capture that `Stop Capture` has ended: its frames are judged |

        Without ``capture`` it judges all frames of the last measurement of the test, if `Set Expected Field`
        has said the same before they were sent; otherwise the frames in the last capture of the test. There
        the departure of a frame has to be in the capture as well, and frames that found no room in it do not
        pass. A frame that arrives without the header fails. The verdict says how many frames were looked at.

        | `Start Capture` | streams=north | frames=100000 |
        | `Measure Loss` | north | duration=1 s |
        | `Stop Capture` |
        | `Verify Header Field` | north | IP.ttl | == | sent - 1 |
        """
        expected = ExpectedField.of(field, operator_text(assertion_operator), str(assertion_expected))
        described = self._suite.stream(name)
        counted = [other for other in described.expected_fields if other.path == field]
        if capture is None and expected in counted:
            (planned,) = self._suite.tester.check([described]).streams
            trials = trials_of(self._suite.judged())
            loses_tags = self._suite.tester.lost_tags(planned.rx_port)
            return self._suite.conclude(
                judge_expected_field(trials, planned, expected, loses_tags=loses_tags)
            )
        if capture is None and counted:
            raise TesterLibraryError(
                f"{expected}: in all frames of {name} {' and '.join(map(str, counted))} is compared; verify "
                "that, expect this before sending, or name a capture"
            )
        captured = self._suite.captures.stopped(capture)
        loses_tags = self._suite.tester.lost_tags(described.rx)
        return self._suite.conclude(judge_captured_field(captured, name, expected, loses_tags=loses_tags))
