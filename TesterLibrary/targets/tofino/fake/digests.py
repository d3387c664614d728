# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The digests that a fake switch sends to its driver."""

from __future__ import annotations

from ..session.switch import Digest


class Digests:
    """The digests that wait to be taken. As in a chip, a digest equal to a waiting one is dropped."""

    def __init__(self) -> None:
        self._waiting: list[Digest] = []

    def tell(self, digest: Digest) -> None:
        """Adds a digest, unless an equal one waits already."""
        if digest not in self._waiting:
            self._waiting.append(digest)

    def taken(self) -> tuple[Digest, ...]:
        """Returns all digests and forgets them."""
        waiting, self._waiting = self._waiting, []
        return tuple(waiting)
