*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       A layer-4 gateway, such as address translation over a connection table: how many connections it
...                 opens each second (RFC 3511 section 5.3), how many it holds at once (5.2), and whether it lets
...                 the options of TCP pass. To copy: each test stands by itself.
...
...                 | robot suites/stateful/l4_gateway.robot
...                 | robot --variable TESTBED:my/testbed.yaml --variable CAPACITY:50000 suites/stateful
Metadata            Testbed    ${TESTBED}
Resource            ../../resources/stateful.resource
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Teardown       Stop Everything
Test Tags           l4


*** Variables ***
${TESTBED}          embedded/l4-gateway
${SERVICE}          192.0.2.10:80    # where clients connect to
${SERVERS}          198.19.1.10-198.19.1.13:80    # to which the gateway leads them
${RATE}             100/s    # connections that it has to open
${FASTEST}          2000/s    # beyond which nothing is searched
${CAPACITY}         2000    # connections that it has to hold
${MOST}             4000    # beyond which nothing is searched
${DURATION}         1 s    # of each trial
${OPEN}             100 ms    # of 99 in 100 handshakes


*** Test Cases ***
Connections Are Opened Fast Enough
    [Documentation]    The highest rate at which none fails. Whoever answers in place of the servers is found out, and
    ...    whoever opens more than one connection behind the device for one in front of it.
    Start TCP Responder    servers    servers=${SERVERS}
    Each Connection Reaches One Server    ${SERVICE}    servers    50    rate=${RATE}
    Start TCP Clients    users    ${SERVICE}    connections=500    flow_size=0    rate=${RATE}
    ${result} =    Find Maximum Connection Rate
    ...    users
    ...    lowest=${RATE}
    ...    highest=${FASTEST}
    ...    duration=${DURATION}
    ...    resolution=10 %
    Log    ${result}
    Verify Connection Rate Above    ${RATE}
    Verify Session Time Below    time_to_open    ${OPEN}
    Servers Have Seen Them    users    servers    once=${False}

Connections Are Held
    [Documentation]    A table that is too small for them is found out here.
    Start TCP Responder    servers    servers=${SERVERS}
    Start TCP Clients    users    ${SERVICE}    flow_size=0    rate=${FASTEST}    total=1
    ${result} =    Find Maximum Concurrent Connections
    ...    users
    ...    lowest=500
    ...    highest=${MOST}
    ...    duration=${DURATION}
    ...    resolution=5 %
    Log    ${result}
    Verify Concurrent Connections Above    ${CAPACITY}
    Servers Have Seen Them    users    servers    once=${False}

TCP Options Pass
    [Documentation]    Segment size, window scale, selective acknowledgments and timestamps, both ways. Connections
    ...    without them are opened too, but are slow where it counts.
    Start TCP Responder    servers    servers=${SERVERS}
    Start Protocol Clients    probe    tcp-probe    ${SERVICE}    rate=${RATE}    total=20
    Clients Reach    probe    answered    20
    FOR    ${option}    IN    mss    scale    sack    stamp
        ${missing} =    Get Session Statistics    probe    without_${option}
        Get Session Statistics    probe    without_${option}    ==    ${0}
        ...    dropped option: ${missing} of 20 SYN-ACKs came without ${option}
    END
