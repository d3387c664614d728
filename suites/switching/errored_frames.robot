*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     RFC 2889 section 5.9: frames that are longer than the device's longest one must not be forwarded.
...               Frames of less than 64 bytes, with a bad FCS or an end within a byte cannot be sent by a NIC:
...               whether the device filters them is not measured.
...
...               The ports of the testbed have to carry frames that are longer than those of the device. For one with
...               another limit:
...
...               | robot --variable LONGEST:9216 --variable FAR_TOO_LONG:9600 suites/switching/errored_frames.robot

Resource          ../../resources/rfc2889.resource

Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Template     Oversize Frames Are Filtered

Test Tags         errored-frames    layer-${CRITERIA.layer}

Name              Errored Frames


*** Variables ***
${LONGEST}         1518
${FAR_TOO_LONG}    2018


*** Test Cases ***    OVERSIZE
One Byte Too Long    1519
A Tag Too Long    1522
Far Too Long    ${FAR_TOO_LONG}


*** Keywords ***
Oversize Frames Are Filtered
    [Documentation]    Before and after, the longest legal frames are sent, which have to arrive.
    [Arguments]    ${oversize}
    ${result} =    Measure Errored Frames
    ...    oversize
    ...    tx=${PORTS}[0]
    ...    rx=${PORTS}[1]
    ...    longest=${LONGEST}
    ...    oversize=${oversize}
    ...    load=50 %
    Verify Errored Frames Filtered    ${result}
