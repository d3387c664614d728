# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What packets have a fake switch tell its driver."""

from __future__ import annotations

from ..switch import Digest


class Digests:
    """Those that wait to be taken. As in a chip, one that is like another that waits is not told again."""

    def __init__(self) -> None:
        self._waiting: list[Digest] = []

    def tell(self, digest: Digest) -> None:
        """Unless it waits already."""
        if digest not in self._waiting:
            self._waiting.append(digest)

    def taken(self) -> tuple[Digest, ...]:
        """All of them, which are forgotten."""
        waiting, self._waiting = self._waiting, []
        return tuple(waiting)
