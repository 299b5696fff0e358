#include "scheduler/check/op.hpp"

namespace tessera::checker {
namespace {

template <class... Commands>
bool has_all(const Op& op) {
  const std::uint64_t wanted =
      ((std::uint64_t{1} << static_cast<unsigned>(Commands::kOpcode)) | ...);
  return (op.configured & wanted) == wanted;
}

}  // namespace

bool is_configured(const Op& op) {
  if (op.unit == isa::Unit::Compute) {
    return has_all<isa::CvInput, isa::CvKernel, isa::CvTile, isa::CvWeights>(op) &&
           (!op.depthwise || has_all<isa::CvWindow>(op));
  }
  if (op.unit == isa::Unit::Load) {
    const bool many = op.load_shape.inner > 1 || op.load_shape.outer > 1;
    return has_all<isa::LdSource, isa::LdShape>(op) && (!many || has_all<isa::LdStride>(op)) &&
           (op.load.fold == 0 || has_all<isa::LdFold>(op)) &&
           (op.load.coded == 0 || has_all<isa::LdCode>(op)) &&
           (!is_uniform(op) || has_all<isa::LdFactor>(op));
  }
  const bool many = op.store_shape.inner > 1 || op.store_shape.outer > 1;
  return has_all<isa::StQuant, isa::StTile>(op) &&
         (op.store.keep_only != 0 ||
          (has_all<isa::StAddress, isa::StShape>(op) && (!many || has_all<isa::StStride>(op)))) &&
         (op.store.keep == 0 || has_all<isa::StKeep>(op)) &&
         (!takes_operand(op) || has_all<isa::StResult>(op));
}

bool is_uniform(const Op& op) {
  return static_cast<isa::LoadKind>(op.load.kind) == isa::LoadKind::Param &&
         op.source.pixel_bytes == 4;
}
bool takes_operand(const Op& op) {
  const auto operation = static_cast<isa::StPostOperation>(op.post.operation);
  return operation == isa::StPostOperation::Add || operation == isa::StPostOperation::Multiply;
}
std::optional<std::uint32_t> table_taken(const Op& op) {
  if (op.softmax) {
    return op.softmax->table_select;
  }
  const auto operation = static_cast<isa::StPostOperation>(op.post.operation);
  return operation == isa::StPostOperation::Add || operation == isa::StPostOperation::Table
             ? std::optional(op.post.table_select)
             : std::nullopt;
}

}  // namespace tessera::checker
