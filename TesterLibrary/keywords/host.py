# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the hosts at the ends of a testbed."""

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

        Returns an object with ``status``, ``stdout`` and ``stderr``, which are in ``evidence/hosts`` as
        well. It judges nothing: a program that ends with another status, or not at all, is an error of
        the test. Hosts of your own are reached by SSH, or by a command, as the testbed file says.

        | `Run On Host` | client | curl -so /dev/null http://198.18.1.3/1MB |
        """
        return self._suite.hosts.run(host, command, status=status, timeout=timeout)

    @keyword(tags=["host"])
    def start_on_host(self, host: str, command: str, *, name: str | None = None) -> str:
        """Starts a program on a host of the testbed, such as a server, and does not wait for its end.

        | =Argument= | =Meaning= |
        | ``host`` | the name of a host, as in the testbed file |
        | ``command`` | a program with its arguments, as in a shell, which there is none of |
        | ``name`` | what `Stop On Host` calls it; HOST: PROGRAM, if left out |

        It ends with the test, or with the suite if its setup started it. What it said is in
        ``evidence/hosts``. Returns the name.

        | `Start On Host` | server | iperf3 -s |
        | `Run On Host` | client | iperf3 -c 198.18.2.2 -t 2 |
        """
        hosts = self._suite.hosts
        name = name or f"{host}: {command.split()[0] if command.split() else ''}"
        hosts.start(host, command, name)
        self._suite.open_testbed.tester.scopes.at_end(lambda: hosts.end(name))
        return name

    @keyword(tags=["host"])
    def stop_on_host(self, name: str, *, wait: Duration | None = None) -> ProgramResult:
        """Ends a program that `Start On Host` has started, and returns what it said.

        | =Argument= | =Meaning= |
        | ``name`` | what `Start On Host` has returned |
        | ``wait`` | how long it has to end by itself; it is ended at once, if left out |

        Returns an object with ``status``, ``stdout`` and ``stderr``. A program that was to end by itself and
        has not is an error of the test.

        | ${load} = | `Start On Host` | client | iperf3 -c 198.18.2.2 -t 5 |
        | `Stop On Host` | ${load} | wait=10 s |
        """
        return self._suite.hosts.stop(name, wait=wait)

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
