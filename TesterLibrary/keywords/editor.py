# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for fields that change from frame to frame."""

from __future__ import annotations

from dataclasses import replace

from robot.api.deco import keyword

from ..errors import PlanError
from ..jobs.field_values import draw, field_values
from ..model.editor import Editor, FieldPath, Mode, RandomField, RandomMask, RandomPrefix, Sweep
from ..planning.editor import default_seed
from ..session import Session
from ._component import component


@component
class Editors:
    """Fields that change from frame to frame."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @keyword(tags=["stream"])
    def sweep_field(
        self,
        stream: str,
        field: FieldPath,
        first: str,
        last: str = "",
        step: str = "1",
        count: int | None = None,
        every: int = 1,
    ) -> None:
        """Changes a field in steps: ``first``, ``first + step``, … up to ``last``, and again.

        | =Argument= | =Meaning= |
        | ``stream`` | the name of a stream that is not sending |
        | ``field`` | header and field as in Scapy; ``IP[2].src`` is the second IP header's from outside |
        | ``first`` | the value of the first frame: a number, an address, a MAC address |
        | ``last`` | where it ends; it is reached if the steps meet it |
        | ``step`` | ``5``, ``-1``, or written like the values: ``0.0.1.0`` |
        | ``count`` | instead of ``last``: so many values, beyond the field's highest from 0 again |
        | ``every`` | frames that share a value |

        Any field can change that is a number or an address, in custom headers and in tunnels too:
        ``UDP.dport``, ``VXLAN.vni``, ``VLAN[2].vid`` (the second tag from outside), ``MyHeader.id``. All
        checksums that follow stay right; one that the author has given stays as given. Refused are fields
        that follow from the frame (lengths, checksums), those that tell what header follows, and all under
        RoCEv2's ICRC. Of an IPv6 address at most 64 bits next to each other change.

        Frame k is the same in every run, and the plan tells all of them. The tester answers for each source
        and destination address of the outermost IP header, up to 4,096 of each; of more, and of addresses
        outside the port's network, the device needs a route.

        | `Sweep Field` | north | UDP.dport | 1024 | 65535 |
        | `Sweep Field` | north | IP.dst | 10.0.0.0 | 10.0.255.0 | step=0.0.1.0 |
        | `Sweep Field` | north | VXLAN.vni | 100 | count=1000 |
        """
        self._edit(stream, field, Sweep(first, last, step, count), every)

    @keyword(tags=["stream"])
    def use_field_values(
        self, stream: str, field: FieldPath, *values: str, file: str = "", every: int = 1
    ) -> None:
        """Gives a field one value after the other, and again.

        | =Argument= | =Meaning= |
        | ``stream`` | the name of a stream that is not sending |
        | ``field`` | as in `Sweep Field` |
        | ``values`` | in the order of sending; at most 1,048,576 |
        | ``file`` | instead: a text file with a value on each line; what follows a ``#`` does not count |
        | ``every`` | frames that share a value |

        | `Use Field Values` | north | IP.dst | 10.0.0.1 | 10.0.0.7 | 10.0.3.9 |
        | `Use Field Values` | north | UDP.dport | file=${CURDIR}/ports.txt |
        """
        self._edit(stream, field, field_values(values, file), every)

    @keyword(tags=["stream"])
    def randomise_field(
        self,
        stream: str,
        field: FieldPath,
        first: str = "",
        last: str = "",
        mask: str = "",
        every: int = 1,
        seed: int | None = None,
    ) -> None:
        """Gives a field random values: from a range, all equally likely, or of some of its bits.

        | =Argument= | =Meaning= |
        | ``stream`` | the name of a stream that is not sending |
        | ``field`` | as in `Sweep Field` |
        | ``first``, ``last`` | the range; any value, if both are left out |
        | ``mask`` | instead of a range: the bits that change, written like a value; the others stay |
        | ``every`` | frames that share a value |
        | ``seed`` | 0 to 2^64 - 1; otherwise it follows from the library's, the stream and the field |

        Equal seeds send equal frames, also in different streams.

        | `Randomise Field` | north | UDP.sport | 1024 | 65535 |
        | `Randomise Field` | north | Ether.src | mask=00:00:00:ff:ff:ff | seed=7 |
        """
        mode: Mode = RandomMask(mask) if mask and not first + last else RandomField(first, last)
        if mask and first + last:
            raise PlanError(f"stream {stream!r}: {field}: a range and a mask; give one or the other")
        self._edit(stream, field, mode, every, seed)

    @keyword(tags=["stream"])
    def randomise_source_prefix(self, stream: str, prefix: RandomPrefix, seed: int | None = None) -> None:
        """Gives the frames of a stream any source address of a network, at random.

        | =Argument= | =Meaning= |
        | ``stream`` | the name of a stream that is not sending |
        | ``prefix`` | of the outermost IPv4 or IPv6 header; of IPv6 /64 or longer |
        | ``seed`` | as in `Randomise Field` |

        | `Randomise Source Prefix` | north | 10.0.0.0/16 |
        """
        self._edit(stream, _address("src", prefix), prefix, 1, seed)

    @keyword(tags=["stream"])
    def randomise_destination_prefix(
        self, stream: str, prefix: RandomPrefix, seed: int | None = None
    ) -> None:
        """Gives the frames of a stream any destination address of a network, at random.

        | =Argument= | =Meaning= |
        | ``stream`` | the name of a stream that is not sending |
        | ``prefix`` | as in `Randomise Source Prefix` |
        | ``seed`` | as in `Randomise Field` |

        | `Randomise Destination Prefix` | north | 2001:db8:7::/64 |
        """
        self._edit(stream, _address("dst", prefix), prefix, 1, seed)

    @keyword(tags=["stream"])
    def draw_field_values(
        self,
        stream: str,
        field: FieldPath,
        *,
        file: str = "",
        every: int = 1,
        seed: int | None = None,
        **shares: str,
    ) -> None:
        """Gives a field values at random, each as often as its share says.

        | =Argument= | =Meaning= |
        | ``stream`` | the name of a stream that is not sending |
        | ``field`` | as in `Sweep Field` |
        | ``file`` | instead of shares: a distribution function, lines of ``value, probability`` up to 1 |
        | ``every`` | frames that share a value |
        | ``seed`` | as in `Randomise Field` |
        | ``shares`` | of each value: in ``%``, together 100 %, or as weights |

        | `Draw Field Values` | north | IP.tos | 0=70 % | 184=30 % |
        | `Draw Field Values` | north | UDP.dport | 53=1 | 80=2 | 443=7 |
        """
        self._edit(stream, field, draw(shares, file), every, seed)

    @keyword(tags=["stream"])
    def cascade_fields(self, stream: str, *fields: FieldPath, shared_with: str = "") -> None:
        """Lets a field move when the one before it has gone through its values: all combinations are sent.

        | =Argument= | =Meaning= |
        | ``stream`` | the name of a stream that is not sending |
        | ``fields`` | two or more that change already, all but the last not at random |
        | ``shared_with`` | other streams, separated by commas, whose same fields go in step |

        Without it, fields move together. Streams that share a cascade have equal fields in frames of equal
        number, so at equal rates in step. Each cascade of a stream replaces those of the same fields.

        | `Sweep Field` | north | IP.src | 10.0.0.1 | 10.0.0.250 |
        | `Sweep Field` | north | UDP.dport | 1024 | 2023 |
        | `Cascade Fields` | north | IP.src | UDP.dport | # 250,000 flows |
        """
        if len(fields) < 2:
            raise PlanError(f"stream {stream!r}: a cascade of {len(fields)} fields; give two or more")
        others = [name.strip() for name in shared_with.split(",") if name.strip()]
        leader, *followers = self._session.chosen([stream, *others])
        unedited = next((path for path in fields if path not in {e.path for e in leader.editors}), None)
        if unedited:
            raise PlanError(f"stream {stream!r}: {unedited} does not change yet; sweep it or give it values")
        leading = [editor for editor in leader.editors if editor.path in fields]
        if followers:
            seed = self._session.seed
            leading = [
                replace(own, seed=default_seed(seed, stream, own.path)) if own.seed is None else own
                for own in leading
            ]
        self._session.put(*(one.cascading(fields, leading) for one in (leader, *followers)))

    @keyword(tags=["stream"])
    def keep_field(self, stream: str, field: FieldPath) -> None:
        """Lets a field that changed from frame to frame be what the headers say again.

        | =Argument= | =Meaning= |
        | ``stream`` | the name of a stream that is not sending |
        | ``field`` | as it was written when it was changed |

        | `Keep Field` | north | UDP.dport |
        """
        own = self._session.stream(stream)
        if field not in {editor.path for editor in own.editors}:
            known = ", ".join(str(editor.path) for editor in own.editors) or "nothing"
            raise PlanError(f"stream {stream!r}: {field} does not change; {known} does")
        self._session.put(own.without_editor(field))

    @keyword(tags=["stream"])
    def count_flows(self, stream: str) -> None:
        """Counts each combination of the values of a stream's fields by itself.

        | =Argument= | =Meaning= |
        | ``stream`` | the name of a stream that is not sending and whose fields are not random |

        Frame k is of flow k modulo their number, at most 16,777,216.

        | `Count Flows` | north |
        """
        self._session.change(stream, count_flows=True)

    def _edit(self, stream: str, field: FieldPath, mode: Mode, every: int, seed: int | None = None) -> None:
        own = self._session.stream(stream)
        self._session.put(own.with_editor(Editor(field, mode, every, seed)))


def _address(field: str, prefix: RandomPrefix) -> FieldPath:
    return FieldPath("IP" if prefix.network.version == 4 else "IPv6", field)
