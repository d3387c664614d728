*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       The tables of TCP, HTTP, DNS and UDP over IPv6, through the kernel's router.
Library             TesterLibrary    testbed=embedded/l3-router-ipv6
Suite Setup         Open Tester
Suite Teardown      Close Tester


*** Test Cases ***
HTTP Is Carried Whole
    [Documentation]    Each byte of each body is compared.
    Start HTTP Responder    servers    port=p2    servers=[2001:2:0:2::10-2001:2:0:2::13]:80
    Start HTTP Clients    users    [2001:2:0:2::10-2001:2:0:2::13]:80    port=p1    connections=20
    ...    sources=[2001:2:0:1::100-2001:2:0:1::113]    response_size=20 kB
    Measure Goodput    users    duration=1 s
    Verify Goodput Above    1 Mbps
    Verify Failed Connections Below    0
    Get Session Statistics    users    verified    >    ${0}
    Get Session Statistics    users    changed    ==    ${0}
    Get Session Statistics    servers    requests    >    ${0}
    [Teardown]    Stop All

Streams Are Carried Whole
    [Documentation]    Servers have the address of their port.
    Start TCP Responder    servers    port=p2
    Start TCP Clients    users    [2001:2:0:2::2]:9000    port=p1    connections=5    total=50    flow_size=10 kB
    Wait Until Keyword Succeeds    10 s    100 ms    Get Session Statistics    users    completed    ==    ${50}
    Get Session Statistics    users    failed    ==    ${0}
    [Teardown]    Stop All

Names Are Answered
    [Documentation]    UDP, too.
    Start Protocol Responder    servers    dns    port=p2    servers=[2001:2:0:2::53]:53
    Start Protocol Clients    users    dns-client    [2001:2:0:2::53]:53    port=p1    connections=5    total=50
    Wait Until Keyword Succeeds    10 s    100 ms    Get Session Statistics    users    completed    ==    ${50}
    [Teardown]    Stop All

A Server Of IPv4 Is Refused
    [Documentation]    No device would send it anything.
    Run Keyword And Expect Error    *speaks IPv4*has only the IPv6 address*
    ...    Start HTTP Responder    servers    port=p2    servers=198.18.0.10:80


*** Keywords ***
Stop All
    [Documentation]    Ends clients before their servers.
    Stop Clients
    Stop Responder
