*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     Members that answer queries keep their groups, others are pruned. The bridge asks twice, 500 ms
...               apart, after a leave, and each port every second; it forgets after three whom it has not heard.

Library           TesterLibrary    testbed=${TESTBED}

Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Template     Members That Answer Keep Their Group


*** Variables ***
${TESTBED}    embedded/l2-multicast


*** Test Cases ***    GROUP    PROTOCOL
IGMP Version 2        239.2.1.1    igmpv2
IGMP Version 3        239.2.1.2    igmpv3
MLD Version 1         ff0e::2:1    mldv1
MLD Version 2         ff0e::2:2    mldv2


*** Keywords ***
Members That Answer Keep Their Group
    [Documentation]    Of two ports one answers general queries. Then another host at that port leaves the group.
    [Arguments]    ${group}    ${protocol}
    Create Multicast Stream    video    p1    p2    groups=${group}    frame_size=512    rate=50 %
    Create Multicast Stream    other    p1    p3    groups=${group}    frame_size=512    rate=50 %
    Join Group    p2    ${group}    protocol=${protocol}
    Join Group    p3    ${group}    protocol=${protocol}    robustness=1    answer=False
    Arrives    other
    Sleep    3.5 s    the bridge forgets whom it has not heard
    Arrives    video
    Does Not Arrive    other
    Leave Group    p3    ${group}
    Join Group    p3    ${group}    protocol=${protocol}
    Another Host Leaves    p2    ${group}
    Another Host Leaves    p3    ${group}
    Sleep    1.2 s    the bridge asks twice, at the ports from which it heard a leave
    Arrives    video
    Arrives    other
    Leave Group    p3    ${group}
    Join Group    p3    ${group}    protocol=${protocol}    robustness=1    answer=False
    Another Host Leaves    p3    ${group}
    Sleep    1.2 s    the bridge asks twice
    Arrives    video
    Does Not Arrive    other

Arrives
    [Documentation]    Every frame of a stream.
    [Arguments]    ${stream}
    Measure Loss    ${stream}    duration=300 ms
    Verify Loss Below    0 %

Does Not Arrive
    [Documentation]    The device is right: it has asked, and nobody has answered.
    [Arguments]    ${stream}
    ${trial} =    Measure Loss    ${stream}    duration=300 ms
    Should Be Equal As Integers    ${trial.received}    0

Another Host Leaves
    [Documentation]    It says once that it does not want the group any more.
    [Arguments]    ${port}    ${group}
    IF    ':' in $group
        VAR    ${headers}    Ether / IPv6(src=fe80::99, dst=ff02::2) / RouterAlert / ICMPv6MLD(type=done, mladdr=${group})
    ELSE
        VAR    ${headers}    Ether / IP(src=198.18.1.99, dst=224.0.0.2) / IGMP(type=leave, gaddr=${group})
    END
    Create Stream    leave    tx=${port}    rx=p1    headers=${headers}    frame_size=112    rate=100 pps
    Send Traffic    leave    packets=1
