*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       RFC 2889 on a bridge whose truth is known: each of four ports sends 7 Mbps of frames without their FCS,
...                 and 260 addresses are learned, those of the tester's two ports included.
Library             TesterLibrary    testbed=embedded/l2-switch
Suite Setup         Open Tester
Suite Teardown      Close Tester


*** Test Cases ***
A Mesh Below Its Rate Loses Nothing
    Create Streams Over Ports    mesh    frame_size=512    rate=60 %
    Measure Loss    mesh    duration=1 s
    Verify Loss Below    0 %

Many To One Get The Rate Of One Port
    [Documentation]    7 Mbps of 508 bytes are 1,722 frames each second.
    Create Streams Over Ports    uplink    pattern=many-to-one    frame_size=512
    ${throughput} =    Find Throughput    uplink    duration=1 s    resolution=2 %
    ${result} =    Sweep Forwarding Rate    uplink    throughput=${throughput}    step=50 %    duration=1 s
    Verify Forwarding Rate At Maximum Load Above    1722 pps    ${result}    within=3 %
    Should Be True    ${result.maximum_rate} < 1722 * 1.03

More Than One Port Carries Is Not Forwarded
    Create Streams Over Ports    uplink    pattern=many-to-one    frame_size=512
    ${throughput} =    Find Throughput    uplink    duration=1 s    resolution=2 %
    Sweep Forwarding Rate    uplink    throughput=${throughput}    step=50 %    duration=1 s
    Verify Maximum Forwarding Rate Above    1900 pps

A Congested Port Blocks No Other
    ${result} =    Measure Congestion    frame_size=512    duration=1 s
    Verify No Head Of Line Blocking    ${result}

It Learns As Many Addresses As It Can
    ${result} =    Find Address Capacity
    ...    lowest=256
    ...    highest=264
    ...    rate=2 k/s
    ...    probe_rate=2 k/s
    ...    ageing=2.5 s
    Should Be Equal As Integers    ${result.capacity}    260
    Verify Address Capacity Above    260    ${result}

It Learns No More Addresses
    Find Address Capacity    lowest=256    highest=264    rate=2 k/s    probe_rate=2 k/s    ageing=2.5 s
    Verify Address Capacity Above    261

It Learns As Fast As It Is Told
    Find Address Learning Rate    addresses=100    highest=4 k/s    ageing=2.5 s
    Verify Address Learning Rate Above    4 k/s

A Broadcast Reaches Each Port
    Create Broadcast Stream    all    p1    p2    p3    p4    rate=50 %
    ${trial} =    Measure Loss    all    duration=1 s
    Should Be Equal    ${trial.misrouted}    ${EMPTY}
    Verify Loss Below    0 %

A Broadcast Above The Rate Of A Port Is Lost
    Create Broadcast Stream    all    p1    p2    p3    p4    frame_size=1518    rate=100 %
    Measure Loss    all    duration=1 s
    Verify Loss Below    1 %

A Broadcast That Misses A Port Is Lost
    [Documentation]    Frames for one port only are no broadcast.
    Create Broadcast Stream    all    p1    p2    p3    rate=20 %
    Set Headers    all    Ether / IP / UDP
    Measure Loss    all    duration=1 s
    Verify Loss Below    50 %
