# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs in a guest, whose stand-in is a script with the same serial ports, and no kernel."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from TesterLibrary.testbeds.guest import machine, run
from TesterLibrary.testbeds.processes import ProcessId

# Has a descriptor for each `-chardev socket,id=NAME,fd=NUMBER`. Does what `_INIT` of image.py does.
GUEST = """
import base64, os, re, signal, socket, subprocess, sys, threading, time
named = re.findall(r"socket,id=(\\w+),fd=(\\d+)", " ".join(sys.argv))
ports = {name: socket.socket(fileno=int(fd)) for name, fd in named}
running = {}
def serve(name, port):
    for line in port.makefile("rb"):
        command = ["sh", "-c", base64.b64decode(line).decode()]
        program = subprocess.Popen(command, stdout=-1, stderr=-1, start_new_session=True)
        running[name] = program
        out, err = program.communicate()
        del running[name]
        status = program.returncode if program.returncode >= 0 else 128 - program.returncode
        port.sendall(f"{status} {len(out)} {len(err)}\\n".encode() + out + err)
print("console: kernel panic" if "--panic" in sys.argv else "", flush=True)
if "--panic" not in sys.argv:
    for name in ports.keys() - {"control"}:
        threading.Thread(target=serve, args=(name, ports[name]), daemon=True).start()
    ports["control"].sendall(b"ready\\n")
    for line in ports["control"].makefile():
        number, channel = line.split()
        for _ in range(100):
            if program := running.get(f"channel{channel}"):
                os.killpg(program.pid, getattr(signal, f"SIG{number}"))
                break
            time.sleep(0.01)
"""


@pytest.fixture
def guest(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """The process of a guest, which has no namespace of its own here, so its socket has another name."""
    process = started(tmp_path)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    yield process
    process.kill()
    process.wait()


def started(tmp_path: Path, *options: str) -> subprocess.Popen[str]:
    script = tmp_path / "guest.py"
    script.write_text(GUEST)
    for module in (machine, run):
        assert module.__file__ is not None
    (tmp_path / "run.py").write_text(
        Path(run.__file__).read_text().replace('"\\0guest"', repr(name(tmp_path)))
    )
    code = f"from TesterLibrary.testbeds.guest import machine as m; m.SOCKET = {name(tmp_path)!r}; m.main()"
    command = repr([sys.executable, str(script), *options]).replace("'", '"')
    return subprocess.Popen(
        [sys.executable, "-c", code, command, ""], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def name(tmp_path: Path) -> str:
    return f"\0guest of {tmp_path}"


def ran(tmp_path: Path, *words: str) -> subprocess.Popen[str]:
    """A program in the guest, by the script that the hosts of a testbed run."""
    command = [sys.executable, "-I", str(tmp_path / "run.py"), *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_program_has_its_words_its_outputs_and_its_status(
    guest: subprocess.Popen[str], tmp_path: Path
) -> None:
    program = ran(
        tmp_path, "sh", "-c", 'printf "%s|" "$@"; echo no >&2; exit 7', "it's", "two words", "a\nline"
    )
    assert program.communicate(timeout=20) == ("two words|a\nline|", "no\n")
    assert program.returncode == 7
    assert guest.poll() is None


def test_programs_run_at_the_same_time(guest: subprocess.Popen[str], tmp_path: Path) -> None:
    waiting = ran(tmp_path, "sh", "-c", f"until [ -e {tmp_path}/now ]; do sleep 0.05; done; echo seen")
    assert ran(tmp_path, "touch", str(tmp_path / "now")).wait(20) == 0
    assert waiting.communicate(timeout=20)[0] == "seen\n"
    assert guest.poll() is None


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_who_ends_it_ends_the_program(
    guest: subprocess.Popen[str], tmp_path: Path, number: signal.Signals
) -> None:
    """And what it has started; a channel is free again, also if nobody waits for the answer."""
    for _ in range(machine.CHANNELS + 1):
        program = ran(tmp_path, "sh", "-c", f"echo $$ > {tmp_path}/pid; echo begun; sleep 60 & wait")
        pid = awaited(tmp_path / "pid")
        program.send_signal(number)
        said, _ = program.communicate(timeout=20)
        if number == signal.SIGTERM:
            assert (said, program.returncode) == ("begun\n", 128 + signal.SIGTERM)
        gone(pid)
    assert guest.poll() is None


def awaited(file: Path) -> int:
    deadline = time.monotonic() + 20
    while not file.exists() or not file.read_text().strip():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    pid = int(file.read_text())
    file.unlink()
    return pid


def gone(pid: int) -> None:
    deadline = time.monotonic() + 20
    while ProcessId.of(pid):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_guest_ends_with_the_process_that_runs_it(guest: subprocess.Popen[str], tmp_path: Path) -> None:
    (child,) = children(guest.pid)
    guest.kill()
    gone(child)
    program = ran(tmp_path, "true")
    assert "the guest is gone (Connection refused); open the testbed again" in program.communicate()[1]
    assert program.returncode == 125


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_the_process_ends_with_its_guest(guest: subprocess.Popen[str], tmp_path: Path) -> None:
    program = ran(tmp_path, "sh", "-c", f"echo $$ > {tmp_path}/pid; exec sleep 60")
    awaited(tmp_path / "pid")
    (child,) = children(guest.pid)
    os.kill(child, signal.SIGKILL)
    assert guest.wait(20) == 0
    assert program.communicate(timeout=20)[1] == "the guest has ended\n"


def test_a_guest_that_does_not_come_up_says_why(tmp_path: Path) -> None:
    process = started(tmp_path, "--panic")
    assert process.communicate(timeout=20) == ("", "it has ended: console: kernel panic\n")
