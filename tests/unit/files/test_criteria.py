# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.files.criteria import criteria_file, load_criteria
from TesterLibrary.files.paths import data_root, resource
from TesterLibrary.files.profile import profile_values
from TesterLibrary.model.port_pattern import PortPattern

SHIPPED = sorted((data_root() / "resources" / "criteria" / "embedded").glob("*.yaml"))
PROFILES = data_root() / "resources" / "criteria" / "profiles"
_MULTICAST = {"delays", "forwarding", "groups", "tunnels"}  # have one bound for all frame sizes
FRAME_SIZES = {"64", "128", "256", "512", "1024", "1280", "1518"}


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_shipped_criteria_are_right_and_whole(path: Path) -> None:
    load_criteria(path)
    like = path.stem.replace("router-two-testers", "l3-router").replace("two-testers", "l2-bridge")
    asked_of = {
        suite.partition("/")[2].removesuffix(".robot")
        for profile in ("quick", "full", "switching", "multicast")
        for run in profile_values(PROFILES / f"{profile}.yaml")["runs"]
        if run["testbed"] == f"embedded/{like}"
        for suite in run["suites"]
    }
    assert asked_of
    procedures = asked_of - {"__init__", "reset", "congestion", "addresses", "errored_frames", *_MULTICAST}
    if "partial_mesh" in procedures:
        procedures = procedures - {"partial_mesh"} | {p.value.replace("-", "_") for p in PortPattern}
    criteria = yaml.safe_load(path.read_text())["CRITERIA"]
    sections = criteria | criteria.get("switching", {})
    for kind in procedures:
        assert set(sections[kind]) == FRAME_SIZES, kind


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (
            '"64": 3 %',
            '"64": 1000 %',
            "CRITERIA.throughput.64: '1000 %' tells no device from another; write at most 100 %",
        ),
        (
            '"64": 20 ms',
            '"64": 0 ms',
            "mine.yaml:20: CRITERIA.latency.64: '0 ms' tells no device from another; write a time above 0",
        ),
        (
            "loss: 1 %, load: 10 %",
            "loss: 100 %, load: 10 %",
            "CRITERIA.frame_loss.64.loss: '100 %' tells no device from another; write less than 100 %",
        ),
        (
            "loss: 1 %, load: 10 %",
            "loss: 1 %, load: 0 %",
            "CRITERIA.frame_loss.64.load: '0 %' tells no device from another; write a load above 0",
        ),
        (
            '"64": 3 %',
            "64: 3 %",
            'mine.yaml:12: CRITERIA.throughput.64: the key 64 is not a text; write "64" w',
        ),
        (
            '"64": 3 %',
            '"64": 3',
            "mine.yaml:12: CRITERIA.throughput.64: 3 is not allowed; give the lowest rate",
        ),
        (
            '"64": 3 %',
            '"64": 3 apples',
            "mine.yaml:12: CRITERIA.throughput.64: '3 apples' is not a rate; write",
        ),
        (
            '"64": 3 %',
            "jumbo: 3 %",
            'throughput.jumbo: there is no such key; give frame sizes in quotes, such as "64"',
        ),
        (
            "layer: 2",
            "layer: 4",
            "mine.yaml:10: CRITERIA.layer: 4 is not allowed; give 2 for a device that bridges",
        ),
        ("version: 1", "version: 2", "mine.yaml:9: CRITERIA.version: 2 is not allowed; give 1"),
        (
            "  latency:",
            "  latenzy: {}\n  latency:",
            "CRITERIA.latenzy: there is no such key (did you mean 'latency'?)",
        ),
        (
            "  latency:",
            "  sent: {}\n  latency:",
            "CRITERIA.sent: there is no such key; allowed are version, layer, throughput,",
        ),
        ("CRITERIA:", "CRITERIA: [", "mine.yaml:10: not YAML"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, before: str, after: str, message: str) -> None:
    text = SHIPPED[0].read_text()
    assert before in text
    path = tmp_path / "mine.yaml"
    path.write_text(text.replace(before, after, 1))
    with pytest.raises(TesterLibraryError, match=re.escape(message)):
        load_criteria(path)


def test_criteria_know_imix_and_variables_of_a_suite(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(
        "CRITERIA: {version: 1, layer: 2, throughput: {imix: 9 %}, variables: {jitter: 5 us}}\n",
        encoding="utf-8",
    )
    load_criteria(path)


def test_bounds_of_a_testbed_are_found_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shipped = criteria_file("embedded/l2-bridge")
    assert shipped == resource("criteria/embedded", "l2-bridge")
    lab = tmp_path / "lab.yaml"
    with pytest.raises(TesterLibraryError) as refused:
        criteria_file(str(lab))
    assert f"write {tmp_path}/lab-criteria.yaml, which is found by its name" in str(refused.value)
    assert "--variable CRITERIA_FILE:FILE. Shipped are those of embedded/l2-bridge," in str(refused.value)
    (tmp_path / "lab-criteria.yaml").touch()
    assert criteria_file(str(lab)) == criteria_file("lab.yaml") == tmp_path / "lab-criteria.yaml"
    with pytest.raises(TesterLibraryError, match="'embedded/nat'; give a file with bounds"):
        criteria_file("embedded/nat")
