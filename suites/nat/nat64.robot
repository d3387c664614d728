*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     A stateful NAT64 gateway by RFC 9693: how many connections it opens each second (section 4.5), how
...               many it holds at once (section 4.9), and its throughput and latency over flows that have their
...               entries (section 4.7). IPv6 hosts are behind p1, the IPv4 Internet is behind p2. To copy: each test
...               stands by itself.
...
...               The testbed has to say in dut.reset.connections how the connection table is emptied.
...
...               | robot suites/nat/nat64.robot
...               | robot --variable TESTBED:my/testbed.yaml --variable PREFIX:64:ff9b:: suites/nat/nat64.robot
Metadata          Testbed    ${TESTBED}

Resource          ../../resources/stateful.resource

Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Teardown     Stop Everything

Test Tags         nat    nat64


*** Variables ***
${TESTBED}     embedded/nat64
${PREFIX}      2001:2:0:64::    # of 96 bits, by which the device gives IPv4 addresses to IPv6 hosts
${SERVER}      198.19.1.2    # of the tester, behind the device
${OUTSIDE}     198.19.1.1    # the device's address there; what it translates to is learned
${PORT}        9693
${RATE}        1000/s    # connections that it has to open
${FASTEST}     2000/s    # beyond which nothing is searched
${CAPACITY}    1000    # connections that it has to hold
${MOST}        2000    # beyond which nothing is searched
${DURATION}    1 s    # of each trial
${FLOWS}       ${500}
${OPENING}     1000 pps    # at which flows are opened
${FRAME}       512    # bytes, in IPv4: those of IPv6 are 20 longer
${AT_LEAST}    1 %    # of line rate, in each direction
${LOAD}        0.5 %    # at which latency is measured
${LATENCY}     20 ms    # of 99 in 100 frames


*** Test Cases ***
Connections Are Opened Fast Enough
    [Documentation]    The highest rate at which each is answered through its entry. One frame opens a connection.
    ...    Then each is asked for once more (section 4.6).
    [Tags]    opening
    [Setup]    Start NAT Responder    outside    servers=${SERVER}:${PORT}
    Start NAT Clients    inside    [${PREFIX}${SERVER}]:${PORT}    rate=${RATE}
    ${result} =    Find Maximum Connection Rate
    ...    inside
    ...    lowest=${RATE}
    ...    highest=${FASTEST}
    ...    duration=${DURATION}
    ...    resolution=10 %
    ...    empty=True
    ...    validate=True
    Log    ${result}
    Verify Connection Rate Above    ${RATE}

Connections Are Held
    [Documentation]    Each entry is used from outside again and again.
    [Tags]    holding
    [Setup]    Start NAT Responder    outside    servers=${SERVER}:${PORT}
    Start NAT Clients    inside    [${PREFIX}${SERVER}]:${PORT}    rate=${FASTEST}    total=1
    ${result} =    Find Maximum Concurrent Connections
    ...    inside
    ...    lowest=${CAPACITY}
    ...    highest=${MOST}
    ...    duration=${DURATION}
    ...    resolution=5 %
    ...    empty=True
    Log    ${result}
    Verify Concurrent Connections Above    ${CAPACITY}

Throughput In Both Directions
    [Documentation]    The highest load without loss.
    [Tags]    searching
    [Setup]    Open Flows
    ${result} =    Find Throughput    north    south
    Log    ${result}
    Verify Throughput Above    ${AT_LEAST}

Latency In Both Directions
    [Documentation]    At a load that the device carries easily.
    [Tags]    latency
    [Setup]    Open Flows
    Measure Latency    north    south    rate=${LOAD}
    Verify Latency Below    ${LATENCY}    percentile=99


*** Keywords ***
Open Flows
    [Documentation]    A stream in each direction, and an entry for each flow.
    Create Stream
    ...    north
    ...    tx=p1
    ...    rx=p2
    ...    headers=Ether / IPv6(dst="${PREFIX}${SERVER}") / UDP(dport=7)
    ...    frame_size=${{ int($FRAME) + 20 }}
    Set Field Sweep    north    UDP.sport    10000    count=${FLOWS}
    # What may be fragmented becomes a fragment of IPv6 (RFC 7915, section 4).
    Create Stream
    ...    south
    ...    tx=p2
    ...    rx=p1
    ...    headers=Ether / IP(dst="${OUTSIDE}", src="${SERVER}", flags="DF") / UDP(sport=7)
    ...    frame_size=${FRAME}
    ${opened} =    Send Preliminary Frames    north    south    rate=${OPENING}
    Log    ${opened}
