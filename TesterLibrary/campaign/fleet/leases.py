# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Leases of a service (`tester serve`) for the testers of a campaign: one for each cell, when it is due.

Others who wait for the tester have it between two cells. If this process dies, a lease ends by itself.
"""

from __future__ import annotations

import json
import os
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from http.client import HTTPException
from typing import Any
from urllib.parse import quote

from ...errors import TesterLibraryError
from ...reporting.export.redirects import NoRedirects
from .fleet import FleetTester
from .fleet_file import LeaseEntry

TOKEN = "TESTER_TOKEN"  # of the environment: the user's, for the service
_TTL_S = 60
_WAIT_S = 5  # of one request that waits
_ANSWER_S = 20.0
_PAUSE_S = 2.0  # before a service that is not reached is asked again
_PATIENCE_S = 60.0  # with a service that is not reached


class _Refused(Exception):
    """The service has said no."""


class _Unreached(Exception):
    """The service does not answer."""


class Leases:
    """The leases of a campaign. Nothing in here waits for a service: each tester has a thread for that."""

    def __init__(self, testers: Iterable[FleetTester]) -> None:
        """Looks whether the services have the places.

        Raises:
            TesterLibraryError: a service is not reached, or has no such place.
        """
        self._kept = {tester.name: _Kept(tester.name, tester.lease) for tester in testers if tester.lease}
        for kept in self._kept.values():
            kept.check()
        for kept in self._kept.values():
            kept.thread.start()

    def __contains__(self, tester: str) -> bool:
        return tester in self._kept

    def want(self, testers: Collection[str]) -> None:
        """Asks for the leases of these testers, and takes back wishes for others."""
        for name, kept in self._kept.items():
            if not kept.in_use:
                kept.wish(name in testers)

    def here(self) -> set[str]:
        """The testers whose lease is acquired, and not in use."""
        return {name for name, kept in self._kept.items() if kept.acquired and not kept.in_use}

    def use(self, tester: str) -> dict[str, str]:
        """The environment of a process that uses a tester, whose lease is acquired."""
        from ...targets.engine.leases import VARIABLE  # and gRPC, which takes long

        kept = self._kept[tester]
        kept.in_use, kept.used = True, kept.lease
        return {VARIABLE: kept.tester} if kept.tester else {}

    def give_back(self, tester: str) -> None:
        """Releases a lease after its use."""
        if kept := self._kept.get(tester):
            kept.in_use = False
            kept.wish(False)

    def lost(self) -> dict[str, str]:
        """The testers whose lease ended in its use, with the reason."""
        return {name: kept.lost for name, kept in self._kept.items() if kept.in_use and kept.lost}

    def unusable(self) -> dict[str, str]:
        """The testers that the service will not give, with the reason."""
        return {name: kept.refusal for name, kept in self._kept.items() if kept.refusal}

    def close(self) -> None:
        """Releases all leases."""
        for kept in self._kept.values():
            kept.closed = True
            kept.wish(False)
        for kept in self._kept.values():
            if kept.thread.is_alive():
                kept.thread.join(_ANSWER_S)


class _Kept:
    """The lease of one tester, with the thread that asks for it, keeps it and releases it."""

    def __init__(self, name: str, entry: LeaseEntry) -> None:
        self._entry, self._url = entry, entry.service.rstrip("/")
        handlers: list[Any] = [NoRedirects]
        if entry.ca:
            handlers.append(urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=entry.ca)))
        self._opener = urllib.request.build_opener(*handlers)
        self._changed = threading.Event()
        self._wished = False
        self.thread = threading.Thread(target=self._run, name=f"lease of {name}", daemon=True)
        self.acquired = self.in_use = self.closed = False
        self.tester = ""  # the value of TESTER_LEASE; empty: each run starts the tester
        self.lease = self.used = ""  # ids: of what is acquired, and of what is in use
        self.over = ""  # why the lease ended, though it was wanted
        self.refusal = ""  # why there will be none

    def check(self) -> None:
        """TesterLibraryError if the service has no such place."""
        try:
            places = [place["name"] for place in self._call("GET", "/v1/places")]
        except (_Refused, _Unreached) as problem:
            raise TesterLibraryError(str(problem)) from None
        if self._entry.place not in places:
            raise TesterLibraryError(
                f"{self._url} has no place {self._entry.place!r}; it has {', '.join(places) or 'none'}"
            )

    @property
    def lost(self) -> str:
        """Why the lease that is in use has ended; it may have done so just before its use began."""
        is_held = self.lease and self.used == self.lease
        return self.over or ("" if is_held else "its lease ended as the test began")

    def wish(self, wished: bool) -> None:
        """Asks for the lease, or releases it."""
        if wished != self._wished:
            self._wished = wished
            self._changed.set()

    def _run(self) -> None:
        unreached_since: float | None = None
        while not self.closed:
            if not self._wished:
                self._changed.wait()
                self._changed.clear()
                continue
            try:
                self._lease()
                unreached_since = None
            except _Unreached as problem:
                unreached_since = unreached_since or time.monotonic()
                if time.monotonic() - unreached_since > _PATIENCE_S:
                    self.refusal = str(problem)
                    return
                self._changed.wait(_PAUSE_S)
            except _Refused as problem:
                self.refusal = str(problem)
                return

    def _lease(self) -> None:
        """One lease, from the wish to its end."""
        self.over = ""
        lease = self._call("POST", "/v1/leases", {"place": self._entry.place, "ttl_s": _TTL_S})
        path = f"/v1/leases/{quote(lease['id'], safe='')}"
        try:
            while self._wished and lease["state"] in ("waiting", "checking"):
                lease = self._call("GET", f"{path}?wait={_WAIT_S}")
            if lease["state"] == "acquired" and self._wished:
                self.tester, self.lease, self.acquired = lease["tester"], lease["id"], True
                self._keep(path)
            elif self._wished:
                raise _Unreached(f"{self._url}: the lease is {lease['state']}: {lease['reason']}")
        finally:
            self.acquired, self.lease = False, ""
            with suppress(_Refused, _Unreached):  # it is over, or ends by itself
                self._call("DELETE", path)

    def _keep(self, path: str) -> None:
        """Sends heartbeats until the lease is given back or lost."""
        heard = time.monotonic()
        while self._wished:
            self._changed.wait(min(_TTL_S / 6, 5.0))
            self._changed.clear()
            if not self._wished:
                return
            try:
                lease = self._call("POST", f"{path}/heartbeat")
                if lease["state"] != "acquired":
                    self.over = f"its lease is {lease['state']}: {lease['reason']}"
                heard = time.monotonic()
            except _Refused as problem:
                self.over = f"its lease is over: {problem}"
            except _Unreached as problem:
                if time.monotonic() - heard > _TTL_S:
                    self.over = f"its lease has expired: {problem}"
            if self.over:
                self.acquired = False
                while self._wished and self.in_use:  # until whoever uses it has heard of it
                    self._changed.wait()
                    self._changed.clear()
                return

    def _call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        headers = {"Content-Type": "application/json"}
        if token := os.environ.get(TOKEN):
            headers["Authorization"] = f"Bearer {token}"
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self._url}{path}", content, headers, method=method)
        try:
            with self._opener.open(request, timeout=_ANSWER_S) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refusal:
            said = _said(refusal)
            kind = _Unreached if refusal.code in (429, 503) else _Refused
            hint = f". Set {TOKEN} to the token of a user" if refusal.code == 401 else ""
            raise kind(f"{self._url} answered {refusal.code}: {said}{hint}") from None
        except (OSError, ValueError, HTTPException) as problem:
            raise _Unreached(f"{self._url} is not reached: {getattr(problem, 'reason', problem)}") from None


def _said(refusal: urllib.error.HTTPError) -> str:
    try:
        return str(json.load(refusal)["error"])
    except (OSError, ValueError, HTTPException, KeyError, TypeError):
        return refusal.reason
