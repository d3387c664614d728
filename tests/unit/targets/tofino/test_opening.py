# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Which switches are opened."""

from __future__ import annotations

import pytest

from TesterLibrary.errors import PlanError, TargetError
from TesterLibrary.targets.tofino.opening import open_switch

from .rig import cabling

NOWHERE = "127.0.0.1:1"


def test_a_tofino_2_is_refused_by_name_before_it_is_reached() -> None:
    with pytest.raises(PlanError, match=r"tofino2 is compiled with the profile tofino2; .* not a Tofino 2"):
        open_switch(NOWHERE, cabling(), program="tester", build="tofino2", cpu_interface="cpu0")


def test_a_tofino_is_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SDE_INSTALL", raising=False)
    with pytest.raises(TargetError):
        open_switch(NOWHERE, cabling(), program="tester", build="tofino", cpu_interface="cpu0")


def test_a_fake_switch_runs_any_profile() -> None:
    target = open_switch("fake", cabling(), program="tester", build="tofino2", cpu_interface="")
    assert target.capabilities().version.startswith("tofino2:")
    target.close()
