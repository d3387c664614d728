# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The machine that measured and the software on it, for the report."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from datetime import datetime, timezone
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

# By the variable that tells the service: its name for Allure, and the variables of its build.
_SERVICES = {
    "GITLAB_CI": ("gitlab", "CI_JOB_NAME", "CI_PIPELINE_ID", "CI_JOB_URL"),
    "GITHUB_ACTIONS": ("github", "GITHUB_WORKFLOW", "GITHUB_RUN_NUMBER", ""),
    "JENKINS_URL": ("jenkins", "JOB_NAME", "BUILD_NUMBER", "BUILD_URL"),
}

_PACKAGES = ("robotframework-testerlibrary", "robotframework")


@cache
def versions() -> dict[str, str]:
    """Versions of what took part on this side of the tester."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # run from a source tree
            continue
    return found


def describe_machine() -> dict[str, str | int]:
    """Facts that a reader of the report needs to judge the numbers. No host name, no address, no path."""
    return {
        "system": _first("/etc/os-release", "PRETTY_NAME=") or platform.system(),
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "processor": _first("/proc/cpuinfo", "model name") or platform.processor() or "unknown",
        "processors": os.cpu_count() or 0,
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
    }


def _first(file: str, start: str) -> str:
    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    for line in lines:
        if line.startswith(start):
            return line.removeprefix(start).strip(' \t:="')
    return ""


def executor(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Type, name, build and address, as far as they are known; empty where no service is."""
    for variable, (kind, name, build, address) in _SERVICES.items():
        if environment.get(variable):
            found = {
                "type": kind,
                "name": environment.get(name, ""),
                "build": environment.get(build, ""),
                "url": environment.get(address, "") if address else _of_github(environment),
            }
            return {key: value for key, value in found.items() if value}
    return {}


def _of_github(environment: Mapping[str, str]) -> str:
    parts = [environment.get(f"GITHUB_{name}", "") for name in ("SERVER_URL", "REPOSITORY", "RUN_ID")]
    return "{}/{}/actions/runs/{}".format(*parts) if all(parts) else ""


def wall_clock() -> str:
    """The time of day in UTC, to the millisecond (ISO 8601); for people, not for measurement."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")
