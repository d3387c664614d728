*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     Keywords that no other suite has, each with what must come of it, through a bridge.

Library           TesterLibrary    testbed=embedded/l2-bridge

Suite Setup       Open Tester
Suite Teardown    Close Tester


*** Test Cases ***
Who The Tester Is
    [Documentation]    Its ports are those of the testbed.
    ${info} =    Get Tester Info
    Should Be Equal    ${info.target}    engine
    Should Be Equal    ${{ [port.name for port in $info.ports] }}    ${{ ['p1', 'p2'] }}
    Should Be True    all(port.link_up and port.max_frame_size >= 1518 for port in $info.ports)

Messages
    [Documentation]    Three of five packets each, the second one of seven; then the stream ends.
    Create Message Stream    control    messages=3    packets=5    interval=10 ms    repeat=False
    Set Message    control    2    packets=7
    ${trial} =    Send Traffic    control
    Should Be Equal As Integers    ${trial.sent}    17
    Verify Loss Below    0    ${trial}

An Outage
    [Documentation]    A bridge that forwards has none.
    Create Stream    north    frame_size=128    rate=1 kpps
    ${result} =    Measure Outage    north    duration=0.5 s
    Should Be Empty    ${result.outages}
    Verify Outage Below    1 ms    ${result}
    ${longest} =    Get Outage    north    <=    1 ms
    Should Be Equal    ${longest}    ${0.0}

The Worst Flows
    [Documentation]    All of them are counted, and one as good as another.
    Create Stream    north    frame_size=128    rate=1 kpps
    Set Field Sweep    north    UDP.sport    10000    10009
    Set Flow Counting    north
    Measure Loss    north    duration=0.5 s
    ${worst} =    Get Worst Flows    north    3
    Should Be Equal    ${{ [(flow.sent, flow.lost) for flow in $worst] }}    ${{ [(50, 0)] * 3 }}

Random Ports
    [Documentation]    Each frame arrives, whatever its ports.
    Create Stream    north    frame_size=128    rate=1 kpps
    Set Random Ports    north    seed=1
    ${trial} =    Measure Loss    north    duration=0.5 s
    Should Be Equal    ${trial.traffic}    evenly spaced, an unknown number of flows
    Verify Loss Below    0

Datagrams Come Back
    [Documentation]    Each of them that is for the server's port; one for another port does not.
    Start UDP Responder    echo    servers=198.18.0.88    udp_port=7
    Asks    right    7
    Get Session Statistics    echo    answered    ==    ${10}
    Asks    wrong    9
    ${statistics} =    Stop Responder    echo
    Should Be Equal As Integers    ${statistics.count('answered')}    10
    Should Be Equal As Integers    ${statistics.tx_packets}    10

Clients Are Stopped
    [Documentation]    The responder goes on, and what they have counted stays.
    Start TCP Responder    servers    servers=198.18.0.88:80
    Start TCP Clients    users    198.18.0.88:80    flow_size=0    rate=50/s    total=10
    Wait For Clients    users
    ${stopped} =    Stop Clients    users
    Should Be Equal As Integers    ${stopped.established}    10
    Get Session Statistics    users    completed    ==    ${10}
    Run Keyword And Expect Error    *'users'*    Measure Connection Rate    users    duration=0.1 s
    ${served} =    Stop Responder    servers
    Should Be Equal As Integers    ${served.established}    10


*** Keywords ***
Asks
    [Documentation]    Ten datagrams, to all, as the bridge need not know where the server is.
    [Arguments]    ${stream}    ${port}
    Create Stream    ${stream}    tx=p1    rx=p1    frame_size=128    rate=50 pps    signature=False
    VAR    ${ip} =    Ether(dst=ff:ff:ff:ff:ff:ff) / IP(src=198.18.0.77, dst=198.18.0.88)
    Set Headers    ${stream}    ${ip} / UDP(sport=2000, dport=${port})
    Send Burst    ${stream}    packets=10
