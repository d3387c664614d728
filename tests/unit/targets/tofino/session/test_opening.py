# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Switches that are opened, and those that are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError, TestbedError
from TesterLibrary.planning.switch.chip import TOFINO, TOFINO_2
from TesterLibrary.targets.tofino.session.cabling import meter_of
from TesterLibrary.targets.tofino.session.fake_process import Cables
from TesterLibrary.targets.tofino.session.model_switch import modelled_switch
from TesterLibrary.targets.tofino.session.opening import open_switch, program_of

from ..rig import cabling

NOWHERE = "127.0.0.1:1"


@pytest.mark.parametrize("build", ["tofino", "tofino2"])
def test_a_switch_is_reached(build: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SDE_INSTALL", raising=False)
    with pytest.raises(TestbedError, match="set SDE_INSTALL"):
        open_switch(NOWHERE, cabling(), program="tester", build=build, cpu_interface="cpu0")


def test_a_build_names_its_chip() -> None:
    assert [program_of(name).chip for name in ("tofino", "tofino2")] == [TOFINO, TOFINO_2]


def test_the_model_of_a_chip_whose_clock_is_not_known_is_refused() -> None:
    assert meter_of(TOFINO, None, model=True).clock == 1_250_000_000
    assert meter_of(TOFINO_2, None, model=False).clock == 1_500_000_000
    assert meter_of(TOFINO_2, 1100, model=True).clock == 1_100_000_000
    with pytest.raises(PlanError, match=r"the clock of the model of a Tofino2 is not known: give clock_mhz"):
        meter_of(TOFINO_2, None, model=True)


def test_a_fake_switch_runs_any_profile() -> None:
    target = open_switch("fake", cabling(), program="tester", build="tofino2", cpu_interface="")
    assert target.capabilities().version.startswith("tofino2:")
    target.close()


def test_an_sde_without_a_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SDE_INSTALL", str(tmp_path))
    with pytest.raises(TestbedError, match=rf"SDE_INSTALL={tmp_path}: there is no \S+/bin/tofino-model, "):
        modelled_switch(tmp_path, program_of("tofino"), Cables({}))
