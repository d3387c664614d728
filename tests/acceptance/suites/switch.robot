*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     The same on every tester: a stream with fields that change, and a responder that keeps states.

Library           TesterLibrary    testbed=${TESTBED}

Suite Setup       Open Tester
Suite Teardown    Close Tester


*** Variables ***
${TESTBED}    embedded/l2-bridge
${CLIENTS}    10
# Frames each second, and seconds; a model of a chip keeps fewer.
${RATE}       500
${SECONDS}    1
# To all, because the bridge need not know where the server is; the client's own frames are expected nowhere.
${REQUEST}    Ether(dst=ff:ff:ff:ff:ff:ff) / IP(src=198.18.0.77, dst=198.18.0.88)


*** Test Cases ***
Stateless Stream
    [Documentation]    Every frame arrives, in both versions of its counters, with a latency.
    Create Stream    north    frame_size=128    rate=${RATE} pps
    Set Field Sweep    north    UDP.dport    1000    1009
    ${trial} =    Measure Loss    north    duration=${SECONDS} s
    Should Be Equal As Integers    ${trial.sent}    ${{ int($RATE) * int($SECONDS) }}
    Should Be Equal As Integers    ${trial.received}    ${trial.sent}
    Verify Loss Below    0

HTTP Responder
    [Documentation]    Clients open a connection each and ask: one answer to a SYN, one to a request.
    Start Protocol Responder    web    http-get    servers=198.18.0.88:80    flows=4096
    Asks    syn    64    TCP(sport=2000, dport=80, flags=S)
    Counted    opened    ${CLIENTS}
    Asks    get    128    TCP(sport=2000, dport=80, seq=1, ack=1, flags=PA)    GET / HTTP/1.1${SPACE}
    Counted    served    ${CLIENTS}
    Counted    unknown    0
    ${statistics} =    Stop Responder    web
    Should Be Equal As Integers    ${statistics.rx_packets}    ${{ 2 * int($CLIENTS) }}
    Should Be Equal As Integers    ${statistics.tx_packets}    ${{ 2 * int($CLIENTS) }}

HTTP Clients
    [Documentation]    The other end, too: each client opens a connection, asks, is answered and closes.
    Start Protocol Responder    web    http-get    port=p2    servers=198.18.0.88:80    flows=4096
    Start Protocol Clients    users    http-get-client    198.18.0.88:80    connections=${CLIENTS}    total=${CLIENTS}
    ...    rate=100/s
    Wait Until Keyword Succeeds    5 s    100 ms    Get Session Statistics    users    completed    ==    ${CLIENTS}
    ${statistics} =    Stop Clients    users
    Should Be Equal As Integers    ${statistics.attempted}    ${CLIENTS}
    Should Be Equal As Integers    ${statistics.established}    ${CLIENTS}
    Should Be Equal As Integers    ${statistics.failed}    0
    Counted    served    ${CLIENTS}
    Stop Responder    web


*** Keywords ***
Asks
    [Documentation]    One frame of each client.
    [Arguments]    ${stream}    ${frame_size}    ${headers}    ${payload}=${EMPTY}
    Create Stream    ${stream}    tx=p1    rx=p1    frame_size=${frame_size}    rate=10 pps
    ...    signature=False
    Set Headers    ${stream}    ${REQUEST} / ${headers}
    IF    $payload    Set Payload    ${stream}    text    ${payload}
    Set Field Sweep    ${stream}    TCP.sport    2000    ${{ 1999 + int($CLIENTS) }}
    Measure Loss    ${stream}    duration=1 s

Counted
    [Documentation]    By the responder.
    [Arguments]    ${name}    ${count}
    ${statistics} =    Get Session Statistics    web
    Should Be Equal As Integers    ${statistics.count('${name}')}    ${count}
