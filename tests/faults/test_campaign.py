# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A campaign on four engines from one machine goes on though a tester, a worker and the head die."""

from __future__ import annotations

from pathlib import Path

import pytest

from .campaign import engines, in_folder, survives


@pytest.mark.long
def test_a_campaign_survives_the_death_of_a_tester_a_worker_and_the_head(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with in_folder(tmp_path, monkeypatch), engines(tmp_path) as fleet:
        survives(fleet, "run")
