# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The wheels in a distribution without a compiler: installed, and the README's kind of suite run."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .bare_root import RELEASES, bootstrapped

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "dist"
MOST_MEGABYTES = 60
INSTALL = """
python3 -m venv /root/v
pip="/root/v/bin/pip --quiet --disable-pip-version-check"
$pip download --dest /root/downloads --find-links /dist 'robotframework-testerlibrary[engine]'
$pip install --no-index --find-links /root/downloads 'robotframework-testerlibrary[engine]'
"""
SUITE = """
*** Settings ***
Library           TesterLibrary    testbed=embedded/${DEVICE}
Suite Setup       Open Tester
Suite Teardown    Close Tester

*** Test Cases ***
No Frame Is Lost
    Create Stream    north    tx=p1    rx=p2    rate=1 kpps    frame_size=128
    Measure Loss    north    duration=1 s
    Verify Loss Below    0
"""


@pytest.fixture(scope="session")
def wheels() -> list[Path]:
    subprocess.run([sys.executable, "tools/wheels.py"], cwd=ROOT, check=True)
    return sorted(DIST.glob("*.whl"))


@pytest.fixture(params=RELEASES)
def bare(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The root of a distribution with Python and nothing that compiles."""
    folder = bootstrapped(request.param, tmp_path / "root", "python3-venv")
    shutil.copy("/etc/resolv.conf", folder / "etc")
    shutil.copy("/etc/ssl/certs/ca-certificates.crt", folder / "etc/ssl/certs")
    return folder


def in_root(folder: Path, script: str) -> str:
    """Runs a script in a root, with mounts that end with it, and returns its output."""
    mounts = (
        f"mount --bind {folder} {folder}; mount --rbind /dev {folder}/dev; "
        f"mount -t proc p {folder}/proc; mount -t sysfs s {folder}/sys"
    )
    run = f'{mounts}; exec chroot {folder} sh -ec "$0"'
    command = ["unshare", "--mount", "--pid", "--fork", "sh", "-ec", run]
    done = subprocess.run([*command, script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.mark.usefixtures("wheels")
@pytest.mark.timeout(3600)  # debootstrap, and all that pip downloads
def test_a_bare_distribution_runs_a_suite_without_a_compiler(bare: Path) -> None:
    shutil.copytree(DIST, bare / "dist")
    (bare / "root/first.robot").write_text(SUITE)
    assert "absent" in in_root(bare, "command -v gcc || echo absent")
    started = time.monotonic()
    in_root(bare, INSTALL)
    installed = time.monotonic()
    robot = "cd /root && /root/v/bin/robot --outputdir out --variable DEVICE:{} first.robot"
    assert "1 test, 1 passed, 0 failed" in in_root(bare, robot.format("l2-bridge"))
    run = time.monotonic()
    megabytes = sum(path.stat().st_size for path in (bare / "root/downloads").iterdir()) / 10**6
    print(
        f"first suite after {run - started:.0f} s: {installed - started:.0f} s to install "
        f"{megabytes:.1f} MB of packages, {run - installed:.0f} s to run it"
    )
    assert megabytes < MOST_MEGABYTES
    assert "packages installed" in in_root(bare, "/root/v/bin/tester setup --group lab")
    assert "1 test, 1 passed, 0 failed" in in_root(bare, robot.format("l2-switch"))
    engine = "/root/v/lib/python3*/site-packages/testerlibrary_engine/testerd"
    info = in_root(bare, "/root/v/bin/tester info")
    assert "testerlibrary_engine/testerd" in info
    assert "cap_net_raw" in in_root(bare, f"/sbin/getcap {engine}; getent group lab")
    undone = in_root(bare, "/root/v/bin/tester setup --undo")
    assert "packages removed" in undone
    assert "none" in in_root(bare, "command -v haproxy || getent group lab || echo none")
    assert "nothing to undo" in in_root(bare, "/root/v/bin/tester setup --undo")


def test_the_engine_says_whose_code_is_in_it(wheels: list[Path], tmp_path: Path) -> None:
    (engine,) = (path for path in wheels if "engine" in path.name)
    shutil.unpack_archive(engine, tmp_path, "zip")
    (info,) = tmp_path.glob("*.dist-info")
    licences = (info / "licenses/THIRD_PARTY").read_text()
    for package in ("libdpdk-dev", "libgrpc-dev", "libprotobuf-dev", "libbpf-dev", "libxdp-dev", "libpcap"):
        assert package in licences
    assert '"bomFormat": "CycloneDX"' in (info / "sboms/testerd.cdx.json").read_text()
