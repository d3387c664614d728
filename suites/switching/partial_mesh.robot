*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       RFC 2544 section 16 and RFC 2889 sections 5.2 to 5.4: the throughput of ports in pairs, and of a
...                 partial mesh: from one port to all others, from all others to one, both at once (a backbone), and
...                 from the first half of the ports to the second one. Over ports of several devices it is section 5.3.
Name                Partially Meshed Throughput
Resource            ../../resources/rfc2889.resource
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Tags           partial-mesh    layer-${CRITERIA.layer}
Test Template       Throughput Of Pattern Is At Least


*** Test Cases ***          PATTERN        FRAME SIZE    AT LEAST
Pairs 64 Bytes              pairs          64            ${CRITERIA.switching.pairs}[64]
Pairs 128 Bytes             pairs          128           ${CRITERIA.switching.pairs}[128]
Pairs 256 Bytes             pairs          256           ${CRITERIA.switching.pairs}[256]
Pairs 512 Bytes             pairs          512           ${CRITERIA.switching.pairs}[512]
Pairs 1024 Bytes            pairs          1024          ${CRITERIA.switching.pairs}[1024]
Pairs 1280 Bytes            pairs          1280          ${CRITERIA.switching.pairs}[1280]
Pairs 1518 Bytes            pairs          1518          ${CRITERIA.switching.pairs}[1518]
One To Many 64 Bytes        one-to-many    64            ${CRITERIA.switching.one_to_many}[64]
One To Many 128 Bytes       one-to-many    128           ${CRITERIA.switching.one_to_many}[128]
One To Many 256 Bytes       one-to-many    256           ${CRITERIA.switching.one_to_many}[256]
One To Many 512 Bytes       one-to-many    512           ${CRITERIA.switching.one_to_many}[512]
One To Many 1024 Bytes      one-to-many    1024          ${CRITERIA.switching.one_to_many}[1024]
One To Many 1280 Bytes      one-to-many    1280          ${CRITERIA.switching.one_to_many}[1280]
One To Many 1518 Bytes      one-to-many    1518          ${CRITERIA.switching.one_to_many}[1518]
Many To One 64 Bytes        many-to-one    64            ${CRITERIA.switching.many_to_one}[64]
Many To One 128 Bytes       many-to-one    128           ${CRITERIA.switching.many_to_one}[128]
Many To One 256 Bytes       many-to-one    256           ${CRITERIA.switching.many_to_one}[256]
Many To One 512 Bytes       many-to-one    512           ${CRITERIA.switching.many_to_one}[512]
Many To One 1024 Bytes      many-to-one    1024          ${CRITERIA.switching.many_to_one}[1024]
Many To One 1280 Bytes      many-to-one    1280          ${CRITERIA.switching.many_to_one}[1280]
Many To One 1518 Bytes      many-to-one    1518          ${CRITERIA.switching.many_to_one}[1518]
Backbone 64 Bytes           backbone       64            ${CRITERIA.switching.backbone}[64]
Backbone 128 Bytes          backbone       128           ${CRITERIA.switching.backbone}[128]
Backbone 256 Bytes          backbone       256           ${CRITERIA.switching.backbone}[256]
Backbone 512 Bytes          backbone       512           ${CRITERIA.switching.backbone}[512]
Backbone 1024 Bytes         backbone       1024          ${CRITERIA.switching.backbone}[1024]
Backbone 1280 Bytes         backbone       1280          ${CRITERIA.switching.backbone}[1280]
Backbone 1518 Bytes         backbone       1518          ${CRITERIA.switching.backbone}[1518]
Halves 64 Bytes             halves         64            ${CRITERIA.switching.halves}[64]
Halves 128 Bytes            halves         128           ${CRITERIA.switching.halves}[128]
Halves 256 Bytes            halves         256           ${CRITERIA.switching.halves}[256]
Halves 512 Bytes            halves         512           ${CRITERIA.switching.halves}[512]
Halves 1024 Bytes           halves         1024          ${CRITERIA.switching.halves}[1024]
Halves 1280 Bytes           halves         1280          ${CRITERIA.switching.halves}[1280]
Halves 1518 Bytes           halves         1518          ${CRITERIA.switching.halves}[1518]


*** Keywords ***
Throughput Of Pattern Is At Least
    [Documentation]    Searches the load of each port that sends without loss.
    [Arguments]    ${pattern}    ${frame_size}    ${at_least}
    Create Streams Over Ports    routes    @{PORTS}    pattern=${pattern}    frame_size=${frame_size}
    ${result} =    Find Throughput
    ...    routes
    ...    resolution=${PROFILE.switching.resolution}
    ...    lowest=${PROFILE.switching.lowest}
    Verify Throughput Above    ${at_least}    ${result}
