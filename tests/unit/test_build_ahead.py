# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The build beside contract tests is ended by that of the engine's tests, which finds its faults."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tools.build_cache import VARIABLES

TOOLS = Path(__file__).parents[2] / "tools"
FAKES = ("c++", "clang++", "pkg-config", "protoc", "grpc_cpp_plugin")
# Meson takes a while to configure, and a compiler has a fault. Ninja builds until it is told to end.
MESON = """#!/bin/sh
[ "$1" = introspect ] || echo "meson $*"
case "$1 $2" in
  "setup "*) touch configuring; sleep 0.5 ;;
  "introspect "*) echo "[{\\"cmd\\": [\\"$PWD/engine/build-sanitized/pure_test\\"]}]" ;;
  "compile "*)
    [ ! -e fault ] || { echo "unseen.h:1: error"; exit 1; }
    mkdir -p engine/build-sanitized
    cat engine/a.cc > engine/build-sanitized/pure_test ;;
esac
"""
# The real one would wait for CPUs that other tests have.
CHRT = """#!/bin/sh
echo "chrt $1 $2"
shift 2
exec "$@"
"""
NINJA = """#!/bin/sh
echo "ninja $*"
trap 'echo "interrupted by user"; exit 130' TERM
touch building
until [ -e built ]; do sleep 0.02; done
"""


class Checkout:
    """A copy of the tool, with programs that only say what they were asked to do."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.bin = folder, folder / "bin"
        for name in ("tools", "engine", "proto", "bin"):
            (folder / name).mkdir()
        for name in ("engine.py", "build_cache.py"):
            shutil.copy(TOOLS / name, folder / "tools")
        self.source, self.test = (
            folder / "engine" / "a.cc",
            folder / "engine" / "build-sanitized" / "pure_test",
        )
        self.source.write_text("int a;")
        texts = {"meson": MESON, "ninja": NINJA, "chrt": CHRT, **dict.fromkeys(FAKES, "#!/bin/sh\n")}
        for name, text in texts.items():
            (self.bin / name).write_text(text)
            (self.bin / name).chmod(0o755)

    def run(self, verb: str, **environment: str) -> subprocess.CompletedProcess[str]:
        cache = {"XDG_CACHE_HOME": str(self.folder.parent / "cache"), "TESTER_BUILD_CACHE": ""}
        cache |= dict.fromkeys(VARIABLES, "")
        return subprocess.run(
            [sys.executable, self.folder / "tools" / "engine.py", verb],
            cwd=self.folder,
            env={**os.environ, **cache, "PATH": f"{self.bin}:{os.environ['PATH']}", **environment},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def wait_for(self, name: str) -> None:
        deadline = time.monotonic() + 30
        while not (self.folder / name).exists():
            assert time.monotonic() < deadline, (self.folder / "engine" / "build-ahead" / "log").read_text()
            time.sleep(0.02)


def make_checkout(folder: Path) -> Checkout:
    folder.mkdir()
    return Checkout(folder)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return make_checkout(tmp_path / "checkout")


def test_a_build_ahead_is_ended_and_gone_on_with(checkout: Checkout) -> None:
    assert checkout.run("ahead").returncode == 0
    checkout.wait_for("building")
    assert checkout.run("ahead").stdout == "", "it is under way"
    done = checkout.run("test")
    assert done.returncode == 0, done.stdout + done.stderr
    ahead, _, rest = done.stdout.partition("interrupted by user")
    assert "built ahead as far as it came" in ahead
    assert "chrt --idle 0" in ahead
    assert [line.split()[1] for line in rest.splitlines() if line.startswith("meson ")] == [
        "setup",
        "compile",
        "test",
    ]


def test_a_build_ahead_that_still_configures_ends_with_that(checkout: Checkout) -> None:
    checkout.run("ahead")
    checkout.wait_for("configuring")
    done = checkout.run("test")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ninja" not in done.stdout.replace("ninja-build", "")


def test_one_that_is_over_is_shown(checkout: Checkout) -> None:
    (checkout.folder / "built").touch()
    checkout.run("ahead")
    checkout.wait_for("building")
    done = checkout.run("test")
    assert "+ built ahead" in done.stdout
    assert "ninja -C" in done.stdout
    assert "built ahead" not in checkout.run("test").stdout


def test_what_does_not_compile_fails_the_test(checkout: Checkout) -> None:
    (checkout.folder / "fault").touch()
    checkout.run("ahead")
    checkout.wait_for("building")
    done = checkout.run("test")
    assert done.returncode != 0
    assert "unseen.h:1: error" in done.stdout
    assert "meson test" not in done.stdout
