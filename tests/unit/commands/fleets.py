# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A campaign on several testers for tests: suites that judge without packets, on testers that may break."""

from __future__ import annotations

from pathlib import Path

from TesterLibrary.reporting.record.record_place import EVIDENCE
from TesterLibrary.reporting.record.records import Records, read

LIBRARY = Path(__file__).parents[1] / "reporting" / "SimulatedLibrary.py"
SUITE = f"""
*** Settings ***
Library    {LIBRARY}    testbed=bed
Library    OperatingSystem
*** Test Cases ***
First
    Judge    PASS
Second
    [Documentation]    Says where it is run. The tester of a file named broken breaks.
    Append To File    FOLDER/ran    ${{SUITE NAME}} on ${{TESTBED}}\\n
    ${{broken}} =    Evaluate    'broken.yaml' in $TESTBED
    IF    ${{broken}}    Tester Breaks
    Judge    ${{OUTCOME}}
"""
TESTBED = """
version: 1
name: bed
description: Bed
ports: [{name: p1, speed: 10 Mbps}, {name: p2, speed: 10 Mbps}]
dut: {name: Device, kind: simulated, layer: 2}
"""


def campaign(folder: Path, testers: str, more: str = "", suites: tuple[str, ...] = ("a", "b")) -> str:
    """Writes a campaign with its suites and testbeds; returns its file."""
    for name in suites:
        (folder / f"{name}.robot").write_text(SUITE.replace("FOLDER", str(folder)))
    for name in ("bed", "broken"):
        (folder / f"{name}.yaml").write_text(TESTBED)
    (folder / "other.yaml").write_text(TESTBED.replace("name: bed", "name: other"))
    (folder / "mine.yaml").write_text("PROFILE: {version: 1, name: mine}\n")
    names = ", ".join(f"{name}.robot" for name in suites)
    variables = "" if "variables:" in more else "variables: {OUTCOME: PASS}\n"
    text = f"version: 1\nsuites: [{names}]\nprofile: mine.yaml\noutput: night\n{variables}{more}\n"
    (folder / "fleet.yaml").write_text(f"{text}testers:\n{testers}")
    return str(folder / "fleet.yaml")


def night() -> Records:
    """The records of the campaign."""
    return read(Path("night", EVIDENCE))


def outcomes() -> list[str]:
    """Each test with its outcome, in the order of the records."""
    return [f"{test.suite}/{test.test} {test.outcome}" for test in night().tests]


def ran(folder: Path) -> list[str]:
    """The second tests that were run, each with its testbed's file, in no order."""
    return sorted(
        f"{suite} on {Path(file).stem}"
        for suite, _, file in (line.partition(" on ") for line in (folder / "ran").read_text().splitlines())
    )
