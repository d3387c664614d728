# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from TesterLibrary.targets.engine import runtime


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(runtime, "_SHORT", tmp_path)
    monkeypatch.setattr(runtime, "_LONGEST_SOCKET_PATH", 4096)
    return tmp_path


def test_what_a_killed_owner_left_is_removed(temporary: Path) -> None:
    script = (
        "import os, signal\n"
        "from TesterLibrary.targets.engine.runtime import new_runtime_directory\n"
        "(new_runtime_directory() / 'testerd.log').write_text('x')\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    short = "import TesterLibrary.targets.engine.runtime as r; r._LONGEST_SOCKET_PATH = 4096\n"
    environment = os.environ | {"TMPDIR": str(temporary)}
    subprocess.run([sys.executable, "-c", short + script], env=environment, check=False)
    (left,) = temporary.iterdir()
    assert runtime.clean_runtime_directories() == (left,)
    assert list(temporary.iterdir()) == []


def test_what_the_living_and_others_have_stays(temporary: Path) -> None:
    ours = runtime.new_runtime_directory()
    assert ours.stat().st_mode & 0o777 == 0o700
    others = temporary / "testerd-1-999999-1-abc"  # of another PID namespace
    unknown = temporary / "testerd-notes"
    for folder in (others, unknown):
        folder.mkdir()
    assert runtime.clean_runtime_directories() == ()
    assert sorted(temporary.iterdir()) == sorted((ours, others, unknown))
