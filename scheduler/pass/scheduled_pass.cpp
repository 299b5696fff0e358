#include "scheduler/pass/scheduled_pass.hpp"

namespace tessera {

Binding unplaced(const ConvShape& shape) {
  Binding binding;
  binding.ifmap = packed_view(shape.in_w, shape.in_c);
  binding.ofmap = packed_view(shape.out_w, shape.out_c);
  return binding;
}

}  // namespace tessera
