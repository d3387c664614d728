# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from pathlib import Path

import pytest
from robot.api import TestSuite

from TesterLibrary import FrameSizeTests
from TesterLibrary.campaign.certification_arguments import certification
from TesterLibrary.campaign.frame_sizes import frame_sizes, name_of_test
from TesterLibrary.errors import ChoiceError, TesterLibraryError
from TesterLibrary.files.paths import data_root

THROUGHPUT = data_root() / "suites" / "rfc2544" / "throughput.robot"
FRAME_LOSS = THROUGHPUT.with_name("frame_loss.robot")


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("1518", ("1518",)),
        ("IMIX", ("imix",)),
        ("64-200/50", ("64", "114", "164")),
        ("64-64/1", ("64",)),
    ],
)
def test_sizes_are_written_as_one_or_as_a_range(text: str, sizes: tuple[str, ...]) -> None:
    assert frame_sizes(text) == sizes


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("jumbo", "'jumbo' is no frame size; write 1518, imix, or 64-1518/128"),
        ("64-1518", "'64-1518' is no frame size; write 1518, imix, or 64-1518/128"),
        ("63", "'63' is not a frame size"),
        ("64-1518/1", "give a range of 1 to 100 sizes"),
        ("64-128/0", "give a range of 1 to 100 sizes"),
        ("128-64/8", "give a range of 1 to 100 sizes"),
    ],
)
def test_what_is_no_size_is_refused(text: str, why: str) -> None:
    with pytest.raises(ChoiceError, match=why.replace("(", r"\(")):
        frame_sizes(text)


def test_a_suite_gets_the_tests_that_it_lacks() -> None:
    suite = TestSuite.from_file_system(FRAME_LOSS)
    before = [test.name for test in suite.tests]
    suite.visit(FrameSizeTests("64", "9018", "imix"))
    assert [test.name for test in suite.tests] == [*before, "9018 Bytes", "IMIX"]
    calls = [call.args for test in suite.tests[-2:] for call in test.body]
    assert calls == [
        (size, f"${{CRITERIA.frame_loss}}[{size}][loss]", f"${{CRITERIA.frame_loss}}[{size}][load]")
        for size in ("9018", "imix")
    ]
    assert [call.args[0] for call in suite.tests[0].body] == ["64"]


def test_a_suite_without_tests_of_sizes_stays_as_it_is() -> None:
    suite = TestSuite.from_file_system(THROUGHPUT.with_name("reset.robot"))
    before = [test.name for test in suite.tests]
    suite.visit(FrameSizeTests("9018"))
    assert [test.name for test in suite.tests] == before


def certified(criteria: str, tmp_path: Path) -> list[str]:
    """The tests of a certification of the throughput of mixes and of 200 bytes."""
    file = tmp_path / "criteria.yaml"
    file.write_text(f"CRITERIA:\n  version: 1\n  layer: 3\n  throughput: {criteria}\n", encoding="utf-8")
    run = certification(
        profile="quick",
        testbeds=["embedded/l3-router"],
        criteria=str(file),
        suites=[str(THROUGHPUT)],
        output=tmp_path / "out",
        tests=[name_of_test("200"), name_of_test("imix")],
        sizes=["200", "imix"],
    )
    return [item.test for item in run.check()]


def test_a_certification_runs_tests_of_asked_sizes_with_their_bounds(tmp_path: Path) -> None:
    assert certified('{imix: 3 %, "200": 3 %}', tmp_path) == ["200 Bytes", "IMIX"]
    with pytest.raises(TesterLibraryError, match="lacks bounds that the tests ask for: throughput of imix"):
        certified('{"200": 3 %}', tmp_path)
