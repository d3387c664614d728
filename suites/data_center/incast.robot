*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       RFC 8239 section 6: connections from several ports to one, beside datagrams to the same port. The
...                 goodput of the connections, and the latency of the datagrams that arrive.
Name                Incast
Resource            ../../resources/rfc8239.resource
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Tags           incast    layer-${CRITERIA.layer}


*** Variables ***
${SERVER}               198.18.1.2:5001    # of the tester, at the first port
${CONNECTIONS}          2    # of each port that sends
${DATAGRAMS}            100 pps    # of 128 bytes
${PAYLOAD}              100 MB    # of each connection


*** Test Cases ***
Stateful And Stateless Traffic Meet At One Port
    [Documentation]    All but the last port send over TCP to the first one, and the last one datagrams.
    ${senders} =    Evaluate    $PORTS[1:-1]
    Start TCP Responder    sink    port=${PORTS}[0]    servers=${SERVER}
    Create Stream    datagrams    tx=${PORTS}[-1]    rx=${PORTS}[0]    frame_size=128    rate=${DATAGRAMS}
    FOR    ${port}    IN    @{senders}
        Start TCP Clients    ${port}    ${SERVER}    port=${port}    connections=${CONNECTIONS}    flow_size=${PAYLOAD}
    END
    Start Traffic    datagrams
    Measure Goodput    sink
    Verify Goodput Above    ${CRITERIA.data_center.goodput}
    Stop Traffic
    Verify Latency Below    ${CRITERIA.data_center.incast_latency}    percentile=99
    Stop Clients
