*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     RFC 3918 sections 4, 5 and 8.1: throughput, forwarding rates and latency from one source to members.

Resource          ../../resources/rfc3918.resource

Suite Setup       Open Tester
Suite Teardown    Close Tester

Test Tags         multicast-forwarding    layer-${CRITERIA.layer}

Name              Multicast Forwarding


*** Test Cases ***
Mixed Class Throughput
    [Documentation]    Section 4.1: as many unicast frames to the first member as to the groups.
    Given Members Of    ${GROUPS}
    Create Stream    unicast    tx=${SENDER}    rx=${MEMBERS}[0]    frame_size=512    rate=50 %
    Create Multicast Stream    multicast    ${SENDER}    @{MEMBERS}    groups=${GROUPS}    frame_size=512    rate=50 %
    ${result} =    Find Throughput    unicast    multicast    resolution=${PROFILE.multicast.resolution}
    Verify Throughput Above    ${CRITERIA.multicast.throughput}    ${result}
    Verify No Multicast Leak    ${result}

Scaled Group Forwarding Matrix
    [Documentation]    Section 4.2.
    ${result} =    Sweep Group Forwarding
    ...    ${SENDER}
    ...    @{MEMBERS}
    ...    groups=${PROFILE.multicast.matrix}
    ...    frame_size=512
    ...    load=${PROFILE.multicast.load}
    Verify Group Forwarding Rate Above    ${CRITERIA.multicast.forwarding_rate}    ${result}
    Verify No Multicast Leak    ${result}

Aggregated Multicast Throughput
    [Documentation]    Section 4.3.
    Given Members Of    ${GROUPS}
    Create Multicast Stream    multicast    ${SENDER}    @{MEMBERS}    groups=${GROUPS}    frame_size=512
    ${result} =    Find Throughput    multicast    resolution=${PROFILE.multicast.resolution}
    Verify Throughput Above    ${CRITERIA.multicast.throughput}    ${result}
    Verify No Multicast Leak    ${result}

Aggregated Multicast Throughput Of IPv6
    [Documentation]    Section 4.3, with members that report by MLD.
    Given Members Of    ${IPV6_GROUPS}
    Create Multicast Stream    multicast    ${SENDER}    @{MEMBERS}    groups=${IPV6_GROUPS}    frame_size=512
    ${result} =    Find Throughput    multicast    resolution=${PROFILE.multicast.resolution}
    Verify Throughput Above    ${CRITERIA.multicast.throughput}    ${result}
    Verify No Multicast Leak    ${result}

Forwarding Burdened Multicast Latency
    [Documentation]    Section 8.1: beside unicast frames to the first member.
    Given Members Of    ${GROUPS}
    Create Stream
    ...    unicast
    ...    tx=${MEMBERS}[1]
    ...    rx=${MEMBERS}[0]
    ...    frame_size=512
    ...    rate=${PROFILE.multicast.burden}
    Create Multicast Stream    multicast    ${SENDER}    @{MEMBERS}    groups=${GROUPS}    frame_size=512
    ${result} =    Measure Multicast Latency
    ...    multicast
    ...    rate=${PROFILE.multicast.latency_rate}
    ...    burden=unicast
    Verify Latency Below    ${CRITERIA.multicast.latency}    ${result}
    Verify No Multicast Leak    ${result}

Multicast Latency
    [Documentation]    Sections 5.1 and 5.2: at every member in turn.
    Given Members Of    ${GROUPS}
    Create Multicast Stream    multicast    ${SENDER}    @{MEMBERS}    groups=${GROUPS}    frame_size=512
    ${result} =    Measure Multicast Latency    multicast    rate=${PROFILE.multicast.latency_rate}
    Verify Latency Below    ${CRITERIA.multicast.latency}    ${result}
    Verify No Multicast Leak    ${result}


*** Keywords ***
Given Members Of
    [Documentation]    All ports that receive join all groups.
    [Arguments]    ${groups}
    FOR    ${member}    IN    @{MEMBERS}
        Join Group    ${member}    ${groups}
    END
