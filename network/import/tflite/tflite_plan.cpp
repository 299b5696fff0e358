#include "tessera/tflite_plan.hpp"

#include <flatbuffers/flatbuffers.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "tessera/error.hpp"
#include "tflite_generated.h"

namespace tessera {
namespace {

constexpr const char* kMetadataName = "OfflineMemoryAllocation";
constexpr std::int32_t kPlanVersion = 1;
constexpr std::size_t kHeaderWords = 3;
constexpr std::size_t kModelFields = 8;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 31;  // offsets are int32

const tflite::Model& model_in(const std::vector<std::uint8_t>& data, const std::string& name) {
  flatbuffers::Verifier verifier(data.data(), data.size(), 32, 1000000);
  if (data.size() < 8 || !flatbuffers::BufferHasIdentifier(data.data(), "TFL3") ||
      !tflite::VerifyModelBuffer(verifier)) {
    throw InputError(name + ": not a TensorFlow Lite model, or a damaged one");
  }
  const tflite::Model& model = *tflite::GetModel(data.data());
  if (model.subgraphs() == nullptr || model.subgraphs()->size() != 1 ||
      model.buffers() == nullptr) {
    throw InputError(name + ": a model with exactly one subgraph is expected");
  }
  return model;
}

std::uint64_t element_size(tflite::TensorType type, const std::string& where) {
  switch (type) {
    case tflite::TensorType_INT8:
    case tflite::TensorType_UINT8:
    case tflite::TensorType_BOOL:
      return 1;
    case tflite::TensorType_INT16:
    case tflite::TensorType_FLOAT16:
      return 2;
    case tflite::TensorType_INT32:
    case tflite::TensorType_FLOAT32:
      return 4;
    case tflite::TensorType_INT64:
    case tflite::TensorType_COMPLEX64:
      return 8;
    default:
      throw InputError(where + ": its elements have no fixed size");
  }
}

/// First and last operator that touches each tensor.
class Lifetimes {
 public:
  explicit Lifetimes(std::size_t tensors) : spans_(tensors) {}

  void touch(std::int32_t tensor, std::int64_t when, const std::string& name) {
    if (tensor == -1) {
      return;
    }
    if (tensor < 0 || static_cast<std::size_t>(tensor) >= spans_.size()) {
      throw InputError(fmt::format("{}: tensor {} does not exist", name, tensor));
    }
    auto& span = spans_[static_cast<std::size_t>(tensor)];
    span = span ? Span{std::min(span->first, when), std::max(span->last, when)} : Span{when, when};
  }

  struct Span {
    std::int64_t first, last;
  };
  [[nodiscard]] const std::optional<Span>& of(std::size_t tensor) const { return spans_[tensor]; }

 private:
  std::vector<std::optional<Span>> spans_;
};

std::uint64_t bytes_of(const tflite::Tensor& tensor, const std::string& where) {
  std::uint64_t bytes = element_size(tensor.type(), where);
  if (tensor.shape() != nullptr) {
    for (const std::int32_t extent : *tensor.shape()) {
      if (extent < 1 || static_cast<std::uint64_t>(extent) > kMostBytes / bytes) {
        throw InputError(where + ": its shape is not fixed or too large");
      }
      bytes *= static_cast<std::uint64_t>(extent);
    }
  }
  return bytes;
}

/// Little-endian bytes that grow at the end.
class Bytes {
 public:
  template <class T>
  std::size_t add(T value) {
    const std::size_t at = data_.size();
    data_.resize(at + sizeof(T));
    flatbuffers::WriteScalar(data_.data() + at, value);
    return at;
  }
  void align(std::size_t unit, std::size_t rest = 0) {
    while (data_.size() % unit != rest % unit) {
      data_.push_back(0);
    }
  }
  void add_text(const char* text) {
    add(static_cast<std::uint32_t>(std::strlen(text)));
    data_.insert(data_.end(), text, text + std::strlen(text) + 1);
  }
  /// The reference at `from` leads to `to`, which lies behind it.
  void refer(std::size_t from, std::size_t to) {
    flatbuffers::WriteScalar(data_.data() + from, static_cast<std::uint32_t>(to - from));
  }
  [[nodiscard]] std::size_t size() const { return data_.size(); }
  std::vector<std::uint8_t>& data() { return data_; }

 private:
  std::vector<std::uint8_t> data_;
};

// References lead forward only, so what refers to parts of the old file must stand before it: a
// new root with its two vectors, a table and a buffer, and then the old file as it was.
class Graft {
 public:
  Graft(const std::vector<std::uint8_t>& old, const tflite::Model& model)
      : old_(old), model_(model) {}

  std::vector<std::uint8_t> run(const std::vector<std::int32_t>& plan) {
    const std::size_t root = out_.add(std::uint32_t{0});
    for (const char c : {'T', 'F', 'L', '3'}) {
      out_.add(static_cast<std::uint8_t>(c));
    }
    add_model(root);
    const std::size_t buffer_count = model_.buffers()->size();
    buffers_ = add_vector(buffer_count + 1);
    for (const tflite::Metadata* entry : kept_metadata()) {
      kept_.push_back(entry);
    }
    metadata_ = add_vector(kept_.size() + 1);
    add_metadata(static_cast<std::uint32_t>(buffer_count));
    add_buffer(plan);
    out_.align(64);
    const std::size_t base = out_.size();
    out_.data().insert(out_.data().end(), old_.begin(), old_.end());
    connect(base);
    return std::move(out_.data());
  }

 private:
  static constexpr flatbuffers::voffset_t voffset(std::size_t field) {
    return static_cast<flatbuffers::voffset_t>(4 + 2 * field);
  }
  static constexpr std::size_t kBuffersField = 4;
  static constexpr std::size_t kMetadataField = 6;

  [[nodiscard]] const flatbuffers::Table& table() const {
    return reinterpret_cast<const flatbuffers::Table&>(model_);
  }

  [[nodiscard]] std::size_t position(const void* part) const {
    return static_cast<std::size_t>(static_cast<const std::uint8_t*>(part) - old_.data());
  }

  // Where what a field of the model refers to stands in the old file. Fields that the schema here
  // does not have were not verified: those that lead out of the file are left out.
  [[nodiscard]] std::optional<std::size_t> part_of(std::size_t field) const {
    const std::size_t at = table().GetOptionalFieldOffset(voffset(field));
    const std::size_t reference = position(&model_) + at;
    if (at == 0 || reference + sizeof(flatbuffers::uoffset_t) > old_.size()) {
      return std::nullopt;
    }
    const std::size_t part =
        reference + flatbuffers::ReadScalar<flatbuffers::uoffset_t>(old_.data() + reference);
    return part < old_.size() ? std::optional(part) : std::nullopt;
  }

  // Table with one 4-byte slot for every field.
  std::size_t add_table(std::size_t fields) {
    out_.align(4);
    const std::size_t vtable = out_.size();
    out_.add(static_cast<std::uint16_t>(4 + 2 * fields));
    out_.add(static_cast<std::uint16_t>(4 + 4 * fields));
    for (std::size_t f = 0; f < fields; ++f) {
      out_.add(static_cast<std::uint16_t>(4 + 4 * f));
    }
    out_.align(4);
    const std::size_t at = out_.size();
    out_.add(static_cast<std::int32_t>(at - vtable));
    for (std::size_t f = 0; f < fields; ++f) {
      out_.add(std::uint32_t{0});
    }
    return at;
  }

  void add_model(std::size_t root) {
    model_at_ = add_table(kModelFields);
    out_.refer(root, model_at_);
    flatbuffers::WriteScalar(out_.data().data() + model_at_ + 4, model_.version());
    // A field that is absent must be so in the vtable.
    const std::size_t vtable_at = model_at_ - 4 - 2 * kModelFields;
    for (std::size_t f = 1; f < kModelFields; ++f) {
      const bool present = f == kBuffersField || f == kMetadataField || part_of(f).has_value();
      if (!present) {
        flatbuffers::WriteScalar(out_.data().data() + vtable_at + 4 + 2 * f, std::uint16_t{0});
      }
    }
  }

  std::size_t add_vector(std::size_t count) {
    out_.align(4);
    const std::size_t at = out_.add(static_cast<std::uint32_t>(count));
    for (std::size_t i = 0; i < count; ++i) {
      out_.add(std::uint32_t{0});
    }
    return at;
  }

  [[nodiscard]] std::vector<const tflite::Metadata*> kept_metadata() const {
    std::vector<const tflite::Metadata*> kept;
    if (model_.metadata() != nullptr) {
      for (const tflite::Metadata* entry : *model_.metadata()) {
        if (entry->name() == nullptr || entry->name()->str() != kMetadataName) {
          kept.push_back(entry);
        }
      }
    }
    return kept;
  }

  void add_metadata(std::uint32_t buffer) {
    entry_ = add_table(2);
    flatbuffers::WriteScalar(out_.data().data() + entry_ + 8, buffer);
    out_.align(4);
    const std::size_t name = out_.size();
    out_.add_text(kMetadataName);
    out_.refer(entry_ + 4, name);
  }

  void add_buffer(const std::vector<std::int32_t>& plan) {
    buffer_ = add_table(1);
    // The length stands right before the bytes, which are aligned to 16.
    out_.align(16, 12);
    const std::size_t bytes = out_.add(static_cast<std::uint32_t>(plan.size() * 4));
    for (const std::int32_t word : plan) {
      out_.add(word);
    }
    out_.refer(buffer_ + 4, bytes);
  }

  void connect(std::size_t base) {
    for (std::size_t f = 1; f < kModelFields; ++f) {
      const std::size_t slot = model_at_ + 4 + 4 * f;
      if (f == kBuffersField || f == kMetadataField) {
        out_.refer(slot, f == kBuffersField ? buffers_ : metadata_);
      } else if (const auto part = part_of(f); part) {
        out_.refer(slot, base + *part);
      }
    }
    const std::size_t count = model_.buffers()->size();
    for (std::size_t i = 0; i < count; ++i) {
      const auto index = static_cast<flatbuffers::uoffset_t>(i);
      out_.refer(buffers_ + 4 + 4 * i, base + position(model_.buffers()->Get(index)));
    }
    out_.refer(buffers_ + 4 + 4 * count, buffer_);
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      out_.refer(metadata_ + 4 + 4 * i, base + position(kept_[i]));
    }
    out_.refer(metadata_ + 4 + 4 * kept_.size(), entry_);
  }

  const std::vector<std::uint8_t>& old_;
  const tflite::Model& model_;
  Bytes out_;
  std::size_t model_at_ = 0;
  std::size_t buffers_ = 0;
  std::size_t metadata_ = 0;
  std::size_t entry_ = 0;
  std::size_t buffer_ = 0;
  std::vector<const tflite::Metadata*> kept_;
};

}  // namespace

TfliteActivations tflite_activations(const std::vector<std::uint8_t>& data, const std::string& name,
                                     std::uint64_t alignment) {
  const tflite::Model& model = model_in(data, name);
  const tflite::SubGraph& graph = *model.subgraphs()->Get(0);
  if (graph.tensors() == nullptr || graph.operators() == nullptr) {
    throw InputError(name + ": no tensors or no operators");
  }
  TfliteActivations result;
  result.tensors = graph.tensors()->size();
  result.problem.alignment = alignment;
  Lifetimes lifetimes(result.tensors);
  const auto touch = [&](const flatbuffers::Vector<std::int32_t>* tensors, std::int64_t when) {
    for (flatbuffers::uoffset_t i = 0; tensors != nullptr && i < tensors->size(); ++i) {
      lifetimes.touch(tensors->Get(i), when, name);
    }
  };
  touch(graph.inputs(), 0);
  const auto end = static_cast<std::int64_t>(graph.operators()->size());
  for (std::int64_t i = 0; i < end; ++i) {
    const tflite::Operator& op = *graph.operators()->Get(static_cast<flatbuffers::uoffset_t>(i));
    touch(op.inputs(), i);
    touch(op.outputs(), i);
  }
  touch(graph.outputs(), end);
  for (std::size_t t = 0; t < result.tensors; ++t) {
    const tflite::Tensor& tensor = *graph.tensors()->Get(static_cast<flatbuffers::uoffset_t>(t));
    const auto& span = lifetimes.of(t);
    const bool constant = tensor.buffer() < model.buffers()->size() &&
                          model.buffers()->Get(tensor.buffer())->data() != nullptr &&
                          model.buffers()->Get(tensor.buffer())->data()->size() > 0;
    if (!span || constant || tensor.is_variable()) {
      continue;
    }
    const std::string id = tensor.name() != nullptr ? tensor.name()->str() : std::to_string(t);
    // The interpreter gives each tensor whole multiples of its alignment.
    const std::uint64_t bytes = bytes_of(tensor, fmt::format("{}: tensor {}", name, t));
    const std::uint64_t whole = (bytes + alignment - 1) / alignment * alignment;
    result.problem.buffers.push_back({id, span->first, span->last + 1, whole});
    result.tensor_of.push_back(static_cast<std::int32_t>(t));
  }
  return result;
}

std::vector<std::uint8_t> with_offline_plan(const std::vector<std::uint8_t>& data,
                                            const std::string& name,
                                            const std::vector<std::int32_t>& offsets) {
  const tflite::Model& model = model_in(data, name);
  std::vector<std::int32_t> plan = {kPlanVersion, 0, static_cast<std::int32_t>(offsets.size())};
  plan.insert(plan.end(), offsets.begin(), offsets.end());
  std::vector<std::uint8_t> result = Graft(data, model).run(plan);
  if (offline_plan_of(result, name) != offsets) {
    throw std::logic_error(name + ": the plan does not read back");
  }
  return result;
}

std::vector<std::int32_t> offline_plan_of(const std::vector<std::uint8_t>& data,
                                          const std::string& name) {
  const tflite::Model& model = model_in(data, name);
  if (model.metadata() == nullptr) {
    return {};
  }
  for (const tflite::Metadata* entry : *model.metadata()) {
    if (entry->name() == nullptr || entry->name()->str() != kMetadataName ||
        entry->buffer() >= model.buffers()->size()) {
      continue;
    }
    const auto* bytes = model.buffers()->Get(entry->buffer())->data();
    if (bytes == nullptr || bytes->size() < 4 * kHeaderWords || bytes->size() % 4 != 0) {
      throw InputError(name + ": its offline memory plan is damaged");
    }
    std::vector<std::int32_t> words(bytes->size() / 4);
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = flatbuffers::ReadScalar<std::int32_t>(bytes->data() + 4 * i);
    }
    if (words[0] != kPlanVersion || words[1] != 0 ||
        words[2] != static_cast<std::int32_t>(words.size() - kHeaderWords)) {
      throw InputError(name + ": its offline memory plan is of another version or damaged");
    }
    return {words.begin() + kHeaderWords, words.end()};
  }
  return {};
}

}  // namespace tessera
