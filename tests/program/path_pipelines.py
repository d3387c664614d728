# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The pipeline of a chip that runs the program of paths itself, in the place of that of the fake chip."""

from __future__ import annotations

from collections.abc import Iterator

from TesterLibrary.targets.tofino.fake import MakesPipelines
from TesterLibrary.targets.tofino.fake.pipelines import Left, Mirrored, Way

from .pipelines import _INGRESS, _TIME, _TO_MANAGER, DRAWN, Octets, ProgramPipelines, _dropped
from .program import P4Program


def runs_paths(program: P4Program) -> MakesPipelines:
    """Makes the pipelines of a switch that runs the program of paths itself."""
    return lambda store, digests: PathProgram(program, store, digests, lambda: DRAWN)


class PathProgram(ProgramPipelines):
    """The pipeline `path` of a program. Its ports have no roles, and none of them loops."""

    def ingress(self, port: int, octets: bytes, now_ns: int) -> Iterator[Way[Octets] | Mirrored[Octets]]:
        """See `Pipelines`."""
        passed = self._run(
            "path", _INGRESS, octets, port, ingress_port=port, ingress_mac_tstamp=now_ns & _TIME
        )
        if passed is None:
            return
        for session, copy in passed.copies:
            yield Mirrored(Octets(copy), session)
        if not _dropped(passed):
            yield Way(Octets(passed.octets), passed.told[_TO_MANAGER]["ucast_egress_port"])

    def egress(self, packet: Octets, port: int, now_ns: int) -> Left[Octets]:
        """See `Pipelines`."""
        return self._left("path", packet, port, now_ns)

    def _metadata_of(self, port: int) -> dict[str, int]:  # noqa: ARG002
        return {}
