# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Apache Otava in place of jumpavg: the same nights, the same alarms. `tox -e otava` installs and runs it."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from TesterLibrary.commands.main import main
from TesterLibrary.reporting.trend.judge import State
from TesterLibrary.reporting.trend.level import Method, levels

from .nights import LAWS, Nights, write_night

pytest.importorskip("otava", reason="Apache Otava pins numpy exactly, and has an environment: tox -e otava")
SHAPER = LAWS["rate of a shaper, normal, 0.3 %"][0]


def test_levels_are_those_between_change_points() -> None:
    random = Random(1)
    values = [random.gauss(100, 0.3) for _ in range(20)] + [random.gauss(97, 0.3) for _ in range(5)]
    found = levels(values, Method.OTAVA)
    assert [len(level.values) for level in found] == [20, 5]
    assert found[1].mean == pytest.approx(97, abs=0.5)
    assert [level.values for level in levels([5.0] * 9, Method.OTAVA)] == [(5.0,) * 9]
    assert [level.values for level in levels([5.0], Method.OTAVA)] == [(5.0,)]


@pytest.mark.parametrize("seed", range(3))
def test_a_planted_regression_of_3_percent_is_alarmed_in_its_first_night(seed: int) -> None:
    nights = Nights(SHAPER, method=Method.OTAVA, random=Random(seed)).run(30)
    assert not nights.alarmed
    nights.run(1, factor=0.97)
    (alarm,) = nights.alarmed
    assert alarm.state is State.ALARMED
    assert alarm.before == pytest.approx(1e8, rel=0.002)


def test_100_nights_of_noise_alarm_at_most_once_over_figures_of_all_laws() -> None:
    alarmed = [
        len(Nights(of, up, Method.OTAVA, random=Random(7)).run(100).alarmed) for of, up in LAWS.values()
    ]
    assert sum(alarmed) <= 1, dict(zip(LAWS, alarmed, strict=True))


def test_the_command_takes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    random = Random(1)
    usual = [str(write_night(tmp_path, night, round(random.gauss(100, 0.3), 3))) for night in range(10)]
    worse = [str(write_night(tmp_path, 10, 97.0)), str(write_night(tmp_path, 10, 97.1, hour=3))]
    to = ["--method", "otava", "--database", str(tmp_path / "trend.duckdb")]
    assert main(["trend", *usual, *to]) == 0
    assert main(["trend", worse[0], *to]) == 2
    page = tmp_path / "trend.html"
    assert main(["trend", worse[1], *to, "--html", str(page)]) == 1
    assert "alarmed 2026-01-11 03:00" in capsys.readouterr().out
    assert "alarmed" in page.read_text()
