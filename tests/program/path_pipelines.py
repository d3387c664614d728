# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The pipeline of a chip that runs the program of paths itself, in the place of that of the fake chip."""

from __future__ import annotations

from TesterLibrary.targets.tofino.fake import MakesPipelines
from TesterLibrary.targets.tofino.fake.pipelines import Way

from .pipelines import _EGRESS, _INGRESS, _TO_MANAGER, DRAWN, Octets, ProgramPipelines, _dropped
from .program import P4Program


def runs_paths(program: P4Program) -> MakesPipelines:
    """Makes the pipelines of a switch that runs the program of paths itself."""
    return lambda store, digests: PathProgram(program, store, digests, lambda: DRAWN)


class PathProgram(ProgramPipelines):
    """The pipeline `path` of a program. Its ports have no roles, and none of them loops."""

    def ingress(self, port: int, octets: bytes, now_ns: int) -> Way[Octets] | None:
        """See `Pipelines`."""
        passed = self._run("path", _INGRESS, octets, port, ingress_port=port, ingress_mac_tstamp=now_ns)
        if passed is None or _dropped(passed):
            return None
        return Way(Octets(passed.octets), passed.told[_TO_MANAGER]["ucast_egress_port"])

    def egress(self, packet: Octets, port: int, now_ns: int) -> bytes:
        """See `Pipelines`."""
        passed = self._run("path", _EGRESS, packet.octets, port, egress_port=port, global_tstamp=now_ns)
        assert passed is not None, "no egress parser drops a packet"
        return passed.octets

    def _metadata_of(self, port: int) -> dict[str, int]:  # noqa: ARG002
        return {}
