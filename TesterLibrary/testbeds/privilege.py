# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether this process may make network namespaces, and what is missing if it may not."""

from __future__ import annotations

from pathlib import Path

_CAP_NET_ADMIN, _CAP_SYS_ADMIN = 12, 21  # linux/capability.h

# The switches that forbid user namespaces: where, the value that forbids, how to allow it. The second is
# Debian's and Ubuntu's own; the last is AppArmor's, on by default since Ubuntu 23.10.
_SWITCHES = (
    ("user/max_user_namespaces", "0", "sysctl -w user.max_user_namespaces=10000"),
    ("kernel/unprivileged_userns_clone", "0", "sysctl -w kernel.unprivileged_userns_clone=1"),
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    ),
)


def is_privileged(status: Path = Path("/proc/self/status")) -> bool:
    """Whether this process has the capabilities that network namespaces need; root in a container may not."""
    for line in status.read_text().splitlines():
        if line.startswith("CapEff:"):
            effective = int(line.split()[1], 16)
            return all(effective >> capability & 1 for capability in (_CAP_NET_ADMIN, _CAP_SYS_ADMIN))
    return False


def missing_for_user_namespace(sysctls: Path = Path("/proc/sys")) -> str:
    """The setting that forbids user namespaces to others than root, and the remedy; empty if none does."""
    for name, forbids, remedy in _SWITCHES:
        path = sysctls / name
        if path.exists() and path.read_text().strip() == forbids:
            return f"{name.replace('/', '.')} = {forbids} forbids them; allow them: sudo {remedy}"
    return ""
