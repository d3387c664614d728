# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Refusals of the service: each is an HTTP status and a plain sentence, and nothing has changed."""

from __future__ import annotations

from http import HTTPStatus

from ..errors import TesterLibraryError


class Refusal(TesterLibraryError):
    """A request that is not done; the message says why, and what to do."""

    status = HTTPStatus.BAD_REQUEST


class Unknown(Refusal):
    """There is no such place, lease, job or file."""

    status = HTTPStatus.NOT_FOUND


class Ended(Refusal):
    """The lease is over."""

    status = HTTPStatus.GONE


class NotAllowed(Refusal):
    """The caller's role, or the owner of a lease, forbids it."""

    status = HTTPStatus.FORBIDDEN


class Unauthenticated(Refusal):
    """Nobody knows the caller."""

    status = HTTPStatus.UNAUTHORIZED


class Misfit(Refusal):
    """The state of a lease, place or job forbids it now."""

    status = HTTPStatus.CONFLICT


class Wrong(Refusal):
    """The request cannot be understood, or asks for something that does not exist."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY


class TooMany(Refusal):
    """One user asks for more at a time than is allowed."""

    status = HTTPStatus.TOO_MANY_REQUESTS


class Broken(Refusal):
    """The service has a fault of its own."""

    status = HTTPStatus.INTERNAL_SERVER_ERROR


class Unready(Refusal):
    """The service cannot keep what it would have to, for now."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
