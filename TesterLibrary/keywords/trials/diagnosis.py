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
        bursts, pauses and the number of frames. A cause is named if it predicted each later experiment,
        if it explains the whole loss, and if the smallest traffic that fails failed three times. Otherwise
        the loss is not explained, and the result says what is excluded. A diagnosis changes no verdict, and
        `Verify …` judges the trial before it.

        Returns a result: ``sentence``, ``explained``, ``causes``, ``excluded``, ``experiments``.

        | `Measure Loss` | north |
        | ${why} = | `Diagnose Loss` | north | budget=60 s |
        | Log | ${why.sentence} |
        """
        return diagnose(self._suite, streams, Diagnosis(budget, seed=self._suite.seed))
