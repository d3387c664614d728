# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The wheels in a distribution without a compiler: installed, and the README's kind of suite run."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "dist"
MIRRORS = {
    "bookworm": os.environ.get("TESTER_DEBIAN_MIRROR", "http://deb.debian.org/debian"),
    "noble": os.environ.get("TESTER_UBUNTU_MIRROR", "http://archive.ubuntu.com/ubuntu"),
}
MOST_MEGABYTES = 60
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


@pytest.fixture(params=MIRRORS)
def bare(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The root of a distribution with Python and nothing that compiles."""
    release, folder = request.param, tmp_path / "root"
    if os.geteuid() or shutil.which("debootstrap") is None:
        pytest.skip("debootstrap and root are needed")
    packages = "python3,python3-venv,ca-certificates"
    made = subprocess.run(
        ["debootstrap", "--variant=minbase", f"--include={packages}", release, str(folder), MIRRORS[release]],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        pytest.skip(f"{release} cannot be had from {MIRRORS[release]}: {made.stdout.strip()[-200:]}")
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


def test_a_bare_distribution_runs_a_suite_without_a_compiler(bare: Path, wheels: list[Path]) -> None:
    assert sum(path.stat().st_size for path in wheels) < MOST_MEGABYTES * 10**6
    shutil.copytree(DIST, bare / "dist")
    (bare / "root/first.robot").write_text(SUITE)
    assert "absent" in in_root(bare, "command -v gcc || echo absent")
    in_root(bare, "python3 -m venv /root/v")
    started = time.monotonic()
    in_root(
        bare,
        "/root/v/bin/pip install --quiet --find-links /dist 'robotframework-testerlibrary[engine,report]'",
    )
    installed = time.monotonic()
    robot = "cd /root && /root/v/bin/robot --outputdir out --variable DEVICE:{} first.robot"
    assert "1 test, 1 passed, 0 failed" in in_root(bare, robot.format("l2-bridge"))
    print(f"installed in {installed - started:.0f} s, run in {time.monotonic() - installed:.0f} s")
    assert "packages installed" in in_root(bare, "/root/v/bin/tester setup")
    assert "1 test, 1 passed, 0 failed" in in_root(bare, robot.format("l2-switch"))
    info = in_root(bare, "/root/v/bin/tester info")
    assert "testerlibrary_engine/testerd" in info


def test_the_engine_says_whose_code_is_in_it(wheels: list[Path], tmp_path: Path) -> None:
    (engine,) = (path for path in wheels if "engine" in path.name)
    shutil.unpack_archive(engine, tmp_path, "zip")
    (info,) = tmp_path.glob("*.dist-info")
    licences = (info / "licenses/THIRD_PARTY").read_text()
    for package in ("libdpdk-dev", "libgrpc-dev", "libprotobuf-dev", "libbpf-dev", "libxdp-dev", "libpcap"):
        assert package in licences
    assert '"bomFormat": "CycloneDX"' in (info / "sboms/testerd.cdx.json").read_text()
