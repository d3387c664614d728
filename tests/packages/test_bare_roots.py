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
SCRIPTS = Path("/usr/share/debootstrap/scripts")
RELEASES = {"bookworm": "TESTER_DEBIAN_MIRROR", "noble": "TESTER_UBUNTU_MIRROR"}
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


def mirror_of(release: str) -> str:
    """The mirror of a release that a variable names, or that apt of this machine uses; empty: neither."""
    targets = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(RELEASE) $(REPO_URI)", "Created-By: Packages"],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    mirrors = dict(line.split() for line in targets.splitlines() if len(line.split()) == 2)
    return os.environ.get(RELEASES[release]) or mirrors.get(release, "")


@pytest.fixture(params=RELEASES)
def bare(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The root of a distribution with Python and nothing that compiles."""
    release, folder = request.param, tmp_path / "root"
    if os.geteuid() or shutil.which("debootstrap") is None:
        pytest.skip("debootstrap and root are needed")
    mirror = mirror_of(release)
    if not mirror:
        pytest.skip(f"apt of this machine has no mirror of {release}; {RELEASES[release]}=URL names one")
    packages = "python3,python3-venv,ca-certificates"
    script = SCRIPTS / release
    made = subprocess.run(
        ["debootstrap", "--variant=minbase", f"--include={packages}", release, str(folder), mirror]
        + ([] if script.exists() else [str(SCRIPTS / "gutsy")]),  # that of all releases of Ubuntu
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        pytest.skip(f"{release} cannot be had from {mirror}: {made.stdout.strip()[-200:]}")
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
