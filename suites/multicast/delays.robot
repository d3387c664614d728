*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     RFC 3918 section 6: how soon a group arrives after a join, and how long after a leave.

Resource          ../../resources/rfc3918.resource

Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Template     Delays Are Short Enough

Test Tags         group-delays    layer-${CRITERIA.layer}

Name              Group Delays


*** Test Cases ***    PROTOCOL
IGMP Version 2    igmpv2
IGMP Version 3    igmpv3


*** Keywords ***
Delays Are Short Enough
    [Documentation]    Sections 6.1 and 6.2, at the first port that receives.
    [Arguments]    ${protocol}
    Create Multicast Stream    video    ${SENDER}    ${MEMBERS}[0]    rate=${PROFILE.multicast.delay_rate}
    ${result} =    Measure Group Delays    video    cycles=${PROFILE.multicast.cycles}    protocol=${protocol}
    Verify Group Join Delay Below    ${CRITERIA.multicast.join_delay}    ${result}
    Verify Group Leave Delay Below    ${CRITERIA.multicast.leave_delay}    ${result}
    Verify No Multicast Leak    ${result}
