# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for header fields as frames arrive with them."""

from __future__ import annotations

from assertionengine import AssertionOperator
from robot.api.deco import keyword

from ...model.editor import FieldPath
from ...model.expected_field import ExpectedField
from ...running.observed import judge_field
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
        """Lets the tester compare a header field of each arriving frame of a stream, and count exactly.

        | ``name`` | the name of a stream that is not sending |
        | ``field`` | a header and its field as in Scapy: ``IP.ttl``, ``VLAN.vlan``, ``IP[2].tos`` |
        | ``assertion_operator`` | ``==``, ``!=``, ``<``, ``<=``, ``>`` or ``>=`` |
        | ``assertion_expected`` | the expected value, see below |

        | =Expected value= | =Meaning= |
        | ``sent``, ``sent - 1``, ``sent + 1`` | the value when the frame left, or one less, or one more |
        | ``100``, ``10.0.0.1``, ``02:00:00:00:00:01`` | a value |
        | ``0 or 8`` | one of these values, with ``==``; none of them, with ``!=`` |
        | ``184 -> 40, 72 -> 0`` | sent as the first value, it arrives as the second; others arrive as sent |

        `Verify Header Field` with the same words judges the field over all frames that arrive whole on the
        expected port, whether the device may change the field or not (see `Create Stream`). Counters of
        received frames do not change. Each stream can have up to eight fields, of up to 48 bits each; the
        verdict shows the first four pairs of sent and wrong values with their counts. The stream needs its
        signature. A switch and a simulated tester do not support this.

        The TTL falls by one, the DSCP is rewritten, the VLAN tag stays, the MAC address is replaced:

        | `Set Expected Field` | north | IP.ttl | == | sent - 1 |
        | `Set Expected Field` | north | IP.tos | == | 184 -> 40 |
        | `Set Expected Field` | north | VLAN.vlan | == | sent |
        | `Set Expected Field` | north | Ether.src | == | 02:00:00:00:00:01 |
        | `Measure Loss` | north | duration=60 s |
        | `Verify Header Field` | north | IP.ttl | == | sent - 1 |
        """
        expected = ExpectedField.of(field, operator_text(assertion_operator), str(assertion_expected))
        self._suite.put(self._suite.stream(name).expecting(expected))

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

        | ``name`` | the name of the stream |
        | ``field`` | a header and its field as in Scapy: ``IP.ttl``, ``VLAN.vlan``, ``IP[2].tos`` |
        | ``assertion_operator`` | ``==``, ``!=``, ``<``, ``<=``, ``>`` or ``>=`` |
        | ``assertion_expected`` | the expected value, as in `Set Expected Field` |
        | ``capture`` | the name of a capture that `Stop Capture` has ended; its frames are judged |

        Without ``capture``, and if `Set Expected Field` said the same before sending, it judges all frames of
        the last measurement of the test. Otherwise it judges the frames in the last capture of the test. Then
        the departure of each frame has to be in the capture as well, and frames that the capture dropped do
        not pass. A frame that arrives without the header fails. The verdict says how many frames it judged.

        | `Start Capture` | streams=north | frames=100000 |
        | `Measure Loss` | north | duration=1 s |
        | `Stop Capture` |
        | `Verify Header Field` | north | IP.ttl | == | sent - 1 |
        """
        expected = ExpectedField.of(field, operator_text(assertion_operator), str(assertion_expected))
        return self._suite.conclude(judge_field(self._suite, name, expected, capture))
