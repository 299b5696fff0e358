// Large networks: the C runtime beside an accelerator that knows the reference kernels' bytes. Each
// run puts its layers' outputs where the program has them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tessera/generated/command_set.hpp"
#include "tests/rom/runtime/network_in_c.hpp"
#include "tests/shared_data.hpp"

namespace tessera {
namespace {

class KnowingRegisters : public test::Registers {
 public:
  KnowingRegisters(const rom::Image& image, const Network& network,
                   std::vector<std::uint8_t>& memory)
      : image_(image), network_(network), memory_(memory) {
    const Hardware& hw = image.program.hardware;
    values_ = {{isa::reg::kId, 0x54535241},
               {isa::reg::kVersion, isa::kCommandSetVersion},
               {isa::reg::kAtomicC, hw.atomic_c},
               {isa::reg::kAtomicK, hw.atomic_k},
               {isa::reg::kBusBytes, hw.bus_bytes},
               {isa::reg::kAccWords, hw.acc_words},
               {isa::reg::kParamGroups, hw.param_groups},
               {isa::reg::kFeatures, hw.features},
               {isa::reg::kCbufBytes, hw.cbuf_end() * hw.atomic_c}};
  }

  void know(const std::vector<Bytes>& inputs, std::vector<Bytes> states) {
    layers_.clear();
    run_reference(
        network_, inputs, [&](std::size_t, const Bytes& output) { layers_.push_back(output); },
        &states);
  }

  std::uint32_t read(std::uint32_t offset) override { return values_[offset]; }
  void write(std::uint32_t offset, std::uint32_t value) override {
    if (offset == isa::reg::kControl) {
      run(values_[isa::reg::kCommandAddress]);
      values_[isa::reg::kStatus] = 2;  // done
    } else {
      values_[offset] = value;
    }
  }

 private:
  void run(std::uint32_t address) {
    const auto at = std::find_if(image_.runs.begin(), image_.runs.end(),
                                 [&](const rom::Run& run) { return run.address == address; });
    ASSERT_NE(at, image_.runs.end());
    for (const std::uint32_t layer : rom::stream_of(image_, *at).layers) {
      put_layer(layer);
    }
  }
  // With those that ride on it.
  void put_layer(std::size_t layer) {
    put(image_.program.layers[layer].output, layers_[layer]);
    for (const std::size_t rider : image_.program.layers[layer].riders) {
      put_layer(rider);
    }
  }
  void put(const Slot& slot, const Bytes& bytes) {
    const std::uint64_t segment = slot.segment_bytes == 0 ? slot.bytes : slot.segment_bytes;
    for (std::uint64_t done = 0, to = slot.address; done < slot.bytes;
         done += segment, to += slot.stride) {
      std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(done), segment,
                  memory_.begin() + static_cast<std::ptrdiff_t>(to));
    }
  }

  const rom::Image& image_;
  const Network& network_;
  std::vector<std::uint8_t>& memory_;
  std::map<std::uint32_t, std::uint32_t> values_;
  std::vector<Bytes> layers_;
};

class HostRuntimeOrder : public test::NetworkInC,
                         public testing::WithParamInterface<const char*> {};

TEST_P(HostRuntimeOrder, IsThatOfTheProgram) {
  TESSERA_NEEDS_SHARED();
  ASSERT_TRUE(prepare(
      {"hardware=medium", "network=" + test::shared_dir() + "/models/" + std::string(GetParam())}));
  KnowingRegisters registers(image_, network_, memory_);
  expect_reference_bytes(registers, 1, [&](const auto& inputs, const auto& states) {
    registers.know(inputs, states);
  });
}

INSTANTIATE_TEST_SUITE_P(All, HostRuntimeOrder,
                         testing::Values("public/movenet_lightning_int8.tflite",
                                         "transformers/deit_block_int8.tflite",
                                         "public/ssd_traffic_uint8.tflite",
                                         "public/deeplabv3_mnv2_dm05_uint8.tflite",
                                         "public/micro_kws_m_static_qdq.onnx"),
                         [](const auto& model) {
                           const std::string name = model.param;
                           return name.substr(name.find('/') + 1, 4);
                         });

}  // namespace
}  // namespace tessera
