// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/device/device.h"

#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "port/device/eal.h"
#include "port/device/pool.h"

namespace tester {
namespace {

// For a queue of net_af_xdp 2048 buffers wait for frames from the kernel, as many for the kernel to
// send, and as many are on their way through the engine; the other drivers copy or hold fewer.
constexpr unsigned kSharedBuffers = 8192;
constexpr unsigned kReceiveBuffers = 8192;
constexpr unsigned kSendBuffers = 4096;
constexpr unsigned kFewestBuffers = 1024;
constexpr uint32_t kUsualBytes = 2048;
constexpr uint16_t kDescriptors = 2048;

void Check(int result, const std::string& device, const char* what, Code code = Code::kInternal) {
  if (result >= 0) return;
  const std::string complaints = TakeEalComplaints();
  throw Error(code, Cat(device, ": ", what, ": ", rte_strerror(-result),
                        complaints.empty() ? "" : ": ", complaints));
}

void CheckQueues(const std::string& name, uint16_t queues, const rte_eth_dev_info& info) {
  const uint16_t most = std::min(info.max_rx_queues, info.max_tx_queues);
  if (queues <= most) return;
  throw Error(Code::kFailedPrecondition,
              Cat("port ", name, ": --queues ", queues, ", and ", info.driver_name, " has ", most,
                  " here; give at most as many"));
}

// The frames of a flow arrive on one queue (RSS), where the device has several and spreads them.
void SpreadFlows(const rte_eth_dev_info& info, uint16_t queues, rte_eth_conf& conf) {
  constexpr uint64_t kFlows = RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP;
  const uint64_t known = info.flow_type_rss_offloads & kFlows;
  if (queues == 1 || known == 0) return;
  conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
  conf.rx_adv_conf.rss_conf.rss_hf = known;
}

}  // namespace

std::string DriverOf(uint16_t device) {
  rte_eth_dev_info info{};
  return rte_eth_dev_info_get(device, &info) == 0 ? info.driver_name : "";
}

bool TellsOfLinks(uint16_t device) {
  rte_eth_dev_info info{};
  return rte_eth_dev_info_get(device, &info) == 0 && info.dev_flags != nullptr &&
         (*info.dev_flags & RTE_ETH_DEV_INTR_LSC) != 0;
}

Device Device::Probe(const std::string& arguments) {
  TakeEalComplaints();
  Check(rte_dev_probe(arguments.c_str()), arguments, "DPDK has no such device", Code::kNotFound);
  uint16_t id = kNone;
  const std::string name = arguments.substr(0, arguments.find(','));
  Check(rte_eth_dev_get_port_by_name(name.c_str(), &id), arguments, "it is no network device",
        Code::kNotFound);
  return Device(id);
}

Device::~Device() {
  if (id_ == kNone) return;
  // Promiscuous mode is a flag of the kernel's interface and would outlive us.
  rte_eth_promiscuous_disable(id_);
  rte_eth_dev_info info{};
  rte_eth_dev_info_get(id_, &info);
  rte_eth_dev_stop(id_);
  rte_eth_dev_close(id_);
  if (info.device != nullptr) rte_dev_remove(info.device);
  rte_mempool_free(tx_pool_);
  if (rx_pool_ != tx_pool_) rte_mempool_free(rx_pool_);
}

void Device::MakePools(const std::string& name, const Setup& setup, const std::string& driver) {
  const uint32_t buffer_bytes = setup.buffer_bytes;
  // net_af_xdp sends without a copy only from the buffers that it receives into.
  if (driver == "net_af_xdp") {
    rx_pool_ = tx_pool_ = MakeSharedPool(name, setup.queues * kSharedBuffers, buffer_bytes);
    return;
  }
  // net_af_packet copies and holds none: where buffers are longer, fewer do.
  const unsigned share = driver == "net_af_packet" ? 1 + buffer_bytes / kUsualBytes : 1;
  const auto make = [&](const char* suffix, unsigned buffers) {
    const unsigned each = std::max(buffers / share, kFewestBuffers);
    return MakePool(name + suffix, setup.queues * each, buffer_bytes);
  };
  rx_pool_ = make(".rx", kReceiveBuffers);
  tx_pool_ = make(".tx", kSendBuffers);
}

void Device::Start(const std::string& name, const Setup& setup) {
  rte_eth_dev_info info{};
  Check(rte_eth_dev_info_get(id_, &info), name, "information");
  CheckQueues(name, setup.queues, info);
  queues_ = setup.queues;
  MakePools(name, setup, info.driver_name);
  rte_eth_conf conf{};
  conf.rxmode.mtu = setup.mtu;
  SpreadFlows(info, queues_, conf);
  // Everything sent comes from one pool, with one reference and in one piece.
  conf.txmode.offloads = info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
  frees_to_one_pool_ = conf.txmode.offloads != 0;
  conf.intr_conf.lsc = TellsOfLinks(id_) ? 1 : 0;
  Check(rte_eth_dev_configure(id_, queues_, queues_, &conf), name, "configuration");
  uint16_t rx_descriptors = kDescriptors;
  uint16_t tx_descriptors = kDescriptors;
  Check(rte_eth_dev_adjust_nb_rx_tx_desc(id_, &rx_descriptors, &tx_descriptors), name, "queues");
  const auto socket = static_cast<unsigned>(std::max(0, rte_eth_dev_socket_id(id_)));
  rte_eth_txconf tx_conf = info.default_txconf;
  tx_conf.offloads = conf.txmode.offloads;
  for (uint16_t queue = 0; queue < queues_; ++queue) {
    Check(rte_eth_rx_queue_setup(id_, queue, rx_descriptors, socket, nullptr, rx_pool_), name,
          "receive queue");
    Check(rte_eth_tx_queue_setup(id_, queue, tx_descriptors, socket, &tx_conf), name, "send queue");
  }
  Check(rte_eth_dev_start(id_), name, "start");
  const int promiscuous = rte_eth_promiscuous_enable(id_);
  if (promiscuous != -ENOTSUP) Check(promiscuous, name, "promiscuous mode");
}

}  // namespace tester
