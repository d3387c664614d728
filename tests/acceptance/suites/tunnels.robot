*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     RFC 3918 section 4.4 on a bridge with tunnels over two ports, each of which sends 7 Mbps of frames
...               without their FCS: 1,567 frames each second of 512 bytes in VXLAN.

Library           TesterLibrary    testbed=${TESTBED}

Suite Setup       Open Tester
Suite Teardown    Close Tester


*** Variables ***
${GROUPS}     239.1.1.1-239.1.1.9
${TESTBED}    embedded/l2-tunnels
${VXLAN}      Ether / IP(dst=198.19.2.1) / UDP(dport=4789) / VXLAN(vni=2) / Ether


*** Test Cases ***
Groups Go Into Tunnels And Out Again
    [Documentation]    Into both at once; out of one; out of one and into the other.
    Create Multicast Stream    into    p1    p2    p3    groups=${GROUPS}    frame_size=512    rate=1500 pps
    Create Multicast Stream    out    p2    p1    groups=${GROUPS}    frame_size=512    tunnel=${VXLAN}    rate=40 %
    Create Multicast Stream    over    p2    p3    groups=${GROUPS}    frame_size=512    tunnel=${VXLAN}    rate=40 %
    FOR    ${stream}    IN    into    out    over
        Measure Loss    ${stream}    duration=1 s
        Verify Loss Below    0 %
    END

Encapsulation Has Its Own Throughput
    [Documentation]    A port sends the headers of a tunnel, too.
    Create Multicast Stream    into    p1    p2    frame_size=512    rate=1650 pps
    ${trial} =    Measure Loss    into    duration=1.5 s
    Should Be True    ${trial.lost} > 50
    Create Multicast Stream    plain    p2    p1    frame_size=512    tunnel=${VXLAN}    rate=1650 pps
    Measure Loss    plain    duration=1.5 s
    Verify Loss Below    0 %
