# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Names in a submission: URLs of the network are taken, files of the server are refused."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from TesterLibrary.service.config import load_config, shipped_places
from TesterLibrary.service.refusal import Wrong
from TesterLibrary.service.submission import prepare

from .served import JOB

PLACE = next(place for place in shipped_places().places if place.testbed.dut.is_simulated)


def submit(folder: Path, text: str, *suites: Path) -> None:
    folder.mkdir(exist_ok=True)
    prepare(text.encode(), folder, PLACE, suites)


def campaign(value: str) -> str:
    return f"version: 1\nsuites: [inline/tcp_loss.robot]\nvariables: {{URL: {json.dumps(value)}}}\n"


@pytest.mark.parametrize(
    "value",
    [
        "http://198.18.1.3/1MB",
        "https://lab.example.net:8080/a/b?from=/x&to=/y",
        "http://[2001:2::1]/x http://198.18.1.3/y",
        "IP / TCP",
        'Ether/IP(dst="198.18.1.3")/TCP(dport=80)',
        "198.18.0.0/15, 10.0.0.0/8",
        "500/s",
        "~5 %",
        "+/- 5 %",
        "64 ... 1518",
        "rfc2544/throughput.robot",
    ],
)
def test_honest_values_are_taken(tmp_path: Path, value: str) -> None:
    submit(tmp_path / "job", campaign(value))


@pytest.mark.parametrize(
    "value",
    [
        "/etc/shadow",
        "~",
        "~root/.ssh",
        "..",
        "../service.sqlite",
        "a/../../b",
        "http://198.18.1.3/1kB --next --proto-default file -o /tmp/out localhost/tmp/in",
        "http://198.18.1.3/1kB\t--output=/tmp/out",
        "http://198.18.1.3/1kB -K/etc/x",
        "-K/etc/x",
        "--config/etc/x",
        "file:///etc/shadow",
        "FILE:///etc/shadow",
        "http:///etc/shadow",
        "http://198.18.1.3/../../etc/shadow",
        "@/etc/shadow",
        '"/etc/shadow"',
        "x;/bin/sh",
        "a b ~/x",
        "a\n/etc/shadow",
    ],
)
def test_files_of_the_server_are_refused_in_any_word(tmp_path: Path, value: str) -> None:
    with pytest.raises(Wrong, match=r"job\.yaml:3: variables\.URL: .* names a file of the server"):
        submit(tmp_path / "job", campaign(value))


def test_the_text_of_a_payload_is_no_file(tmp_path: Path) -> None:
    payload = JOB.replace("rate: 20 %", 'rate: 20 %, payload: {kind: KIND, content: "GET /x HTTP/1.1"}')
    submit(tmp_path / "job", payload.replace("KIND", "text"))
    for kind, text in (("file", payload), ("text", campaign("x") + 'payload: {kind: text, content: "/x"}')):
        with pytest.raises(Wrong, match="names a file of the server"):
            submit(tmp_path / "job", text.replace("KIND", kind))


def test_what_is_no_regular_suite_is_no_suite(tmp_path: Path) -> None:
    """A job file whose payload is a suite of Robot, too, is none by any name that leads to it."""
    suites, job = tmp_path / "suites", tmp_path / "jobs" / "a"
    suites.mkdir()
    job.mkdir(parents=True)
    (job / "job.yaml").write_text("x: |\n*** Test Cases ***\nX\n    Log    1\n")
    (suites / "own.robot").write_text("*** Test Cases ***\nX\n    Log    1\n")
    (suites / "own_job.yaml").write_text((job / "job.yaml").read_text())
    (suites / "link.robot").symlink_to(job / "job.yaml")
    os.mkfifo(suites / "pipe.robot")
    submit(tmp_path / "job", "version: 1\nsuites: [own.robot, own]\n", suites)
    for name in ("own_job.yaml", "own_job", "link.robot", "link", "pipe.robot", "pipe"):
        with pytest.raises(Wrong, match=f"there is no '{name}' here"):
            submit(tmp_path / "job", f"version: 1\nsuites: [{name}]\n", suites)


@pytest.mark.parametrize("suites", [".", "service", "service/jobs"])
def test_what_users_submit_is_in_no_folder_of_suites(tmp_path: Path, suites: str) -> None:
    (tmp_path / "service" / "jobs").mkdir(parents=True)
    file = tmp_path / "lab.yaml"
    file.write_text(
        f"version: 1\nfolder: service\nsuites: [{suites}]\nplaces:\n  a: {{testbed: simulated/queue}}\n"
    )
    with pytest.raises(Exception, match=r"suites\[0\]: .* one inside of the other"):
        load_config(file)
