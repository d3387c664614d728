# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Roots of distributions, as their installers make them."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

RELEASES = {"bookworm": "TESTER_DEBIAN_MIRROR", "noble": "TESTER_UBUNTU_MIRROR"}
_SCRIPTS = Path("/usr/share/debootstrap/scripts")


def _mirror_of(release: str) -> str:
    """The mirror of a release that a variable names, or that apt of this machine uses; empty: neither."""
    targets = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(RELEASE) $(REPO_URI)", "Created-By: Packages"],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    mirrors = dict(line.split() for line in targets.splitlines() if len(line.split()) == 2)
    return os.environ.get(RELEASES[release]) or mirrors.get(release, "")


def bootstrapped(release: str, folder: Path, *packages: str) -> Path:
    """A root with Python and these packages. The test is skipped where it cannot be made."""
    if os.geteuid() or shutil.which("debootstrap") is None:
        pytest.skip("debootstrap and root are needed")
    mirror = _mirror_of(release)
    if not mirror:
        pytest.skip(f"apt of this machine has no mirror of {release}; {RELEASES[release]}=URL names one")
    names = ",".join(("python3", "ca-certificates", *packages))
    made = subprocess.run(
        ["debootstrap", "--variant=minbase", f"--include={names}", release, str(folder), mirror]
        + (
            [] if (_SCRIPTS / release).exists() else [str(_SCRIPTS / "gutsy")]
        ),  # that of all releases of Ubuntu
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        pytest.skip(f"{release} cannot be had from {mirror}: {made.stdout.strip()[-200:]}")
    return folder
