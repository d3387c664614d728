# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A serving engine can do little to its machine, and nothing to interfaces that others use."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from TesterLibrary.targets.engine.client import EngineTarget
from TesterLibrary.targets.engine.program import find_program

from .rig import Rig
from .started import started

pytestmark = pytest.mark.usefixtures("engine")

_KEPT = 1 << 12 | 1 << 23 | 1 << 39  # CAP_NET_ADMIN, CAP_SYS_NICE, CAP_BPF


def threads_of(pid: int) -> list[dict[str, str]]:
    """The status of each thread, as the kernel has it."""
    texts = (file.read_text() for file in Path(f"/proc/{pid}/task").glob("*/status"))
    return [dict(re.findall(r"^(\w+):\t(.*)$", text, re.MULTILINE)) for text in texts]


def in_namespace(commands: str, *ports: str, options: str = "") -> subprocess.CompletedProcess[str]:
    """Runs commands, then an engine for two seconds, in a network namespace that goes with it."""
    testerd = f"{find_program()} --listen unix:$D/socket {' '.join(ports)} {options}"
    script = f"""
        set -e; D=$(mktemp -d); chmod 755 $D; trap 'rm -r $D' EXIT
        {commands}
        {testerd} 2>$D/log & P=$!
        for i in $(seq 100); do
            grep -q ready $D/log && break; kill -0 $P 2>/dev/null || break; sleep 0.1
        done
        kill $P 2>/dev/null || true; wait $P || S=$?
        cat $D/log >&2; ip -d link show; exit ${{S:-0}}
    """
    command = ["unshare", "--net", "sh", "-c", script]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_all_threads_become_the_user_and_keep_little(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    address = f"unix:{tmp_path}/socket"
    with (
        started(tmp_path / "log", address, "--user", "nobody") as engine,
        closing(EngineTarget.connect(address)) as target,
    ):
        rig = Rig(target)
        rig.load(rig.plan("north"))
        assert rig.run(["north"], packets=100).streams[0].rx_packets == 100
        threads = threads_of(engine.pid)
        assert len(threads) > 3
        for thread in threads:
            assert set(thread["Uid"].split()) == set(thread["Gid"].split()) == {"65534"}
            assert {int(thread[key], 16) for key in ("CapEff", "CapPrm")} == {_KEPT}
            assert (thread["CapInh"], thread["NoNewPrivs"], thread["Seccomp"]) == ("0" * 16, "1", "2")
        engine.send_signal(signal.SIGTERM)
        assert engine.wait(20) == 0


def test_an_engine_ends_with_its_parent_as_another_user_too(tmp_path: Path) -> None:
    """The kernel forgets the wish when a process becomes another user."""
    tmp_path.chmod(0o755)
    log = tmp_path / "log"
    options = f"--listen unix:{tmp_path}/socket --port p1=loop:x --exit-with-parent --user nobody"
    script = f"{find_program()} {options} 2>{log} & while ! grep -q ready {log}; do sleep 0.1; done; echo $!"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=60, check=True)
    deadline = time.monotonic() + 10
    while Path(f"/proc/{int(done.stdout)}").exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert '"stopped"' in log.read_text() or "stopped" in log.read_text()


def test_every_thread_is_filtered_without_a_user_too(tmp_path: Path) -> None:
    with started(tmp_path / "log", f"unix:{tmp_path}/socket") as engine:
        assert {thread["Seccomp"] for thread in threads_of(engine.pid)} == {"2"}


@pytest.mark.parametrize(
    ("user", "said"),
    [("no-such-user", "there is no such user"), ("root", "is root")],
)
def test_a_user_that_cannot_be_is_refused(tmp_path: Path, user: str, said: str) -> None:
    command = [str(find_program()), "--listen", f"unix:{tmp_path}/s", "--port", "p1=loop:x", "--user", user]
    refused = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert refused.returncode == 2
    assert f'--user "{user}"' in refused.stderr
    assert said in refused.stderr


VETH = "ip link add va type veth peer name vb; ip link set va up; ip link set vb up;"


@pytest.mark.skipif(os.geteuid() != 0, reason="makes interfaces")
@pytest.mark.parametrize("driver", ["af_xdp", "af_packet"])
def test_interfaces_are_put_back_by_who_is_no_longer_root(driver: str) -> None:
    done = in_namespace(VETH, f"--port p1={driver}:va --port p2={driver}:vb", options="--user nobody")
    assert done.returncode == 0, done.stderr
    assert "traffic stopped" in done.stderr
    assert "xdp" not in done.stdout
    assert "PROMISC" not in done.stdout
    assert "testerd." not in done.stdout, "the other name that remembers what it was"


@pytest.mark.skipif(os.geteuid() != 0, reason="makes interfaces")
@pytest.mark.parametrize(
    ("commands", "used"),
    [
        ("ip address add 192.0.2.1/24 dev va", "address 192.0.2.1"),
        ("ip route add default dev va", "IPv4 default route"),
        (
            "ip link add br0 type bridge; ip link set va master br0; ip address add 192.0.2.1/24 dev br0",
            "address 192.0.2.1 of br0",
        ),
        (
            "ip link add br0 type bridge; ip link set va master br0; ip link set br0 up;"
            "ip route add default dev br0",
            "IPv4 default route of br0",
        ),
    ],
)
def test_an_interface_that_manages_the_machine_is_refused_by_name(commands: str, used: str) -> None:
    refused = in_namespace(f"{VETH} {commands}", "--port p1=af_packet:va")
    assert refused.returncode == 2
    said = f'interface "va" is in use ({used}), and a tester would cut it off; take another one'
    assert said in refused.stderr
    taken = in_namespace(f"{VETH} {commands}", "--port p1=af_packet:va", options="--force-interface va")
    assert taken.returncode == 0, taken.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="makes interfaces")
def test_a_device_of_dpdk_is_no_way_around_it() -> None:
    commands = f"{VETH} ip address add 192.0.2.1/24 dev va"
    refused = in_namespace(commands, "--port p1=vdev:net_pcap0,iface=va")
    assert refused.returncode == 2
    assert 'interface "va" is in use (address 192.0.2.1)' in refused.stderr
    refused = in_namespace(VETH, "--port p1=vdev:net_af_packet0,iface=va")
    assert refused.returncode == 2
    assert "port p1: vdev:net_af_packet0,iface=va: give af_packet:va, which also puts" in refused.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="makes interfaces")
def test_the_address_of_its_other_end_is_no_reason() -> None:
    done = in_namespace(f"{VETH} ip address add 192.0.2.1/24 dev vb", "--port p1=af_packet:va")
    assert done.returncode == 0, done.stderr
