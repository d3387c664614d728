# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The service that had a run made, as its environment variables say; nothing for a person at a machine."""

from __future__ import annotations

import os
from collections.abc import Mapping

# By the variable that tells the service: its name for Allure, and the variables of its build.
_SERVICES = {
    "GITLAB_CI": ("gitlab", "CI_JOB_NAME", "CI_PIPELINE_ID", "CI_JOB_URL"),
    "GITHUB_ACTIONS": ("github", "GITHUB_WORKFLOW", "GITHUB_RUN_NUMBER", ""),
    "JENKINS_URL": ("jenkins", "JOB_NAME", "BUILD_NUMBER", "BUILD_URL"),
}


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
