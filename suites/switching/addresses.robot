*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       RFC 2889 sections 5.7 and 5.8: how many addresses a bridge knows at once, how fast it learns, and
...                 after how long it forgets.
Name                Addresses
Resource            ../../resources/rfc2889.resource
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Tags           addresses    layer-${CRITERIA.layer}


*** Test Cases ***
Address Caching Capacity
    [Documentation]    Section 5.7.
    ${result} =    Find Address Capacity
    ...    lowest=${PROFILE.switching.fewest}
    ...    highest=${PROFILE.switching.most}
    ...    rate=${PROFILE.switching.rate}
    ...    probe_rate=${PROFILE.switching.rate}
    ...    resolution=${PROFILE.switching.precision}
    ...    ageing=${CRITERIA.switching.ageing}
    Verify Address Capacity Above    ${CRITERIA.switching.addresses}    ${result}

Address Learning Rate
    [Documentation]    Section 5.8.
    ${result} =    Find Address Learning Rate
    ...    addresses=${PROFILE.switching.addresses}
    ...    highest=${PROFILE.switching.highest_rate}
    ...    probe_rate=${PROFILE.switching.rate}
    ...    ageing=${CRITERIA.switching.ageing}
    Verify Address Learning Rate Above    ${CRITERIA.switching.learning_rate}    ${result}

Address Ageing
    [Documentation]    How long the bridge forwards to one port what is for an address that sends nothing.
    [Tags]    address-ageing
    ${result} =    Measure Ageing Time    rate=${PROFILE.switching.rate}
    Log    ${result}
    Verify Ageing Time Below    ${CRITERIA.switching.ageing}    ${result}
