# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A guest's QEMU sees few files of this machine and has no right on it. A script stands in for QEMU."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.testbeds.guest.test_machine import GUEST

NOBODY = "65534"
# Makes the sandbox and an interface, as a testbed does, and runs a command in the guest.
HOST = """
import json, subprocess, sys
from pathlib import Path
from TesterLibrary.testbeds.guest import run
from TesterLibrary.testbeds.python_process import python_command
from TesterLibrary.testbeds.sandbox import Sandbox, python
sandbox = Sandbox()
script = sandbox.scratch() / "qemu.py"
script.write_text(Path(sys.argv[1]).read_text())
subprocess.run(["ip", "tuntap", "add", "tap0", "mode", "tap"], check=True)
subprocess.run(["ip", "link", "set", "tap0", "up"], check=True)
qemu = [*sandbox.prefix(), python(), "-I", str(script)]
command = python_command("TesterLibrary.testbeds.guest.machine", json.dumps(qemu), "tap0")
machine = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
assert machine.stdout.readline() == "ready\\n"
for words in sys.argv[2:]:
    subprocess.run([sys.executable, "-I", run.__file__, "sh", "-c", words], stderr=subprocess.STDOUT)
    print("end", flush=True)
subprocess.run(["ip", "-s", "-j", "link", "show", "tap0"])
sandbox.close()
"""
SEND = """
import re, sys, os
fd = int(re.search(r"tap,id=net,fd=(\\d+)", " ".join(sys.argv))[1])
os.write(fd, bytes.fromhex("ffffffffffff02000000020088b5") + bytes(46))
"""


@pytest.mark.skipif(not Path("/dev/net/tun").exists(), reason="there is no /dev/net/tun")
@pytest.mark.parametrize("user", [(), ("--user", "--map-root-user")], ids=["root", "user namespace"])
def test_a_guest_has_its_interface_and_nothing_of_the_machine(tmp_path: Path, user: tuple[str, ...]) -> None:
    secret = tmp_path / "secret"
    secret.write_text("a secret\n")
    stand_in = tmp_path / "qemu.py"
    stand_in.write_text(SEND + GUEST)
    commands = [
        "id -u; grep CapEff /proc/self/status",
        f"cat {secret}; cat /etc/shadow; ls -A /home /root; echo x >/usr/x",
        "ip link set lo down || echo refused",
    ]
    unshare = ["unshare", *user, "--net", "--mount", sys.executable, "-c", HOST, str(stand_in), *commands]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(unshare, capture_output=True, text=True, timeout=120, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    rights, files, network, counters = done.stdout.split("end\n")
    if not user:
        assert rights.split() == [NOBODY, "CapEff:", "0" * 16]
        assert "refused" in network
    assert "a secret" not in files
    assert files.count("No such file or directory") == 2
    assert "Read-only file system" in files or "Permission denied" in files
    assert '"rx":{"bytes":60,"packets":1' in counters
