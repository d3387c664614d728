# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Processes of the library run no file of the folder that their user is in."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import TesterLibrary
from TesterLibrary.testbeds.python_process import python_code, python_command

LIBRARY = Path(TesterLibrary.__file__).parent
MODULES = (
    "TesterLibrary.commands.main",
    "TesterLibrary.reporting.live",
    "TesterLibrary.service.checking",
    "TesterLibrary.campaign.robot_process",
    "TesterLibrary.targets.tofino.fake.fake_server",
    "TesterLibrary.testbeds.guest.machine",
    "TesterLibrary.testbeds.host",
    "TesterLibrary.testbeds.long_line",
)
HOSTILE = "open({ran!r}, 'a').write(__name__)\nraise SystemExit('hijacked')\n"


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder whose files have the names of Python's own, and of packages that are installed."""
    for name in ("copy", "json", "random", "runpy", "statistics", "robot", "pyroute2", "TesterLibrary"):
        (tmp_path / f"{name}.py").write_text(HOSTILE.format(ran=str(tmp_path / "RAN")))
    return tmp_path


def environment(**more: str) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | more


@pytest.mark.parametrize("path", [None, os.pathsep.join(("", str(LIBRARY.parent))), str(LIBRARY.parent)])
def test_no_file_of_the_folder_is_run(hostile: Path, path: str | None) -> None:
    modules = ("TesterLibrary.testbeds.host",) if path else MODULES
    given = environment() if path is None else environment(PYTHONPATH=path)
    processes = {
        module: subprocess.Popen(
            python_command(module),  # without arguments: it ends when all is imported
            cwd=hostile,
            env=given,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for module in modules
    }
    for module, process in processes.items():
        said = process.communicate(timeout=60)[0]
        assert "ModuleNotFoundError" not in said, f"{module}: {said}"
        assert "hijacked" not in said, f"{module}: {said}"
        assert "usage:" in said or "Error" in said, f"{module}: {said}"
    assert not (hostile / "RAN").exists()


def test_a_path_of_the_user_stays(hostile: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """PYTHONPATH is the user's will; the library comes behind all of Python's own."""
    mine = tmp_path_factory.mktemp("mine")
    (mine / "mine.py").write_text("HERE = 'mine'\n")
    code = "import mine, sys, TesterLibrary; print(mine.HERE, sys.path[-1], sys.argv)"
    done = subprocess.run(
        python_code(code),
        cwd=hostile,
        env=environment(PYTHONPATH=str(mine)),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"mine {LIBRARY.parent} ['-c']\n"


def test_each_python_of_the_library_begins_so() -> None:
    """`-I` leaves out the user's folder as well; it needs nothing but Python's own modules."""
    isolated = re.compile(r'sys\.executable, "-I"')
    others = {
        str(path.relative_to(LIBRARY)): [line.strip() for line in lines if not isolated.search(line)]
        for path in LIBRARY.rglob("*.py")
        if (lines := [line for line in path.read_text().splitlines() if "sys.executable" in line])
    }
    assert {name: lines for name, lines in others.items() if lines} == {
        "testbeds/python_process.py": ["return [sys.executable, __file__, module, *arguments]"],
        "targets/tofino/vendor/link.py": [
            'f"the SDE\'s Python ({sys.executable}) has no client of its own: {problem}; set SDE_INSTALL "'
        ],
        "testbeds/sandbox.py": ['return os.path.realpath(getattr(sys, "_base_executable", sys.executable))'],
    }
    commands = [path.read_text() for path in LIBRARY.rglob("*.py")]
    assert not any(re.search(r'PYTHONPATH": .*sys\.path|python3?", "-m', text) for text in commands)
    assert sys.executable in python_command("x")
