# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The body of a request as JSON, in which each key stands once: of two, one would be ignored."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute

from .refusal import Wrong
from .web.guard import repeated_keys


class JsonRoute(APIRoute):
    """A route whose bodies are read so."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """See APIRoute."""
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            return await handler(_JsonRequest(request.scope, request.receive))

        return handle


class _JsonRequest(Request):
    async def json(self) -> Any:
        return json.loads(await self.body(), object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if twice := repeated_keys(pairs):
        raise Wrong(f"body: {', '.join(map(repr, twice))} more than once in an object; give it once")
    return dict(pairs)
