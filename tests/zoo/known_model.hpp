// A model beside which lie inputs and what another runtime makes of them, as make.py leaves it.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/tensor_file.hpp"
#include "tessera/import.hpp"
#include "tessera/reference.hpp"
#include "tests/files.hpp"

namespace tessera::test {

class KnownModel {
 public:
  /// `about`: the .json file.
  explicit KnownModel(const std::filesystem::path& about)
      : about_(nlohmann::json::parse(text_of(about))),
        stem_((about.parent_path() / about.stem()).string()),
        network(
            load_network((about.parent_path() / about_["model"].get<std::string>()).string(), 1)) {}

  [[nodiscard]] std::vector<Bytes> inputs() const {
    std::vector<Bytes> all;
    for (std::size_t i = 0; i < network.inputs.size(); ++i) {
      all.push_back(read_tensor_file(stem_ + ".input" + std::to_string(i) + ".npy",
                                     tensor(network.inputs[i]), TensorForm::Own));
    }
    return all;
  }

  /// Every output within the steps that are allowed: none for .tflite models.
  void expect(const std::vector<Bytes>& outputs) const {
    ASSERT_EQ(outputs.size(), about_["outputs"].get<std::size_t>());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const Tensor& t = tensor(network.outputs[i]);
      const Bytes theirs =
          read_tensor_file(stem_ + ".output" + std::to_string(i) + ".npy", t, TensorForm::Own);
      const double most = about_["most_steps"].get<double>();
      if (most == 0) {
        EXPECT_EQ(outputs[i], theirs) << "output " << i;
        continue;
      }
      ASSERT_EQ(t.type, DataType::Float32);
      const double step = about_["steps"][i].get<double>();
      for (std::size_t v = 0; v < outputs[i].size(); v += sizeof(float)) {
        float a = 0;
        float b = 0;
        std::memcpy(&a, &outputs[i][v], sizeof(a));
        std::memcpy(&b, &theirs[v], sizeof(b));
        ASSERT_LE(std::fabs(static_cast<double>(a) - static_cast<double>(b)) / step, most + 0.01)
            << "output " << i << ", value " << v / sizeof(float);
      }
    }
  }

 private:
  [[nodiscard]] const Tensor& tensor(std::int32_t index) const {
    return network.tensors[static_cast<std::size_t>(index)];
  }

  nlohmann::json about_;
  std::string stem_;

 public:
  Network network;
};

}  // namespace tessera::test
