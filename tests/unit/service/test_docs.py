# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The shell examples of docs/service.md, run by bash against a service; its units, as systemd reads them."""

from __future__ import annotations

import configparser
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from .served import JOB, ROOT, Served, served

PAGE = ROOT / "docs" / "service.md"
BLOCKS = re.findall(r"^```sh service\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
PLACES = "\n  trial: {testbed: simulated/breakpoint}\n"
UNITS = sorted((ROOT / "resources" / "systemd").glob("*.service"))


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("service"), PLACES) as service:
        yield service


@pytest.mark.parametrize("block", BLOCKS, ids=lambda text: text.split("\n")[2])
def test_an_example_runs(service: Served, tmp_path: Path, block: str) -> None:
    told = {"URL": service.url, "TOKEN": service.tokens["alice"], "NO_PROXY": "127.0.0.1"}
    told["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    (tmp_path / "job.yaml").write_text(JOB, encoding="utf-8")
    script = f"set -euo pipefail\nshopt -s expand_aliases\n{block}"
    command = ["bash", "-c", script]
    done = subprocess.run(
        command, env={**os.environ, **told}, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    if "cat > job.yaml" in block:
        assert '"outcome": "PASS"' in done.stdout
        assert "evidence/trials.jsonl" in done.stdout
    if "certificate.html" in block:
        assert (tmp_path / "certificate.html").stat().st_size
    for lease in service.user("alice").get("/v1/leases"):
        service.user("alice").release(lease)


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_a_unit_is_hardened_and_runs_what_there_is(unit: Path) -> None:
    read = configparser.RawConfigParser(strict=False)
    read.read(unit, encoding="utf-8")
    service = read["Service"]
    assert service["NoNewPrivileges"] == service["ProtectHome"] == "yes"
    assert service["ProtectSystem"] == "strict"
    assert service["User"] != "root"
    program, *arguments = service["ExecStart"].split()
    options = {word for word in arguments if word.startswith("--")}
    known = (ROOT / "engine" / "src" / "options.cc").read_text(encoding="utf-8")
    assert program.endswith("tester") or all(f'{{"{option[2:]}", ' in known for option in options)
