# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Engines that do not start: programs of a few lines in place of the real one (see tests/contract)."""

from __future__ import annotations

import os
import socket
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from TesterLibrary.errors import TargetError, TestbedError
from TesterLibrary.files import paths
from TesterLibrary.model.units.units import Duration
from TesterLibrary.targets.engine.process import EngineProcess, accepts
from TesterLibrary.targets.engine.program import find_program

PORTS = {"p1": "loop:x"}


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder for runtime directories; its path is short, because the path of a socket has to be."""
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


def program(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_one_that_ends_early_is_quoted(
    tmp_path: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = """echo '{"time":"now","level":"error","event":"port","reason":"eth9 is not there"}'
echo 'EAL: plain words' >&2; exit 3"""
    monkeypatch.setenv("TESTERD", str(program(tmp_path / "testerd", script)))
    with pytest.raises(TargetError) as error:
        EngineProcess.launch(ports=PORTS)
    assert error.value.reason == (
        "testerd did not start: testerd ended with status 3; "
        "its last words: port eth9 is not there | EAL: plain words"
    )
    assert list(runtime.iterdir()) == []


@pytest.mark.usefixtures("runtime")
def test_who_is_not_root_is_told_what_interfaces_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESTERD", str(program(tmp_path / "testerd", "exit 1")))
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(TargetError, match=r"did not start as user 1000; network inter"):
        EngineProcess.launch(ports={"p1": "iface:eth9"})
    with pytest.raises(TargetError, match="testerd did not start: "):
        EngineProcess.launch(ports={"p1": "loop:x"})


def test_one_that_refuses_its_ports_is_the_testbeds_mistake(
    tmp_path: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = """echo '{"level":"error","reason":"no interface eth9; there are lo"}'; exit 2"""
    monkeypatch.setenv("TESTERD", str(program(tmp_path / "testerd", script)))
    with pytest.raises(TestbedError, match="status 2; its last words: no interface eth9; there are lo"):
        EngineProcess.launch(ports=PORTS)
    assert list(runtime.iterdir()) == []


@pytest.mark.usefixtures("runtime")
def test_an_interface_that_another_run_has_is_no_mistake_of_the_testbed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is known of the device, and the message says who has it: here this process."""
    words = 'interface \\"busy9\\" belongs to another testerd that runs'
    script = f"""echo '{{"level":"error","reason":"{words}"}}'; exit 2"""
    monkeypatch.setenv("TESTERD", str(program(tmp_path / "testerd", script)))
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as claim:
        claim.bind("\0testerd/busy9")
        with pytest.raises(TargetError) as error:
            EngineProcess.launch(ports={"p1": "iface:busy9"})
    assert error.value.reason.startswith(
        f"interface 'busy9' is used by testerd, process {os.getpid()}, which process {os.getppid()} ("
    )
    assert error.value.reason.endswith(
        "has started: wait until that run is over, end it, or give the testbed other interfaces"
    )
    with pytest.raises(
        TargetError, match="belongs to another testerd that runs; wait until that run is over"
    ):
        EngineProcess.launch(ports={"p1": "iface:busy9"})


def test_one_that_is_killed_says_by_what(
    tmp_path: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESTERD", str(program(tmp_path / "testerd", "kill -9 $$")))
    with pytest.raises(TargetError, match="testerd was killed by SIGKILL; it said nothing"):
        EngineProcess.launch(ports=PORTS)
    assert list(runtime.iterdir()) == []


def test_one_that_is_never_ready_is_ended(
    tmp_path: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(
        "TESTERD", str(program(tmp_path / "testerd", f"echo $$ > {tmp_path}/pid; exec sleep 60"))
    )
    with pytest.raises(TargetError, match="testerd was not ready within 300 ms"):
        EngineProcess.launch(ports=PORTS, ready_within=Duration(300_000_000))
    assert list(runtime.iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_it_is_told_everything_in_a_directory_of_its_own(
    tmp_path: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = f'echo "$@" > {tmp_path}/told; stat -c %a {runtime}/* >> {tmp_path}/told; exit 1'
    monkeypatch.setenv("TESTERD", str(program(tmp_path / "testerd", script)))
    with pytest.raises(TargetError):
        EngineProcess.launch(
            ports={"p1": "iface:a", "p2": "iface:b"},
            cpus=(1, 3),
            queues=2,
            memory_mib=256,
            huge_pages=True,
            forced_interfaces=["a"],
            command_prefix=["env", "X=1"],
        )
    told, mode = (tmp_path / "told").read_text().splitlines()
    words = told.split()
    assert words[0] == "--listen"
    assert words[1].startswith(f"unix:{runtime}/testerd-")
    assert " ".join(words[2:]) == (
        "--port p1=iface:a --port p2=iface:b --cpu 1,3 --queues 2 --memory 256 --hugepages "
        "--force-interface a --log json --exit-with-parent"
    )
    assert mode == "700"


def test_a_prefix_that_is_not_there_is_named(
    tmp_path: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESTERD", str(program(tmp_path / "testerd", "exit 0")))
    with pytest.raises(TargetError, match="cannot start no-such-program: No such file"):
        EngineProcess.launch(ports=PORTS, command_prefix=["no-such-program"])
    assert list(runtime.iterdir()) == []


def test_a_long_temporary_directory_does_not_break_the_socket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("d" * 100)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    monkeypatch.setenv("TESTERD", str(program(tmp_path / "testerd", f'echo "$2" > {tmp_path}/told; exit 1')))
    with pytest.raises(TargetError):
        EngineProcess.launch(ports=PORTS)
    socket = (tmp_path / "told").read_text().strip().removeprefix("unix:")
    assert len(socket) <= 107
    assert not Path(socket).parent.exists()
    assert list(deep.iterdir()) == []


def test_the_variable_wins_and_must_name_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = program(tmp_path / "mine", "")
    monkeypatch.setenv("TESTERD", str(path))
    assert find_program() == path
    path.chmod(stat.S_IRUSR)
    if os.geteuid() != 0:
        with pytest.raises(TargetError, match="is no program"):
            find_program()
    monkeypatch.setenv("TESTERD", str(tmp_path))
    with pytest.raises(TargetError, match=f"TESTERD={tmp_path} is no program"):
        find_program()
    monkeypatch.setenv("TESTERD", str(tmp_path / "nothing"))
    with pytest.raises(TargetError, match="set it to the path of testerd or unset it"):
        find_program()


def test_then_the_installed_one_then_a_build_then_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TESTERD", raising=False)
    monkeypatch.setattr(paths, "PACKAGE", tmp_path / "TesterLibrary")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(TargetError, match=r"testerd, the packet engine, is not installed.*pip install"):
        find_program()
    for folder in ("bin", "engine/build", "TesterLibrary/_engine"):
        (tmp_path / folder).mkdir(parents=True)
        expected = program(tmp_path / folder / "testerd", "")
        assert find_program() == expected


def test_a_socket_is_ready_once_it_is_listened_at(runtime: Path) -> None:
    address = runtime / "testerd.sock"
    assert not accepts(address)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(address))
        assert not accepts(address)
        listener.listen()
        assert accepts(address)
    assert not accepts(address)
