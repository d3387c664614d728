*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     Throughput and latency of a NAT44 gateway in both directions, over flows that have their entries in
...               the connection table (RFC 9693, test phase 2). Private hosts are behind p1. To copy: each test
...               stands by itself.
...
...               | robot suites/nat/throughput.robot
...               | robot --variable TESTBED:my/testbed.yaml --variable FLOWS:10000 suites/nat
Metadata          Testbed    ${TESTBED}

Resource          ../../resources/stateful.resource

Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Setup        Open Flows
Test Teardown     Stop Everything

Test Tags         nat    throughput


*** Variables ***
${TESTBED}     embedded/nat
${SERVER}      198.19.1.2    # the tester, behind the device
${OUTSIDE}     198.19.1.1    # the device's address there; what it translates to is learned
${FLOWS}       ${1000}
${OPENING}     1000 pps    # at which flows are opened
${FRAME}       512
${AT_LEAST}    4 %    # of line rate, in each direction
${LOAD}        2 %    # at which latency is measured
${LATENCY}     20 ms    # of 99 in 100 frames


*** Test Cases ***
Throughput In Both Directions
    [Documentation]    The highest load without loss.
    [Tags]    searching
    ${result} =    Find Throughput    north    south
    Log    ${result}
    Verify Throughput Above    ${AT_LEAST}

Latency In Both Directions
    [Documentation]    At a load that the device carries easily.
    [Tags]    latency
    Measure Latency    north    south    rate=${LOAD}
    Verify Latency Below    ${LATENCY}    percentile=99


*** Keywords ***
Open Flows
    [Documentation]    A stream in each direction, and an entry for each flow.
    Create Stream
    ...    north
    ...    tx=p1
    ...    rx=p2
    ...    headers=Ether / IP(dst="${SERVER}") / UDP(dport=7)
    ...    frame_size=${FRAME}
    Set Field Sweep    north    UDP.sport    10000    count=${FLOWS}
    Create Stream
    ...    south
    ...    tx=p2
    ...    rx=p1
    ...    headers=Ether / IP(dst="${OUTSIDE}") / UDP(sport=7)
    ...    frame_size=${FRAME}
    ${opened} =    Send Preliminary Frames    north    south    rate=${OPENING}
    Log    ${opened}
