# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that search why frames are lost."""

from __future__ import annotations

from robot.api.deco import keyword

from ...methodology.diagnosis import Diagnosis, DiagnosisResult
from ...model.units.units import Duration
from ...running.procedures.diagnosis import diagnose
from ...running.suite import Suite
from .._component import component

_MINUTE = Duration(60 * 10**9)


@component
class DiagnosisKeywords:
    """Experiments after a failure."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["find"])
    def diagnose_loss(self, *streams: str, budget: Duration = _MINUTE) -> DiagnosisResult:
        """Searches why the device loses frames of these streams, by experiments, and confirms the cause.

        | ``budget`` | the longest time for experiments, such as ``60 s`` |

        The streams are sent once more at their rates. Then experiments vary frame size, header fields, rate,
        bursts, pauses and the number of frames. A cause is named if it predicts each later experiment and the
        whole loss, and if the smallest traffic that fails fails three times. Otherwise the loss is not
        explained. A diagnosis changes no verdict, and ``Verify …`` judges the trial before it.

        | = condition = | = sentence = |
        | frame size or field: range, value, list, bits, remainder | ``each frame of 1,024 to 1,279 bytes`` |
        | two of these together | ``each frame of 64 bytes with UDP.dport 53`` |
        | direction, or some streams | ``each frame from p2 to p1`` |
        | first frames | ``the first 25 frames after a pause`` |
        | rate | ``frames above a rate between 5,957 and 6,016 frames/s`` |
        | each n-th | ``each 7th frame`` |
        | bursts | ``frames of bursts of more than 63 frames back to back`` |

        Fields are those that the streams change, DSCP, UDP and TCP ports, and the VLAN priority. Streams
        without signature, and streams that replay a file, are refused.

        Returns a result: ``sentence``, ``explained``, ``causes``, ``excluded``, ``experiments``.

        | `Measure Loss` | north |
        | ${why} = | `Diagnose Loss` | north | budget=60 s |
        | Log | ${why.sentence} |
        """
        return diagnose(self._suite, streams, Diagnosis(budget, seed=self._suite.seed))
