*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       What a flood of SYNs does to those who mean it: connections of real clients have to go on. To copy.
...
...                 | robot suites/stateful/syn_flood.robot
...                 | robot --variable TESTBED:my/testbed.yaml --variable FLOOD:1M/s suites/stateful/syn_flood.robot
Metadata            Testbed    ${TESTBED}
Resource            ../../resources/stateful.resource
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Teardown       Stop Everything
Test Tags           flood


*** Variables ***
${TESTBED}          embedded/l4-syn-proxy
${SERVICE}          192.0.2.10:80    # where clients connect to
${SERVERS}          198.19.1.10-198.19.1.13:80    # behind the device
${CLIENTS}          198.18.2.1-198.18.2.20    # addresses of those who mean it
${ATTACKERS}        198.18.3.1-198.18.3.200    # addresses of the flood
${FLOOD}            5000/s    # SYNs
${SYNS}             2000    # of a flood that ends
${TIME}             5 s    # for all of them
${RATE}             100/s    # connections of real clients
${DURATION}         3 s
${HALF_OPEN}        0    # connections that the flood may leave at the servers: SYNs that reach them


*** Test Cases ***
Clients Go On Under A Flood
    [Documentation]    They open as many connections as without it, and none fails.
    Start TCP Responder    servers    servers=${SERVERS}
    Start SYN Flood    flood    ${SERVICE}    sources=${ATTACKERS}    rate=${FLOOD}
    Start TCP Clients
    ...    users
    ...    ${SERVICE}
    ...    sources=${CLIENTS}
    ...    connections=500
    ...    flow_size=1 kB
    ...    rate=${RATE}
    ${result} =    Measure Connection Rate    users    duration=${DURATION}
    Log    ${result}
    ${sent} =    Get Session Statistics    flood    attempted
    Log    The flood had ${sent} SYNs.
    Verify Failed Connections Below    0
    Verify Connection Rate Above    ${RATE}    within=5 %

The Flood Does Not Reach The Servers
    [Documentation]    A device that passes SYNs on leaves connections half open at the servers. One that answers each
    ...    SYN itself is waited for no longer.
    Start Protocol Responder    servers    http-get    servers=${SERVERS}    port=p2
    Count Packets    reached    port=p2    filter=TCP.flags == S
    Start SYN Flood    flood    ${SERVICE}    sources=${ATTACKERS}    rate=${FLOOD}    total=${SYNS}
    Wait For Clients    flood    answered    ==    ${SYNS}    timeout=${TIME}
    Get Session Statistics    flood    attempted    ==    ${SYNS}
    ${reached} =    Get Query Result    reached    count
    Get Query Result    reached    count    <=    ${HALF_OPEN}
    ...    message=${reached} SYNs of the flood have reached the servers, ${HALF_OPEN} are allowed
