# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Sends an exported run to the import of a ReportPortal server."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
import uuid
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from ...errors import TesterLibraryError
from .redirects import NoRedirects

KEY = "RP_API_KEY"  # of the environment, as the agents of ReportPortal have it
_PATIENCE_S = 120
_SHOWN = 300  # characters of an answer


def upload(url: str, project: str, key: str, *, name: str, content: bytes, launch: Mapping[str, Any]) -> str:
    """Posts a zip file of JUnit. Returns what the server answers.

    Args:
        url: Of the server, such as `https://reportportal.example.net`.
        project: Its name there.
        key: An API key of a user of that project.
        name: Of the file.
        content: The zip file.
        launch: Name, description and attributes of the launch that it becomes.

    Raises:
        TesterLibraryError: the address is none, the server is not reached or refuses the run.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
        raise TesterLibraryError(
            f"{url.rpartition('@')[2]} is no address of a ReportPortal; give one such as "
            "https://reportportal.example.net, without user, password or parameters"
        )
    place = f"{url.rstrip('/')}/api/v1/plugin/{quote(project, safe='')}/junit/import"
    kind, body = _form(name, content, launch)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": kind, "Accept": "application/json"}
    request = urllib.request.Request(place, body, headers, method="POST")
    try:
        with urllib.request.build_opener(NoRedirects).open(request, timeout=_PATIENCE_S) as answer:
            return _said(answer.read())
    except urllib.error.HTTPError as refusal:
        raise TesterLibraryError(
            f"{place} answered {refusal.code}: {_said(refusal.read())}{_advice(refusal, project)}"
        ) from None
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "reason", problem)
        raise TesterLibraryError(f"{place} cannot be reached: {reason}") from None


def _form(name: str, content: bytes, launch: Mapping[str, Any]) -> tuple[str, bytes]:
    """A form with the file and the launch, and its type (RFC 7578)."""
    boundary = uuid.uuid4().hex
    told = json.dumps(launch, ensure_ascii=False).encode()
    body = b""
    for disposition, kind, value in (
        (f'name="file"; filename="{name}"', "application/zip", content),
        ('name="launchImportRq"', "application/json", told),
    ):
        head = (
            f"--{boundary}\r\nContent-Disposition: form-data; {disposition}\r\nContent-Type: {kind}\r\n\r\n"
        )
        body += head.encode() + value + b"\r\n"
    return f"multipart/form-data; boundary={boundary}", body + f"--{boundary}--\r\n".encode()


def _said(answer: bytes) -> str:
    """The message of an answer, or its beginning."""
    text = answer.decode(errors="replace").strip()
    try:
        document = json.loads(text)
    except ValueError:
        document = None
    if isinstance(document, dict):
        found = document.get("message") or (document.get("data") or {}).get("msg")
        text = str(found or text)
    return " ".join(text.split())[:_SHOWN] or "nothing"


def _advice(refusal: urllib.error.HTTPError, project: str) -> str:
    if 300 <= refusal.code < 400:
        place = refusal.headers.get("Location", "unknown")
        return f". It is elsewhere: {place}; give the address of that server"
    return {
        401: f". Is the key in {KEY} right, and still valid?",
        403: f". The key in {KEY} is of a user who may not import into {project}",
        404: f". Does it have the project {project}, and the plugin JUnit?",
        413: ". A proxy in front of it takes no file of that size",
    }.get(refusal.code, "")
