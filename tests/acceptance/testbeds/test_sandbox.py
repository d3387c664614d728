# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs of hosts see few files of this machine, write none, and reach no process of it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from TesterLibrary.testbeds import RunningTestbed, open_testbed
from TesterLibrary.testbeds.processes import ProcessId


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    folder = tmp_path / "suites"
    folder.mkdir()
    (folder / "rules.nft").write_text("table ip a {}\n")
    (tmp_path / "secret").write_text("a secret\n")
    return folder


@pytest.fixture
def bed(shared: Path) -> Iterator[RunningTestbed]:
    with open_testbed("embedded/path-hosts", shared) as testbed:
        yield testbed


def run(bed: RunningTestbed, script: str) -> subprocess.CompletedProcess[str]:
    command = bed.host_command("client", ["sh", "-c", script])
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_a_program_reaches_its_own_network_and_nothing_of_the_machine(
    bed: RunningTestbed, shared: Path
) -> None:
    _files_of_the_machine_are_neither_read_nor_written(bed, shared)
    _a_program_has_its_network_its_folder_and_that_of_the_suite(bed, shared)
    _no_capability_and_no_signal_reaches_the_machine(bed)


def _files_of_the_machine_are_neither_read_nor_written(bed: RunningTestbed, shared: Path) -> None:
    secret = shared.parent / "secret"
    for file in ("/etc/shadow", "/etc/machine-id", str(secret), f"/proc/1/root{secret}", __file__):
        assert run(bed, f"cat {file}").returncode == 1, file
    for folder in ("/root", "/home", "/var/lib", "/run", "/srv", "/opt"):
        assert set(run(bed, f"ls -A {folder}").stdout.split()) <= {".pyenv", "hostedtoolcache"}, folder
    for file in ("/usr/x", f"{shared}/x", f"{shared}/rules.nft", "/etc/alternatives/x"):
        assert "Read-only file system" in run(bed, f"echo x >{file}").stderr
    for file in ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger"):
        assert run(bed, f"echo x >{file}").returncode == 2
    assert run(bed, f"echo x >{secret}; echo x >/tmp/x; mkdir -p /var/lib/x; cat /tmp/x").stdout == "x\n"
    assert secret.read_text() == "a secret\n"
    assert not Path("/var/lib/x").exists()


def _no_capability_and_no_signal_reaches_the_machine(bed: RunningTestbed) -> None:
    for command in ("mount -o remount,rw /usr", "umount /usr", "unshare --mount true", "mknod /tmp/d b 8 0"):
        refused = run(bed, command)
        assert refused.returncode != 0, command
        assert re.search("[Pp]ermi|superuser", refused.stderr), refused.stderr
    with subprocess.Popen(["sleep", "60"]) as stranger:
        assert "o such process" in run(bed, f"kill -9 {stranger.pid}").stderr
        run(bed, "kill -9 -1")
        assert stranger.poll() is None
        stranger.kill()
    assert run(bed, "ls -d /proc/[0-9]*").stdout.split()[0] == "/proc/1"


def _a_program_has_its_network_its_folder_and_that_of_the_suite(bed: RunningTestbed, shared: Path) -> None:
    found = run(bed, f"nft -f {shared}/rules.nft && nft list tables && pwd && sysctl -w net.ipv4.tcp_sack=0")
    assert found.stdout.split("\n")[:3] == ["table ip a", "/tmp", "net.ipv4.tcp_sack = 0"], found.stderr
    assert run(bed, "ip -4 -o address show").stdout.count("198.18.1.2/24") == 1
    assert run(bed, "yes | head -n 1").stderr == ""  # no signal is ignored that is not by default
    absent = bed.host_command("client", ["no-such-program"])
    done = subprocess.run(absent, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (127, "no-such-program: No such file or directory\n")
    device = subprocess.run(bed.device_command(["cat", "/etc/shadow"]), capture_output=True, check=False)
    assert device.returncode == 1


def test_a_program_ends_as_it_would_without_a_sandbox(bed: RunningTestbed) -> None:
    """Its status is its own; it is asked to end with its group, and dies with the process in front of it.

    All programs end with the testbed.
    """
    assert run(bed, "exit 7").returncode == 7
    assert run(bed, "kill -TERM $$").returncode == -signal.SIGTERM
    for number, said in ((signal.SIGTERM, "asked\n"), (signal.SIGKILL, "")):
        words = bed.host_command("client", ["sh", "-c", "trap 'echo asked; exit 3' TERM; echo $PPID; read x"])
        pipe = subprocess.PIPE
        program = subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True, start_new_session=True)
        assert program.stdout
        assert program.stdout.readline() == "0\n"  # its parent is none that it sees
        os.killpg(program.pid, number)
        assert program.stdout.read() == said  # the end of its output is its end
        assert program.wait(60) == (3 if number == signal.SIGTERM else -signal.SIGKILL)
        assert program.stdin
        program.stdin.close()
    _all_processes_of_the_sandbox_end_with_the_testbed(bed)


def _all_processes_of_the_sandbox_end_with_the_testbed(bed: RunningTestbed) -> None:
    words = bed.host_command("client", ["sh", "-c", "setsid sleep 1000 & echo begun; wait"])
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout
        assert program.stdout.readline() == "begun\n"
        assert bed._host is not None
        init = ProcessId.of(int(bed._host._description["sandbox"]))
        assert init is not None
        bed.close()
        assert program.stdout.read() == ""
    assert not init.is_alive()


def test_the_program_of_a_device_is_in_the_sandbox_too() -> None:
    with open_testbed("embedded/long-line"):
        lines = [
            process
            for process in Path("/proc").glob("[0-9]*")
            if b"long_line.py" in (process / "cmdline").read_bytes() and _parent_of(process) == os.getpid()
        ]
        assert lines
        for process in lines:
            assert (process / "ns/mnt").readlink() != Path("/proc/self/ns/mnt").readlink()
            assert not (process / "root" / Path(__file__).relative_to("/")).exists()
            status = (process / "status").read_text()
            assert re.search(r"^NoNewPrivs:\s+1$", status, re.MULTILINE)


def _parent_of(process: Path) -> int:
    """The grandparent: the host process of the testbed stands between."""
    parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
    return int(Path("/proc", parent, "stat").read_text().rpartition(")")[2].split()[1])
