*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     RFC 3918 sections 6 and 8.2: how soon a group arrives after a join, how long after a leave, and beside
...               unicast frames.

Resource          ../../resources/rfc3918.resource

Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Template     Delays Are Short Enough

Test Tags         group-delays    layer-${CRITERIA.layer}

Name              Group Delays


*** Test Cases ***    PROTOCOL    GROUP
IGMP Version 2        igmpv2    239.1.1.1
IGMP Version 3        igmpv3    239.1.1.1
MLD Version 1         mldv1    ff0e::1:1
MLD Version 2         mldv2    ff0e::1:1
Burdened              igmpv2    239.1.1.1    burden


*** Keywords ***
Delays Are Short Enough
    [Documentation]    Sections 6.1 and 6.2, at the first port that receives; 8.2 with a burden. A device that
    ...    floods the group has no delays: the leak is judged first.
    [Arguments]    ${protocol}    ${group}    ${burden}=${NONE}
    Create Multicast Stream
    ...    video
    ...    ${SENDER}
    ...    ${MEMBERS}[0]
    ...    groups=${group}
    ...    rate=${PROFILE.multicast.delay_rate}
    Create Stream
    ...    burden
    ...    tx=${MEMBERS}[1]
    ...    rx=${MEMBERS}[0]
    ...    frame_size=512
    ...    rate=${PROFILE.multicast.burden}
    ${result} =    Measure Group Delays
    ...    video
    ...    cycles=${PROFILE.multicast.cycles}
    ...    protocol=${protocol}
    ...    burden=${burden}
    Verify No Multicast Leak    ${result}
    Verify Group Leave Delay Below    ${CRITERIA.multicast.leave_delay}    ${result}
    Verify Group Join Delay Below    ${CRITERIA.multicast.join_delay}    ${result}
