*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     A TCP stack loses chosen segments, and sends each of them again as often as it was lost.
...
...               The server's kernel counts what it sends again; the tester, which is in the way, knows what
...               was lost. Headers are given for testers that are switches, which have to know them.

Library           TesterLibrary    testbed=${TESTBED}    profile=${PROFILE_NAME}

Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Setup        Create Path    wan    between=p1,p2

Test Tags         inline    tcp


*** Variables ***
${TESTBED}         embedded/path-hosts
${PROFILE_NAME}    quick    # durations and repetitions where a test does not say
${URL}             http://198.18.1.3/1MB
${HEADERS}         IP / TCP
&{SEGMENT}         headers=${HEADERS}    flow=1    number=20    data_only=True    direction=backward


*** Test Cases ***
Nothing Is Lost
    [Documentation]    The path itself costs no segment.
    Start Path    wan
    Download
    Get Host Counter    server    TcpRetransSegs    ==    0
    Get Path Statistics    wan    lost    ==    0

A Data Segment
    [Documentation]    It is sent again once.
    Drop Packet    wan    &{SEGMENT}
    Start Path    wan
    Download
    Verify All Events Fired
    Get Path Statistics    wan    dropped    ==    1
    Get Host Counter    server    TcpRetransSegs    ==    1

A Data Segment And Its First Retransmission
    [Documentation]    It is sent again twice.
    Drop Packet    wan    &{SEGMENT}    iteration=1
    Drop Packet    wan    &{SEGMENT}    iteration=2
    Start Path    wan
    Download
    Verify All Events Fired
    Get Path Statistics    wan    dropped    ==    2
    Get Host Counter    server    TcpRetransSegs    ==    2

The SYN
    [Documentation]    The client sends it again when its timer is over.
    Drop Packet    wan    headers=${HEADERS}    flow=1    number=1    direction=forward
    Start Path    wan
    Download
    Verify All Events Fired
    Get Host Counter    client    TcpRetransSegs    ==    1

A Corrupted Segment
    [Documentation]    Its checksum tells, so it is lost as well.
    Corrupt Packet    wan    &{SEGMENT}    bit=12
    Start Path    wan
    Download
    Verify All Events Fired
    Get Host Counter    client    TcpInCsumErrors    ==    1
    Get Host Counter    server    TcpRetransSegs    ==    1

A Corruption That No Checksum Tells
    [Documentation]    Nobody sends it again: only the content is wrong.
    Corrupt Packet    wan    &{SEGMENT}    bit=12    checksum=repair
    Start Path    wan
    Download
    Verify All Events Fired
    Get Host Counter    client    TcpInCsumErrors    ==    0
    Get Host Counter    server    TcpRetransSegs    ==    0

A Marked Segment
    [Documentation]    The receiver's kernel counts the mark.
    Mark Packet    wan    &{SEGMENT}
    Start Path    wan
    Download
    Verify All Events Fired
    Get Host Counter    client    IpExtInCEPkts    ==    1
    Get Host Counter    server    TcpRetransSegs    ==    0


*** Keywords ***
Download
    [Documentation]    The client gets a megabyte from the server, through the path.
    Run On Host
    ...    client
    ...    curl
    ...    --silent
    ...    --fail
    ...    --globoff
    ...    --proto
    ...    =http,https
    ...    --output
    ...    /dev/null
    ...    --
    ...    ${URL}
    ...    timeout=30 s
