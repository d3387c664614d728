*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       RFC 2889 on a bridge whose truth is known: each of four ports sends 7 Mbps of frames without their
...                 FCS, and 260 addresses are learned, those of the tester's two ports included.
Library             TesterLibrary    testbed=embedded/l2-switch
Suite Setup         Open Tester
Suite Teardown      Close Tester


*** Test Cases ***
A Mesh Below Its Rate Loses Nothing
    [Documentation]    Each port sends to every other one.
    Create Streams Over Ports    mesh    frame_size=512    rate=60 %
    Measure Loss    mesh    duration=1 s
    Verify Loss Below    0 %

Many To One Get The Rate Of One Port
    [Documentation]    7 Mbps of 508 bytes are 1,722 frames each second, and no more.
    Create Streams Over Ports    uplink    pattern=many-to-one    frame_size=512
    ${throughput} =    Find Throughput    uplink    duration=500 ms    resolution=2 %
    ${result} =    Sweep Forwarding Rate    uplink    throughput=${throughput}    step=50 %    duration=1 s
    Verify Forwarding Rate At Maximum Load Above    1722 pps    ${result}    within=3 %
    Run Keyword And Expect Error
    ...    FAIL: maximum forwarding rate of uplink p2-p1*
    ...    Verify Maximum Forwarding Rate Above
    ...    1774 pps
    ...    ${result}

A Congested Port Blocks No Other
    [Documentation]    The fourth port is offered 150 % of line rate.
    ${result} =    Measure Congestion    frame_size=512    duration=1 s
    Verify No Head Of Line Blocking    ${result}

It Learns As Many Addresses As It Can
    [Documentation]    Beside two of the tester.
    ${result} =    Find Address Capacity    lowest=258    highest=259    rate=2 k/s    probe_rate=2 k/s    ageing=2.5 s
    Should Be Equal As Integers    ${result.capacity}    260
    Verify Address Capacity Above    260    ${result}
    Run Keyword And Expect Error
    ...    FAIL: address table of port p1 is 260 addresses, required >= 261*
    ...    Verify Address Capacity Above
    ...    261
    ...    ${result}

It Learns As Fast As It Is Told
    [Documentation]    The kernel has no limit for this.
    Find Address Learning Rate    addresses=100    lowest=4 k/s    highest=4 k/s    ageing=2.5 s
    Verify Address Learning Rate Above    4 k/s

It Forgets An Address After Two Seconds
    [Documentation]    As the testbed says, to 20 ms and what the kernel's clock of 250 Hz adds.
    ${result} =    Measure Ageing Time    rate=1 k/s    timeout=5 s
    Verify Ageing Time Above    1.98 s
    Verify Ageing Time Below    2.1 s
    Run Keyword And Expect Error
    ...    FAIL: ageing time of the MAC table at p1 is *, required <= 1 s
    ...    Verify Ageing Time Below
    ...    1 s
    ...    ${result}

A Broadcast Reaches Each Port
    [Documentation]    Half of line rate is less than a port sends.
    Create Broadcast Stream    all    p1    p2    p3    p4    rate=50 %
    ${trial} =    Measure Loss    all    duration=1 s
    Should Be Equal    ${trial.misrouted}    ${EMPTY}
    Verify Loss Below    0 %

A Broadcast Above The Rate Of A Port Is Lost
    [Documentation]    Line rate of 1518 bytes is more than a port sends.
    Create Broadcast Stream    all    p1    p2    p3    p4    frame_size=1518    rate=100 %
    Measure Loss    all    duration=1 s
    Verify Loss Below    1 %

A Broadcast That Misses A Port Is Lost
    [Documentation]    Frames for one port only are no broadcast.
    Create Broadcast Stream    all    p1    p2    p3    rate=20 %
    Set Headers    all    Ether / IP / UDP
    Measure Loss    all    duration=1 s
    Verify Loss Below    50 %

It Forwards Frames That It Should Drop
    [Documentation]    It is asked to carry 1000 bytes and no more, and carries 1518.
    Measure Errored Frames    longest=1000    duration=500 ms
    Verify Errored Frames Filtered

It Drops Frames That Are Too Long
    [Documentation]    A frame that its bucket of 1020 bytes never holds is dropped.
    [Setup]    Use Testbed    ${SHORT}
    ${result} =    Measure Errored Frames    longest=1018    oversize=1030    duration=500 ms
    Should Be Equal As Integers    ${result.forwarded}    0
    Verify Errored Frames Filtered    ${result}

Frames That No Port Sends Are Refused
    [Documentation]    A bad FCS, and more bytes than the port takes.
    Run Keyword And Expect Error    crc: no port of this tester sends*    Measure Errored Frames    crc
    Run Keyword And Expect Error    *2019 bytes is too long for port 'p1'*    Measure Errored Frames    longest=2018
