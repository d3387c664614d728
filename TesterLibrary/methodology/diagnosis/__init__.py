# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Why a device loses frames: experiments that part the conditions under which it may."""

from .experiment import Experiment, ExperimentMeasurer, ExperimentOutcome, KindCounts, RepeatedTraffic
from .laboratory import ExperimentRecord
from .loss import Diagnosis, diagnose_loss
from .result import ConfirmedCause, DiagnosisResult
from .traffic import FRAME_SIZE, Factor, FailingTraffic, FrameKind, TrafficStream

__all__ = [
    "FRAME_SIZE",
    "ConfirmedCause",
    "Diagnosis",
    "DiagnosisResult",
    "Experiment",
    "ExperimentMeasurer",
    "ExperimentOutcome",
    "ExperimentRecord",
    "Factor",
    "FailingTraffic",
    "FrameKind",
    "KindCounts",
    "RepeatedTraffic",
    "TrafficStream",
    "diagnose_loss",
]
