# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The frames that an engine sends for a job: its clock is exact, so they are those of the plan."""

from __future__ import annotations

from ...model.job import JobFile
from ...model.plan.plan import Plan
from ..prediction import Prediction, TargetKind, asked, register
from .table import flat_table


def _predict(file: JobFile, plan: Plan) -> tuple[Prediction, ...]:
    return tuple(
        Prediction(stream, planned, asked(file, stream))
        for stream, planned in zip(file.job.streams, plan.streams, strict=True)
    )


# Parameters of a protocol stay registers, so their values are no part of its table.
register(TargetKind("engine", _predict, lambda protocol, _: flat_table(protocol)))
