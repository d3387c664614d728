# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A place of `tester serve` that a person has leased: the only way of an assistant to real ports."""

from __future__ import annotations

import json
from dataclasses import dataclass
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

from ..errors import TesterLibraryError

_TIMEOUT_S = 60.0
_MOST_WAIT_S = 50.0  # of one request


@dataclass(frozen=True)
class LeasedPlace:
    """The service, the lease, and the token of the person who holds it."""

    service: str  # such as https://lab.example:8443
    lease: str
    token: str

    def submit(self, job: str) -> str:
        """Hands in a job file or campaign, and returns the name of its run."""
        answer = self._ask("POST", f"/v1/leases/{quote(self.lease, safe='')}/jobs", job.encode())
        return str(answer["id"])

    def state(self, job: str, wait_s: float) -> dict[str, object]:
        """The state, outcome and message of a job."""
        wait = min(max(wait_s, 0.0), _MOST_WAIT_S)
        return self._ask("GET", f"/v1/jobs/{quote(job, safe='')}?wait={wait:g}")

    def cancel(self, job: str) -> None:
        """Ends a job."""
        self._ask("DELETE", f"/v1/jobs/{quote(job, safe='')}")

    def _ask(self, method: str, path: str, content: bytes | None = None) -> dict[str, object]:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/yaml"}
        try:
            with urlopen(
                Request(self.service.rstrip("/") + path, content, headers, method=method), timeout=_TIMEOUT_S
            ) as answer:
                result: dict[str, object] = json.loads(answer.read())
                return result
        except HTTPError as problem:
            reason = problem.read(10_000).decode(errors="replace")
            raise TesterLibraryError(
                f"{self.service} refuses {method} {path}: {problem.code} {reason}"
            ) from None
        except (URLError, OSError, ValueError) as problem:
            raise TesterLibraryError(
                f"{self.service} gives no answer to {method} {path}: {problem}"
            ) from None
