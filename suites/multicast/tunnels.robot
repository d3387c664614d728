*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     RFC 3918 section 4.4: throughput of groups that a device puts into tunnels, takes out, or both.

Metadata          Testbed    ${TESTBED}

Resource          ../../resources/rfc3918.resource

Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Template     Throughput Is High Enough

Test Tags         multicast-tunnels    layer-${CRITERIA.layer}

Name              Multicast Tunnels


*** Variables ***
${TESTBED}        embedded/l2-tunnels
${OUTER}          Ether / IP(dst=${CRITERIA.tunnels.first}) / UDP(dport=4789)
${HEADERS}        ${OUTER} / VXLAN(vni=${CRITERIA.tunnels.network}) / Ether
@{INTO}           p1    p2    p3
@{OUT_OF}         p2    p1
@{BETWEEN}        p2    p3


*** Test Cases ***    PORTS    HEADERS    AT LEAST
Encapsulation         ${INTO}    ${NONE}    ${CRITERIA.tunnels.encapsulation}
Decapsulation         ${OUT_OF}    ${HEADERS}    ${CRITERIA.tunnels.decapsulation}
Re-Encapsulation      ${BETWEEN}    ${HEADERS}    ${CRITERIA.tunnels.re_encapsulation}


*** Keywords ***
Throughput Is High Enough
    [Documentation]    Of 50 groups, in frames of 512 bytes as they are sent.
    [Arguments]    ${ports}    ${headers}    ${at_least}
    FOR    ${member}    IN    @{ports}[1:]
        Join Group    ${member}    ${GROUPS}
    END
    Create Multicast Stream    video    @{ports}    groups=${GROUPS}    frame_size=512    tunnel=${headers}
    ${result} =    Find Throughput    video    resolution=${PROFILE.multicast.resolution}
    Verify Throughput Above    ${at_least}    ${result}
