# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The package of Debian in a machine of systemd: its units start, serve a suite, and are confined."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .bare_root import bootstrapped

ROOT = Path(__file__).resolve().parents[2]
TESTBED = """
version: 1
name: veth
tester: {address: "unix:/run/testerd/testerd.sock"}
ports:
  - {name: p1, speed: 1 Gbps}
  - {name: p2, speed: 1 Gbps}
dut: {name: bridge, kind: physical, layer: 2}
"""
SUITE = """
*** Settings ***
Library           TesterLibrary    testbed=/etc/tester/veth.yaml
Suite Setup       Open Tester
Suite Teardown    Close Tester

*** Test Cases ***
No Frame Is Lost
    Create Stream    north    tx=p1    rx=p2    rate=1 kpps    frame_size=128
    Measure Loss    north    duration=1 s
    Verify Loss Below    0
"""
CHECK = """
exec > /root/output 2>&1
set -x
dpkg --install /root/package.deb
ip link add bridge type bridge
for n in 0 1; do
    ip link add enp3s0f$n type veth peer name device$n
    ip link set device$n master bridge
    ip link set device$n up
    ip link set enp3s0f$n up
done
ip link set bridge up
ip link set lo up
systemctl start testerd tester-serve
systemd-analyze security --threshold=20 testerd tester-serve > /dev/null && echo confined
cd /var/lib/tester
setpriv --reuid tester --regid tester --clear-groups env HOME=$PWD /opt/tester/bin/robot /root/first.robot
/opt/tester/bin/python -c 'import urllib.request as u; print("service", u.urlopen("http://127.0.0.1:8650").status)'
systemctl is-active testerd tester-serve
systemctl stop testerd tester-serve
systemctl is-failed testerd tester-serve
journalctl --no-pager --unit testerd --unit tester-serve
dpkg --purge testerlibrary
getent passwd tester || test -e /opt/tester || echo purged
"""
UNIT = """
[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/bin/sh /root/check
ExecStopPost=/bin/systemctl poweroff --no-block
"""


@pytest.fixture(scope="session")
def package() -> Path:
    for tool in ("tools/wheels.py", "tools/debian_package.py"):
        subprocess.run([sys.executable, tool], cwd=ROOT, check=True)
    (package,) = (ROOT / "dist").glob("*.deb")
    return package


@pytest.mark.timeout(1800)  # debootstrap
def test_the_units_of_the_package_serve_a_suite(package: Path, tmp_path: Path) -> None:
    if shutil.which("systemd-nspawn") is None:
        pytest.skip("systemd-nspawn is needed: apt-get install systemd-container")
    packages = ("python3-scapy", "systemd-sysv", "dbus", "iproute2")
    root = bootstrapped("bookworm", tmp_path / "root", *packages)
    shutil.copy(package, root / "root/package.deb")
    lab = "version: 1\nfolder: /var/lib/tester\nplaces: {veth: {testbed: veth.yaml}}\n"
    files = {"veth.yaml": TESTBED, "lab.yaml": lab, "policy": "rate * 1000000000 bps\n"}
    (root / "etc/tester").mkdir()
    for name, text in files.items():
        (root / "etc/tester" / name).write_text(text)
    (root / "root").chmod(0o755)
    (root / "root/first.robot").write_text(SUITE)
    (root / "root/check").write_text(CHECK)
    (root / "etc/systemd/system/check.service").write_text(UNIT)
    wanted = root / "etc/systemd/system/default.target.wants"
    wanted.mkdir()
    (wanted / "check.service").symlink_to("../check.service")
    confinement = ["--private-network", "--capability=all", "--bind-ro=/sys/module"]
    command = ["systemd-nspawn", "--quiet", f"--directory={root}", "--boot", *confinement]
    subprocess.run(
        [*command, "--register=no", "--keep-unit"], stdin=subprocess.DEVNULL, timeout=600, check=True
    )
    output = (root / "root/output").read_text()
    assert "1 test, 1 passed, 0 failed" in output, output
    assert "\nservice 200\n" in output, output
    assert len(re.findall("^active$", output, re.MULTILINE)) == 2, output
    assert len(re.findall("^inactive$", output, re.MULTILINE)) == 2, output
    assert {"confined", "purged"} <= set(output.splitlines()), output
    assert "Traceback" not in output
