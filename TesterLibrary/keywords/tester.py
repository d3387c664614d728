# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the tester and its testbed."""

from __future__ import annotations

from robot.api.deco import keyword

from ..running.suite import Suite
from ..targets.base import Capabilities
from ._component import component


@component
class Tester:
    """Opening, closing and asking the tester."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["tester"])
    def use_testbed(self, name: str) -> None:
        """Chooses the testbed, in place of the one given at import.

        | =Argument= | =Meaning= |
        | ``name`` | the name of a shipped testbed, such as ``embedded/l3-router``, or the path of a file |

        A tester that is open is closed and opened again on the new testbed; its streams are forgotten.

        | `Use Testbed` | embedded/l3-router |
        """
        self._suite.use(name)

    @keyword(tags=["tester"])
    def open_tester(self) -> str:
        """Sets the testbed up, starts or reaches the tester, and finds its gateways.

        Returns the tester's kind and version.

        The testbed is that of the import, ``testbed=``, or of `Use Testbed`; without one it is refused.
        Opening an open tester does nothing. What fails half-way is taken down again.

        A tester that runs on its own may still have jobs of other clients: those of clients of this machine
        that died are removed, the others are left, and a warning names each.

        | Suite Setup | Open Tester |
        """
        capabilities = self._suite.open().capabilities
        return f"{capabilities.target} {capabilities.version}"

    @keyword(tags=["tester"])
    def close_tester(self) -> None:
        """Takes all traffic off the wire, ends the tester if we started it, removes the testbed if embedded.

        Closing a closed tester does nothing.

        | Suite Teardown | Close Tester |
        """
        self._suite.close()

    @keyword(tags=["tester"])
    def stop_everything(self) -> None:
        """Takes off the wire, and ends, whatever runs: clients, traffic, monitoring, responders and captures.

        For teardowns: it judges nothing, is not the last measurement, and does nothing where nothing runs or
        no tester is open. Captures are written to their files. Streams stay as they were described.

        | Test Teardown | `Stop Everything` |
        """
        self._suite.stop_everything()

    @keyword(tags=["tester"])
    def get_tester_info(self) -> Capabilities:
        """Returns who the tester is.

        Attributes: ``target`` (engine, fake), ``version``, ``details``, ``max_streams`` and ``ports``, each
        with ``name``, ``driver``, ``driver_reason`` (why it was chosen), ``mac`` (bytes), ``link_speed_bps``
        (0 if the link does not know), ``link_up``, ``max_frame_size`` (with FCS) and ``interface``.

        | ${info} = | `Get Tester Info` |
        | Log | ${info.ports[0].driver} |
        """
        return self._suite.tester.capabilities
