# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Hooks of schemathesis: of two leases or jobs that it asks for, one is such as the service can give.

No schema says which places a laboratory has, nor which texts are jobs; without these nothing would ever be
leased, and nothing that follows from a lease be asked for.
"""

from __future__ import annotations

from typing import Any

import schemathesis

from .served import JOB

_SENSIBLE: dict[str, tuple[Any, ...]] = {
    "POST /v1/leases": (
        {"place": "north"},
        {"place": "south", "ttl_s": 5.0},
        {"place": "north", "force": True},
    ),
    "POST /v1/leases/{lease}/jobs": (JOB,),
    "PUT /v1/places/{name}/use": ({"in_use": True},),
}


@schemathesis.hook
def map_body(context: Any, body: Any) -> Any:
    """A body that is sent in place of the one that was generated."""
    number, choices = len(str(body)), _SENSIBLE.get(context.operation.label)
    return choices[number // 2 % len(choices)] if choices and number % 2 else body


@schemathesis.hook
def map_query(_: Any, query: Any) -> Any:
    """Waits for no news longer than the client of schemathesis waits for an answer."""
    return {**query, "wait": 0.1} if query and "wait" in query else query
