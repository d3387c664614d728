# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Users of the service, and how their tokens are known: by a digest alone, so that no file has a token."""

from __future__ import annotations

import hashlib
import secrets
import time
from dataclasses import dataclass
from enum import Enum


class Role(Enum):
    """The roles of users; each may do what those before it may."""

    READER = "reader"  # looks at places, leases, jobs and their reports
    USER = "user"  # leases testers and runs jobs
    ADMIN = "admin"  # takes leases over, takes places out of use, reads the audit

    def may(self, role: Role) -> bool:
        """Whether it includes a role."""
        order = list(Role)
        return order.index(self) >= order.index(role)


@dataclass(frozen=True)
class User:
    """A user, as a token or a certificate says."""

    name: str
    role: Role
    expires_s: float | None = None  # since 1970; None: never

    @property
    def is_over(self) -> bool:
        """Whether the time of the token has come."""
        return self.expires_s is not None and time.clock_gettime(time.CLOCK_REALTIME) > self.expires_s


def new_token() -> str:
    """A token that nobody can guess."""
    return f"tester-{secrets.token_urlsafe(32)}"


def digest_of(token: str) -> str:
    """The digest by which a token is known. Tokens have 256 random bits, so no salt is needed."""
    return hashlib.sha256(token.encode()).hexdigest()
