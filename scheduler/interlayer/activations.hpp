// Buffers of a network's activations: who touches them, in which order, and where they lie.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/interlayer/model_groups.hpp"
#include "scheduler/lower/partition.hpp"
#include "scheduler/operations/operations.hpp"
#include "tessera/memory_plan.hpp"
#include "tessera/network.hpp"
#include "tessera/order.hpp"

namespace tessera {

/// Addresses before the plan: every buffer's bytes start at a multiple of this, far above any
/// memory.
inline constexpr std::uint64_t kVirtualBuffer = std::uint64_t{1} << 36;

class Activations {
 public:
  Activations(const Network& network, const Partition& plan);

  static constexpr std::size_t kNone = SIZE_MAX;
  /// Of a tensor; kNone for constants and what no unit touches.
  [[nodiscard]] std::size_t buffer_of(std::int32_t tensor) const {
    return buffer_of_[static_cast<std::size_t>(tensor)];
  }
  /// Index into Network::models, 0 without any.
  [[nodiscard]] std::size_t model_of(std::uint32_t unit) const { return model_of_[unit]; }
  [[nodiscard]] std::size_t buffers() const { return tensors_.size(); }
  [[nodiscard]] const OrderProblem& order_problem() const { return problem_; }
  /// It holds an output of the network.
  [[nodiscard]] bool is_output(std::size_t buffer) const;
  /// It holds a value that outlives the run.
  [[nodiscard]] bool is_state(std::size_t buffer) const;
  /// The tensor whose bytes a buffer holds.
  [[nodiscard]] std::int32_t tensor_of(std::size_t buffer) const { return tensors_[buffer]; }

  /// Buffers with their lifetimes when units run in `order`.
  [[nodiscard]] AllocationProblem allocation_problem(const std::vector<std::uint32_t>& order,
                                                     std::uint64_t alignment) const;

  /// How far the outputs of a unit may reach into inputs that nobody needs after it. `operations`:
  /// the unit's, on virtual addresses; empty for the host, which computes aside. `when`: its place
  /// in the order.
  void add_overlaps(const FusedOperator& unit, std::size_t when,
                    const std::vector<Operation>& operations, AllocationProblem& problem) const;

  /// What each of several models needs; empty for one.
  [[nodiscard]] std::vector<ModelMemory> model_memory(const AllocationProblem& problem) const;
  /// Whose memory each buffer is, when there are several models.
  [[nodiscard]] std::vector<BufferOwner> owners() const;

 private:
  [[nodiscard]] bool is_input(std::size_t buffer) const;
  void touch(std::size_t unit, std::int32_t tensor, const Partition& plan);
  void find_models(const Partition& plan);
  void touch_ends(const Partition& plan);
  void find_touches(const Partition& plan);
  void find_dependencies(const Partition& plan);
  void find_state_dependencies(const Partition& plan);

  const Network& network_;
  OrderProblem problem_;
  std::vector<std::size_t> model_of_;                // by unit
  std::vector<std::vector<std::uint32_t>> sources_;  // by model: units that wait for nothing
  std::vector<std::vector<std::uint32_t>> sinks_;    // by model: units nothing waits for
  std::vector<std::size_t> buffer_of_;               // by tensor
  std::vector<std::int32_t> tensors_;                // by buffer
};

/// Real addresses instead of virtual ones: `base` by buffer.
void link_addresses(std::vector<Operation>& operations, const std::vector<std::uint64_t>& base);

}  // namespace tessera
