# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for fields that change from frame to frame."""

from __future__ import annotations

from robot.api.deco import keyword

from ...errors import PlanError
from ...files.field_values import draw, field_values
from ...model.editor import Editor, FieldPath, Mode, RandomField, RandomMask, RandomPrefix, Sweep
from ...model.units.names import NO_NAMES, Names
from ...planning.editor import cascaded
from ...running.suite import Suite
from .._component import component


@component
class Editors:
    """Fields that change from frame to frame."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["stream"])
    def set_field_sweep(
        self,
        name: str,
        field: FieldPath,
        first: str,
        last: str | None = None,
        step: str = "1",
        count: int | None = None,
        every: int = 1,
    ) -> None:
        """Changes a field in steps: ``first``, ``first + step``, … up to ``last``, and again.

        | ``name`` | the name of a stream that is not sending |
        | ``field`` | header and field as in Scapy; ``IP[2].src`` is the second IP header from outside |
        | ``first`` | the value of the first frame: a number, an address, a MAC address |
        | ``last`` | the last value, if the steps reach it |
        | ``step`` | ``5``, ``-1``, or written like the values: ``0.0.1.0`` |
        | ``count`` | instead of ``last``: the number of values; after the highest value comes 0 |
        | ``every`` | the number of consecutive frames that share a value |

        Any field that is a number or an address can change, also in custom headers and in tunnels:
        ``UDP.dport``, ``VXLAN.vni``, ``VLAN[2].vlan`` (the second tag from outside), ``MyHeader.id``. All
        checksums stay right, except those that the headers give. Refused are fields that follow from the
        frame (lengths, checksums), fields that define the next header, and all fields under RoCEv2's ICRC. At
        most 64 adjacent bits of an IPv6 address can change.

        Frame k is the same in every run, and the plan has all of them. The tester answers for each source
        and destination address of the outermost IP header, up to 4,096 of each. For more addresses, and for
        addresses outside the port's network, the device needs a route.

        | `Set Field Sweep` | north | UDP.dport | 1024 | 65535 |
        | `Set Field Sweep` | north | IP.dst | 10.0.0.0 | 10.0.255.0 | step=0.0.1.0 |
        | `Set Field Sweep` | north | VXLAN.vni | 100 | count=1000 |
        """
        self._edit(name, field, Sweep(first, last or "", step, count), every)

    @keyword(tags=["stream"])
    def set_field_values(
        self, name: str, field: FieldPath, *values: str, file: str | None = None, every: int = 1
    ) -> None:
        """Gives a field one value after the other, and again.

        | ``name`` | the name of a stream that is not sending |
        | ``field`` | header and field, as in `Set Field Sweep` |
        | ``values`` | the values in the order of sending; at most 1,048,576 |
        | ``file`` | instead of values: a text file with a value on each line and comments behind ``#`` |
        | ``every`` | the number of consecutive frames that share a value |

        | `Set Field Values` | north | IP.dst | 10.0.0.1 | 10.0.0.7 | 10.0.3.9 |
        | `Set Field Values` | north | UDP.dport | file=${CURDIR}/ports.txt |
        """
        self._edit(name, field, field_values(values, file or ""), every)

    @keyword(tags=["stream"])
    def set_field_random(
        self,
        name: str,
        field: FieldPath,
        first: str | None = None,
        last: str | None = None,
        mask: str | None = None,
        prefix: RandomPrefix | None = None,
        every: int = 1,
        seed: int | None = None,
    ) -> None:
        """Gives a field random values: from a range or a network, all equally likely, or random bits.

        | ``name`` | the name of a stream that is not sending |
        | ``field`` | header and field, as in `Set Field Sweep` |
        | ``first``, ``last`` | the range; any value by default |
        | ``mask`` | instead of a range: the bits that change, written like a value; the others stay |
        | ``prefix`` | instead of a range: a network, whose addresses are sent; IPv6 from /64 on |
        | ``every`` | the number of consecutive frames that share a value |
        | ``seed`` | 0 to 2^64 - 1; by default from the library's seed, the stream and the field |

        Equal seeds send equal frames, also in different streams.

        | `Set Field Random` | north | UDP.sport | 1024 | 65535 |
        | `Set Field Random` | north | Ether.src | mask=00:00:00:ff:ff:ff | seed=7 |
        | `Set Field Random` | north | IP.src | prefix=10.0.0.0/16 |
        """
        kinds = {"a range": first or last, "a mask": mask, "a prefix": prefix}
        chosen = [kind for kind, value in kinds.items() if value]
        if len(chosen) > 1:
            raise PlanError(f"stream {name!r}: {field}: {' and '.join(chosen)}; give one of them")
        mode: Mode = prefix or (RandomMask(mask) if mask else RandomField(first or "", last or ""))
        self._edit(name, field, mode, every, seed)

    @keyword(tags=["stream"])
    def set_field_distribution(
        self,
        name: str,
        field: FieldPath,
        *,
        file: str | None = None,
        every: int = 1,
        seed: int | None = None,
        **shares: str,
    ) -> None:
        """Gives a field values at random, each as often as its share says.

        | ``name`` | the name of a stream that is not sending |
        | ``field`` | header and field, as in `Set Field Sweep` |
        | ``file`` | instead of shares: a distribution function, lines of ``value, probability`` up to 1 |
        | ``every`` | the number of consecutive frames that share a value |
        | ``seed`` | a seed, as in `Set Field Random` |
        | ``shares`` | the share of each value: in ``%``, together 100 %, or as weights |

        | `Set Field Distribution` | north | IP.tos | 0=70 % | 184=30 % |
        | `Set Field Distribution` | north | UDP.dport | 53=1 | 80=2 | 443=7 |
        """
        self._edit(name, field, draw(shares, file or ""), every, seed)

    @keyword(tags=["stream"])
    def set_field_cascade(self, name: str, *fields: FieldPath, shared_with: Names = NO_NAMES) -> None:
        """Moves a field when the one before it has gone through its values: all combinations are sent.

        | ``name`` | the name of a stream that is not sending |
        | ``fields`` | two or more fields that already change; only the last one may be random |
        | ``shared_with`` | names of other streams, whose same fields change in step |

        Without a cascade fields change together. Streams that share a cascade have equal fields in frames of
        equal number, so at equal rates they change in step. A cascade replaces earlier ones with the same
        fields.

        | `Set Field Sweep` | north | IP.src | 10.0.0.1 | 10.0.0.250 |
        | `Set Field Sweep` | north | UDP.dport | 1024 | 2023 |
        | `Set Field Cascade` | north | IP.src | UDP.dport | # 250,000 flows |
        """
        streams = self._suite.chosen([name, *shared_with])
        self._suite.put(*cascaded(streams, fields, self._suite.seed))

    @keyword(tags=["stream"])
    def reset_field(self, name: str, field: FieldPath) -> None:
        """Ends the change of a field: it has the value of the headers again.

        | ``name`` | the name of a stream that is not sending |
        | ``field`` | header and field, as they were written when the field was changed |

        | `Reset Field` | north | UDP.dport |
        """
        stream = self._suite.stream(name)
        if field not in {editor.path for editor in stream.editors}:
            changing = ", ".join(str(editor.path) for editor in stream.editors) or "nothing"
            raise PlanError(f"stream {name!r}: {field} does not change; {changing} does")
        self._suite.put(stream.without_editor(field))

    @keyword(tags=["stream"])
    def set_flow_counting(self, name: str) -> None:
        """Counts each flow of a stream by itself: each combination of the values of its fields.

        | =Argument= | =Meaning= |
        | ``name`` | the name of a stream that is not sending and whose fields are not random |

        Frame k is of flow k modulo their number, at most 4,194,304 of all streams.

        | `Set Flow Counting` | north |
        """
        self._suite.change(name, count_flows=True)

    @keyword(tags=["stream"])
    def set_random_ports(self, name: str, seed: int | None = None) -> None:
        """Gives the frames of a stream random ports, as in RFC 4814: from 1024 to 65535 to 1 to 49151.

        | ``name`` | the name of a stream of UDP or TCP that is not sending |
        | ``seed`` | 0 to 2^64 - 1; by default from the library's seed, the stream and the field |

        Devices distribute flows over processors and links by their ports. A stream with one pair of ports is
        one flow, and measures one of them; each result has the number of flows. For other ranges use
        `Set Field Random`.

        | `Set Random Ports` | north |
        | `Find Throughput` | north |
        """
        self._suite.put(self._suite.stream(name).with_random_ports(seed))

    def _edit(self, name: str, field: FieldPath, mode: Mode, every: int, seed: int | None = None) -> None:
        stream = self._suite.stream(name)
        self._suite.put(stream.with_editor(Editor(field, mode, every, seed)))
