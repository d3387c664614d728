# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the hosts at the ends of an embedded testbed."""

from __future__ import annotations

from typing import Any

from assertionengine import AssertionOperator
from robot.api.deco import keyword

from ..errors import TesterLibraryError
from ..files.document import did_you_mean
from ..model.units import Duration
from ..running.hosts import ProgramResult
from ..running.suite import Suite
from ._assertion import asserted
from ._component import component

ONE_MINUTE = Duration(60 * 10**9)


@component
class HostKeywords:
    """Programs and counters of hosts."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["host"])
    def run_on_host(
        self, host: str, command: str, *, status: int = 0, timeout: Duration = ONE_MINUTE
    ) -> ProgramResult:
        """Runs a program on a host of the testbed, and waits for its end.

        | =Argument= | =Meaning= |
        | ``host`` | the name of a host, as in the testbed file: ``client``, ``server`` |
        | ``command`` | a program of this machine with its arguments, as in a shell, which there is none of |
        | ``status`` | the exit status that it must end with |
        | ``timeout`` | how long it may take |

        Returns an object with ``status``, ``stdout`` and ``stderr``. It judges nothing: a program that ends
        with another status, or not at all, is an error of the test.

        | `Run On Host` | client | curl -so /dev/null http://198.18.1.3/1MB |
        """
        return self._suite.hosts.run(host, command, status=status, timeout=timeout)

    @keyword(tags=["host", "get"])
    def get_host_counter(
        self,
        host: str,
        counter: str,
        assertion_operator: AssertionOperator | None = None,
        assertion_expected: Any = None,
        message: str | None = None,
    ) -> int:
        """Returns a counter of a host's kernel, and asserts if an operator is given.

        | =Argument= | =Meaning= |
        | ``host`` | the name of a host, as in the testbed file |
        | ``counter`` | the counter by nstat's name: ``TcpRetransSegs``, ``TcpExtTCPFastRetrans`` |
        | ``assertion_operator`` | ``==``, ``<=``, ``<`` … of the Assertion Engine |
        | ``assertion_expected`` | how many |
        | ``message`` | a text in place of the usual one if the assertion fails |

        It counts from the last `Start Path` on, or else from when the testbed was opened. An assertion is
        INCONCLUSIVE while an event of a path has not fired: then nobody knows what the host was to see.

        | `Get Host Counter` | server | TcpRetransSegs | == | 1 |
        """
        suite = self._suite
        found = suite.hosts.counters(host)
        if counter not in found:
            raise TesterLibraryError(
                f"the kernel of host {host} has no counter {counter!r}{did_you_mean(counter, list(found))}; "
                "`nstat -az` lists them"
            )
        value = asserted(
            suite,
            found[counter],
            assertion_operator,
            assertion_expected,
            subject=f"{counter} of {host}",
            message=message,
        )
        return int(value)
