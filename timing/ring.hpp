// A queue of bounded length without allocation.
#pragma once

#include <array>
#include <cstddef>

namespace tessera::timing {

template <class T, std::size_t N>
class Ring {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T& front() { return entries_[first_]; }
  [[nodiscard]] const T& front() const { return entries_[first_]; }
  void push_back(const T& value) {
    const std::size_t at = first_ + size_++;
    entries_[at < N ? at : at - N] = value;
  }
  void pop_front() {
    first_ = first_ + 1 < N ? first_ + 1 : 0;
    --size_;
  }

 private:
  std::array<T, N> entries_{};
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace tessera::timing
