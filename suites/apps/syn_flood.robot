*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       A flood of SYNs, and what a device lets pass of it. To copy.
...
...                 | robot suites/apps/syn_flood.robot
...                 | robot --variable TESTBED:my/testbed.yaml --variable FLOOD:1M/s suites/apps/syn_flood.robot
Library             TesterLibrary    testbed=${TESTBED}    profile=${PROFILE_NAME}
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Setup          Start Protocol Responder    servers    http-get    servers=${SERVERS}    port=p2


*** Variables ***
${TESTBED}          embedded/l4-syn-proxy
${PROFILE_NAME}     quick    # durations and repetitions where a test does not say
${SERVICE}          192.0.2.10:80    # where the flood is sent
${SERVERS}          198.19.1.10-198.19.1.13:80    # behind the device
${ATTACKERS}        198.18.3.1-198.18.3.200
${FLOOD}            5000/s
${SYNS}             2000
${TIME}             5 s    # for all of them


*** Test Cases ***
SYN Flood
    [Documentation]    HyperTester table 5: attackers are emulated at p1, and their SYNs looked for at p2.
    Count Packets    passed    port=p2    filter=TCP.flags == S
    Start SYN Flood    flood    ${SERVICE}    sources=${ATTACKERS}    rate=${FLOOD}    total=${SYNS}
    Wait For Clients    flood    answered    ==    ${SYNS}    timeout=${TIME}
    Get Session Statistics    flood    attempted    ==    ${SYNS}
    Get Query Result    passed    count    ==    0
