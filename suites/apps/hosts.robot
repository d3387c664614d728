*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       What is behind a next hop: which hosts live, and a web server, asked without connections.
...                 To copy: each test stands by itself.
...
...                 | robot suites/apps/hosts.robot
...                 | robot --variable TESTBED:my/testbed.yaml --variable LIVE:12 suites/apps/hosts.robot
Library             TesterLibrary    testbed=${TESTBED}    profile=${PROFILE_NAME}
Suite Setup         Open Tester
Suite Teardown      Close Tester


*** Variables ***
${TESTBED}          embedded/web-hosts
${PROFILE_NAME}     quick    # durations and repetitions where a test does not say
${FIRST}            198.18.2.0    # of the addresses that are scanned
${LAST}             198.18.2.255
${LIVE}             37    # how many of them there are
${SCAN}             1 kpps    # of the SYNs
${SERVER}           198.18.4.2    # of the web
${REQUEST}          Ether / IP / TCP(flags=PA, seq=TCP.ack, ack="TCP.seq + 1") / Raw(load="GET /1kB HTTP/1.0\r\n\r\n")
${RELEASE}          Ether / IP / TCP(flags=R, seq=TCP.ack)
${CLIENTS}          50    # new ones, at ports from 2000 on
${PAGE}             payload == "HTTP/1.0 200"    # a switch: TCP.flags has P and TCP.dport == 2000-2049
${OPENED}           TCP.flags == SA and TCP.dport == 2000-2999    # what a host repeats for the scan is none


*** Test Cases ***
IP Scanning
    [Documentation]    HyperTester table 5: who answers a SYN. The result has which ones, too: ``keys``.
    Create Stream    scan    tx=p2    rx=p1    rate=${SCAN}    signature=False
    ...    headers=Ether / IP(dst=${FIRST}) / TCP(dport=80, flags=S)
    Set Field Sweep    scan    IP.dst    ${FIRST}    ${LAST}
    Count Distinct    alive    keys=IP.src    port=p2    filter=TCP.flags == SA and IP.src == ${FIRST}-${LAST}
    Send Traffic    scan    packets=256
    Get Query Result    alive    count    ==    ${LIVE}

Web Testing
    [Documentation]    HyperTester section 5.4: new clients, whose connections nobody keeps: what arrives has the next
    ...    packet sent. Each gets the page.
    Create Stream    opens    tx=p2    rx=p1    rate=100 pps    signature=False
    ...    headers=Ether / IP(dst=${SERVER}) / TCP(sport=2000, dport=80, flags=S)
    Set Field Sweep    opens    TCP.sport    2000    count=${CLIENTS}
    When Packet Arrives    request    port=p2    filter=${OPENED}    send=${REQUEST}
    When Packet Arrives    release    port=p2    filter=TCP.flags has F    send=${RELEASE}
    Count Distinct    answered    keys=TCP.dport    port=p2    filter=${PAGE}
    Send Traffic    opens    packets=${CLIENTS}
    Wait For Clients    release    matched    >=    ${CLIENTS}    timeout=5 s    # the server answers when it can
    Get Query Result    answered    count    ==    ${CLIENTS}
