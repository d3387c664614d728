# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The table of experiments of a diagnosis, in log.html and Allure."""

from __future__ import annotations

import pytest

from TesterLibrary.methodology.diagnosis import DiagnosisResult
from TesterLibrary.methodology.diagnosis.laboratory import ExperimentRecord
from TesterLibrary.model.units.units import Duration
from TesterLibrary.reporting.record import listener

EXPERIMENTS = (
    ExperimentRecord("which frames are lost", 4, 1120, 22, 3),
    ExperimentRecord("a < b", 1, 640, 7, 4, "tx fell short"),
)


def test_a_diagnosis_is_in_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    """It shows no loss for an experiment in which the tester fell short."""
    written: list[str] = []
    monkeypatch.setattr(listener.logger, "write", lambda text, *_, **__: written.append(text))
    result = DiagnosisResult("north", (), (), "no loss", 0, 0, (), (), EXPERIMENTS, Duration(1))
    listener.show_diagnoses([result])
    (html,) = written
    assert "<p>north: not explained: no loss</p>" in html
    assert '<td align="right">1,120</td> <td align="right">22</td> <td>did its part</td>' in html
    assert '<td align="right">640</td> <td align="right">–</td> <td>INVALID: tx fell short</td>' in html
    assert "a &lt; b" in html
