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
    [Documentation]    Of two ports one answers general queries, then both those after a leave, then one again.
    [Arguments]    ${group}    ${protocol}
    Given Two Members    ${group}    ${protocol}
    Arrives    video
    Does Not Arrive    other
    Join Again    ${group}    ${protocol}    answer=True
    Another Host Leaves    ${group}    p2    p3
    Arrives    video    other
    Join Again    ${group}    ${protocol}    answer=False
    Another Host Leaves    ${group}    p3
    Arrives    video
    Does Not Arrive    other

Given Two Members
    [Documentation]    The second one does not answer.
    [Arguments]    ${group}    ${protocol}
    Create Multicast Stream    video    p1    p2    groups=${group}    frame_size=512    rate=50 %
    Create Multicast Stream    other    p1    p3    groups=${group}    frame_size=512    rate=50 %
    Join Group    p2    ${group}    protocol=${protocol}
    Join Group    p3    ${group}    protocol=${protocol}    robustness=1    answer=False
    Arrives    other
    Sleep    3.5 s    the bridge forgets whom it has not heard

Join Again
    [Documentation]    The other port leaves, and is a member again that answers or not.
    [Arguments]    ${group}    ${protocol}    ${answer}
    Leave Group    p3    ${group}
    Join Group    p3    ${group}    protocol=${protocol}    robustness=1    answer=${answer}

Arrives
    [Documentation]    Every frame of each stream.
    [Arguments]    @{streams}
    FOR    ${stream}    IN    @{streams}
        Measure Loss    ${stream}    duration=300 ms
        Verify Loss Below    0 %
    END

Does Not Arrive
    [Documentation]    The device is right: it has asked, and nobody has answered.
    [Arguments]    ${stream}
    ${trial} =    Measure Loss    ${stream}    duration=300 ms
    Should Be Equal As Integers    ${trial.received}    0

Another Host Leaves
    [Documentation]    At each port it says once that it does not want the group; then the bridge asks twice.
    [Arguments]    ${group}    @{ports}
    ${headers} =    Set Variable If    ':' in $group
    ...    Ether / IPv6(src=fe80::99, dst=ff02::2) / RouterAlert / ICMPv6MLD(type=done, mladdr=${group})
    ...    Ether / IP(src=198.18.1.99, dst=224.0.0.2) / IGMP(type=leave, gaddr=${group})
    FOR    ${port}    IN    @{ports}
        Create Stream    leave    tx=${port}    rx=p1    headers=${headers}    frame_size=112    rate=100 pps
        Send Traffic    leave    packets=1
    END
    Sleep    1.2 s
