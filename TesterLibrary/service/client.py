# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Helpers of `resources/service.resource` beside RequestsLibrary: secrets, heartbeats, a readable log."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from robot.api import logger
from robot.api.deco import keyword, library
from robot.libraries.BuiltIn import BuiltIn

from ..errors import TesterLibraryError
from ..targets.engine.leases import VARIABLE

if TYPE_CHECKING:
    from requests import Response

_Lease = TypeVar("_Lease", bound=Mapping[str, object])
_WAIT_S = 10  # of one request of Lease Tester and Wait For Job
_LONGEST_SHOWN = 2000  # characters of an answer in the log
_HIDDEN = "*****"
_RENEWALS = 3  # within the time of a lease


try:
    from robot.api.types import Secret as _Secret
except ImportError:  # Robot Framework before 7.4
    _Secret = None  # type: ignore[assignment, misc]


class _Bearer:
    """Puts a token into each request when it leaves; nothing that is logged has it."""

    def __init__(self, secret: Any) -> None:
        self._secret = secret

    @classmethod
    def of(cls, token: object) -> _Bearer:
        """The bearer of a secret. TesterLibraryError: it is no secret, or this Robot Framework has none."""
        if _Secret is None:
            raise TesterLibraryError(
                "tokens are secrets, which Robot Framework has since 7.4; this is an older one, which would "
                "log the token: pip install 'robotframework >= 7.4', or use a certificate"
            )
        if not isinstance(token, _Secret):
            raise TesterLibraryError(
                "a token is given as a secret, so that no log has it: "
                'robot --variable "TOKEN: Secret:$TOKEN", or ${TOKEN: Secret}    %{TESTER_TOKEN} in a suite'
            )
        return cls(token)

    def __call__(self, request: Any) -> Any:
        request.headers["Authorization"] = f"Bearer {self._secret.value}"
        request.register_hook("response", _hide)
        return request

    def __repr__(self) -> str:
        return f"Bearer {_HIDDEN}"


def _hide(response: Any, *_: Any, **__: Any) -> None:
    """Takes the token out of a request that was sent: RequestsLibrary logs its headers."""
    response.request.headers["Authorization"] = f"Bearer {_HIDDEN}"


@library(scope="GLOBAL")
class ServiceClient:
    """Helpers of `resources/service.resource`."""

    def __init__(self) -> None:
        self._kept: dict[str, threading.Event] = {}
        self._leases: list[Mapping[str, Any]] = []  # that are kept, the last one last

    @keyword
    def bearer_of(self, token: Any) -> Any:
        """Returns what puts a ``token``, a secret, into requests; None for none. A plain text is refused."""
        return None if token is None else _Bearer.of(token)

    @keyword
    def lease_wish(self, place: str, ttl: timedelta, tags: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the JSON of a wish for a ``place`` or ``tags``, for a ``ttl``."""
        wanted = {str(tag): str(value) for tag, value in tags.items()}
        return {"place": place, "ttl_s": ttl.total_seconds(), "tags": wanted}

    @keyword
    def number_of_waits(self, timeout: timedelta) -> int:
        """Returns how many requests that wait fit into a ``timeout``; at least one."""
        return max(1, -(-round(timeout.total_seconds() * 10) // (_WAIT_S * 10)))

    @keyword
    def text_of_job(self, file: str) -> bytes:
        """Returns the text of a ``file``; a text of several lines is one itself."""
        if "\n" in file:
            return file.encode()
        try:
            return Path(file).expanduser().read_bytes()
        except OSError as problem:
            raise TesterLibraryError(f"the job file {file} cannot be read: {problem.strerror}") from None

    @keyword
    def answer_of(self, answer: Any, expect: str, content: str) -> Any:
        """Logs a request with its ``answer``, and returns its ``content``, json or bytes.

        Fails if the status is not ``expect``, with what the service says.
        """
        logger.info(_logged(answer))
        _check_status(answer, expect)
        return answer.content if content == "bytes" else _content(answer)

    @keyword
    def use_lease(self, lease: Mapping[str, Any]) -> None:
        """Lets the testers of this process use a ``lease``."""
        given = lease["tester"]
        if not given:
            raise TesterLibraryError(f"the tester of {lease['place']} is started by each job; use Submit Job")
        os.environ[VARIABLE] = given if isinstance(given, str) else given.value

    @keyword
    def keep_lease(self, lease: Mapping[str, Any], alias: str) -> None:
        """Sends heartbeats of a ``lease`` in the background, by the session ``alias``, until it is over."""
        self._leases.append(lease)
        ended = self._kept[str(lease["id"])] = threading.Event()
        _keep_alive(lease, alias, ended)

    @keyword
    def chosen_lease(self, lease: Any = None) -> Mapping[str, Any]:
        """Returns the ``lease`` that is given, or else the last one that is kept."""
        found = lease or (self._leases[-1] if self._leases else None)
        if found is None:
            raise TesterLibraryError("no tester is leased; call Lease Tester first")
        chosen: Mapping[str, Any] = found
        return chosen

    @keyword
    def forget_lease(self, lease: Any = None) -> Mapping[str, Any] | None:
        """Ends the heartbeats of a ``lease``, or of the last one. Returns it; None if there is none."""
        return self._forgotten(self.chosen_lease(lease)) if lease or self._leases else None

    def _forgotten(self, lease: _Lease) -> _Lease:
        self._leases = [kept for kept in self._leases if kept["id"] != lease["id"]]
        if ended := self._kept.pop(str(lease["id"]), None):
            ended.set()
        return lease


def _keep_alive(lease: Mapping[str, object], alias: str, ended: threading.Event) -> None:
    """Sends heartbeats of a lease in a thread, by a session of RequestsLibrary, until the event is set."""
    import requests  # comes with RequestsLibrary

    library: Any = BuiltIn().get_library_instance("RequestsLibrary")
    opened = library._cache.get_connection(alias)
    session = requests.Session()  # one of its own, as it is used by a thread
    session.auth, session.verify, session.cert = opened.auth, opened.verify, opened.cert
    url = f"{opened.url}/v1/leases/{lease['id']}/heartbeat"
    pause = float(str(lease["ttl_s"])) / _RENEWALS

    def keep() -> None:
        while not ended.wait(pause):
            try:
                if session.post(url, timeout=pause).status_code in (401, 403, 404, 410):
                    return  # the next keyword is told why
            except OSError:  # the network is gone for now
                continue

    threading.Thread(target=keep, name=f"lease {lease['id']}", daemon=True).start()


def _is_json(answer: Response) -> bool:
    return "json" in answer.headers.get("content-type", "")


def _logged(answer: Response) -> str:
    """A request with its answer, for the log."""
    request = answer.request
    sent = (
        request.body.decode(errors="replace") if isinstance(request.body, bytes) else str(request.body or "")
    )
    received = _without_secrets(answer.text if _is_json(answer) else f"{len(answer.content)} bytes")
    lines = [f"{request.method} {request.path_url} → {answer.status_code} {answer.reason}"]
    return "\n".join([*lines, *(text[:_LONGEST_SHOWN] for text in (sent, received) if text)])


def _check_status(answer: Response, expected: str) -> None:
    """AssertionError, with the service's own words, for another status."""
    if expected in ("any", str(answer.status_code)):
        return
    try:
        reason = answer.json()["error"]
    except (ValueError, KeyError, TypeError):
        reason = answer.text[:300]
    request = answer.request
    raise AssertionError(f"{request.method} {request.path_url}: {answer.status_code}: {reason}")


def _content(answer: Response) -> object:
    """The JSON of an answer, with the token of a tester as a secret: Robot logs what a keyword returns."""
    if not _is_json(answer):
        return answer.text
    content = answer.json()
    if _Secret is not None and isinstance(content, dict) and content.get("tester"):
        content["tester"] = _Secret(content["tester"])
    return content


def _without_secrets(text: str) -> str:
    """An answer for the log, without the token of a tester."""
    try:
        shown = json.loads(text)
    except ValueError:
        return text
    for part in shown if isinstance(shown, list) else [shown]:
        if isinstance(part, dict) and part.get("tester"):
            part["tester"] = _HIDDEN
    return json.dumps(shown, indent=2, ensure_ascii=False)
