*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     RFC 3918 section 7.1: how many groups a device forwards at once.

Resource          ../../resources/rfc3918.resource

Suite Setup       Open Tester
Suite Teardown    Close Tester

Test Tags         group-capacity    layer-${CRITERIA.layer}

Name              Group Capacity


*** Test Cases ***
Multicast Group Capacity
    [Documentation]    Section 7.1, with one member.
    ${result} =    Find Multicast Group Capacity
    ...    ${SENDER}
    ...    ${MEMBERS}[0]
    ...    lowest=${PROFILE.multicast.fewest}
    ...    highest=${PROFILE.multicast.most}
    ...    resolution=${PROFILE.multicast.precision}
    ...    rest=${CRITERIA.multicast.forgets_after}
    ...    empty=${CRITERIA.multicast.empty}
    Verify Multicast Group Capacity Above    ${CRITERIA.multicast.groups}    ${result}
