# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from TesterLibrary.commands import main as cli
from TesterLibrary.errors import PlanError
from TesterLibrary.files import paths
from TesterLibrary.p4.build import generate
from TesterLibrary.protocols.checker import load_protocol

SVG = "{http://www.w3.org/2000/svg}"


def test_all_that_is_shipped_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["protocol", "list"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in listed] == paths.names("protocols")
    assert "http-server      HTTP/1.1" in "\n".join(listed)


def test_files_are_checked_and_all_mistakes_of_all_of_them_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["protocol", "check", "tcp", "dns"]) == 0
    assert capsys.readouterr().out.count(": good") == 2
    bad = [tmp_path / name for name in ("one.yaml", "two.yaml")]
    for path in bad:
        path.write_text(
            paths.resource("protocols", "udp-echo").read_text().replace("UDP.dport: port", "x: 1")
        )
    assert cli.main(["protocol", "check", *map(str, bad)]) == cli.STATUS["ERROR"]
    said = capsys.readouterr().err
    assert all(f"{path}:" in said for path in bad)
    assert said.count("there is no 'x'") == 2


def test_a_table_is_shown_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["protocol", "show", "http-get"]) == 0
    shown = capsys.readouterr().out
    assert "a flow is known by: IP.src <-> IP.dst, TCP.sport <-> TCP.dport" in shown
    assert "kept for a flow: 8 of 416 bits" in shown
    assert "  packet: TCP.flags +S -AR  → opening\n      count opened 1\n      send syn_ack\n" in shown


@pytest.mark.parametrize("name", paths.names("protocols"))
def test_its_picture_has_every_state_and_change(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "states.svg"
    assert cli.main(["protocol", "show", name, "--svg", str(picture)]) == 0
    assert capsys.readouterr().out
    root = ET.parse(picture).getroot()
    texts = {element.text for element in root.iter(f"{SVG}text")}
    protocol = load_protocol(name)
    assert texts >= set(protocol.states)
    changes = {
        (state, row.to)
        for row in protocol.rows
        for state in (row.states or protocol.states)
        if row.to and row.to != state
    }
    arrows = [element for element in root.iter(f"{SVG}path") if element.get("marker-end")]
    assert len(arrows) == len(changes)


def test_a_picture_that_cannot_be_written_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["protocol", "show", "arp", "--svg", "/nowhere/x.svg"]) == cli.STATUS["ERROR"]
    assert "/nowhere/x.svg cannot be written: No such file" in capsys.readouterr().err


def test_plans_are_for_people_and_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["protocol", "plan", "http-get", "--target", "tofino"]) == 0
    assert "6 queues of templates, 2 passes" in capsys.readouterr().out
    assert cli.main(["protocol", "plan", "tcp", "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert (plan["protocol"], plan["target"]) == ("tcp", "engine")
    assert cli.main(["protocol", "plan", "tcp", "--target", "tofino"]) == cli.STATUS["ERROR"]
    assert "not on tofino: timers: 2 needed" in capsys.readouterr().err


@pytest.mark.parametrize("name", paths.names("protocols"))
def test_a_plan_for_a_switch_says_what_building_with_it_says(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = ""
    try:
        generate([name])
    except PlanError as problem:
        refused = str(problem)
    status = cli.main(["protocol", "plan", name, "--target", "tofino"])
    assert (status == cli.STATUS["ERROR"]) is bool(refused)
    assert refused in capsys.readouterr().err


def test_a_value_that_no_answer_of_a_switch_has_is_refused_before_it_is_built(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "twice.yaml"
    text = paths.resource("protocols", "http-get").read_text(encoding="utf-8")
    path.write_text(text.replace("TCP.seq: TCP.ack", "TCP.seq: TCP.ack - TCP.seq"), encoding="utf-8")
    assert cli.main(["protocol", "plan", str(path), "--target", "tofino"]) == cli.STATUS["ERROR"]
    assert "on a switch an answer can have the sum of two of" in capsys.readouterr().err
