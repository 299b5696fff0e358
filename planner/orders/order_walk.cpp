#include <algorithm>

#include "tessera/error.hpp"
#include "tessera/order.hpp"

namespace tessera {

OrderWalk::OrderWalk(const OrderProblem& problem)
    : problem_(problem),
      after_(problem.before.size()),
      touches_(problem.before.size()),
      reuses_(problem.before.size()),
      waiting_(problem.before.size()),
      done_(problem.before.size()),
      ready_(problem.before.size() / 64 + 1) {
  for (std::size_t n = 0; n < problem.before.size(); ++n) {
    waiting_[n] = static_cast<std::uint32_t>(problem.before[n].size());
    if (waiting_[n] == 0) {
      flip_ready(static_cast<std::uint32_t>(n));
    }
    for (const std::uint32_t b : problem.before[n]) {
      after_[b].push_back(static_cast<std::uint32_t>(n));
    }
  }
  for (std::size_t i = 0; i < problem.items.size(); ++i) {
    const OrderItem& item = problem.items[i];
    left_.push_back(static_cast<std::uint32_t>(item.touched_by.size()));
    for (const std::uint32_t n : item.touched_by) {
      touches_[n].push_back(static_cast<std::uint32_t>(i));
    }
    alive_ += item.from_start ? item.size : 0;
  }
  for (std::size_t r = 0; r < problem.reuses.size(); ++r) {
    reuses_[problem.reuses[r].node].push_back(static_cast<std::uint32_t>(r));
  }
}

std::uint64_t OrderWalk::during(std::uint32_t node) const {
  std::uint64_t bytes = alive_ + problem_.work[node];
  for (const std::uint32_t i : touches_[node]) {
    const OrderItem& item = problem_.items[i];
    bytes += left_[i] == item.touched_by.size() && !item.from_start ? item.size : 0;
  }
  std::uint64_t saved = 0;
  for (const std::uint32_t r : reuses_[node]) {
    const OrderReuse& reuse = problem_.reuses[r];
    const OrderItem& in = problem_.items[reuse.input];
    const OrderItem& out = problem_.items[reuse.output];
    if (left_[reuse.input] == 1 && !in.to_end && left_[reuse.output] == out.touched_by.size()) {
      saved = std::max(saved, std::min(in.size, out.size));
    }
  }
  return bytes - saved;
}

std::int64_t OrderWalk::change(std::uint32_t node) const {
  std::int64_t bytes = 0;
  for (const std::uint32_t i : touches_[node]) {
    const OrderItem& item = problem_.items[i];
    const auto size = static_cast<std::int64_t>(item.size);
    bytes += left_[i] == item.touched_by.size() && !item.from_start ? size : 0;
    bytes -= left_[i] == 1 && !item.to_end ? size : 0;
  }
  return bytes;
}

void OrderWalk::run(std::uint32_t node) {
  alive_ = static_cast<std::uint64_t>(static_cast<std::int64_t>(alive_) + change(node));
  for (const std::uint32_t i : touches_[node]) {
    --left_[i];
  }
  for (const std::uint32_t n : after_[node]) {
    if (--waiting_[n] == 0) {
      flip_ready(n);
    }
  }
  done_[node] = 1;
  flip_ready(node);
}

void OrderWalk::take_back(std::uint32_t node) {
  for (const std::uint32_t i : touches_[node]) {
    ++left_[i];
  }
  for (const std::uint32_t n : after_[node]) {
    if (waiting_[n]++ == 0) {
      flip_ready(n);
    }
  }
  done_[node] = 0;
  flip_ready(node);
  alive_ = static_cast<std::uint64_t>(static_cast<std::int64_t>(alive_) - change(node));
}

std::uint32_t OrderWalk::next_ready(std::uint32_t node) const {
  const auto count = static_cast<std::uint32_t>(done_.size());
  if (node >= count) {
    return count;
  }
  std::uint64_t bits = ready_[node / 64] >> (node % 64) << (node % 64);
  for (std::size_t word = node / 64;; bits = ready_[word]) {
    if (bits != 0) {
      return static_cast<std::uint32_t>(word * 64) +
             static_cast<std::uint32_t>(__builtin_ctzll(bits));
    }
    if (++word == ready_.size()) {
      return count;
    }
  }
}

std::vector<std::uint64_t> memory_along(const OrderProblem& problem,
                                        const std::vector<std::uint32_t>& order) {
  OrderWalk walk(problem);
  std::vector<std::uint64_t> result;
  for (const std::uint32_t node : order) {
    if (!walk.is_ready(node)) {
      throw InputError("operator " + std::to_string(node) + " runs before what it needs");
    }
    result.push_back(walk.during(node));
    walk.run(node);
  }
  return result;
}

}  // namespace tessera
