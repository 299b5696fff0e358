// Small models rebuilt from what people reported of other tools, with the right outputs beside
// them; the table of their README says which ones must be refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "app/tensor_file.hpp"
#include "tessera/checker.hpp"
#include "tessera/config.hpp"
#include "tessera/engine.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"
#include "tessera/reference.hpp"
#include "tests/shared_data.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

/// File names, and whether the file must be refused.
std::map<std::string, bool> cases() {
  std::map<std::string, bool> result;
  std::ifstream file(test::shared_dir() + "/cases/README.md");
  for (std::string line; std::getline(file, line);) {
    const std::size_t end = line.find(" | ");
    if (line.rfind("| ", 0) == 0 && end != std::string::npos) {
      const std::string name = line.substr(2, end - 2);
      if (name.find(".onnx") != std::string::npos || name.find(".tflite") != std::string::npos) {
        result[name] = line.find("refused with a clear error") != std::string::npos;
      }
    }
  }
  return result;
}

// Bytes that may differ by one step, and why.
const std::map<std::string, std::size_t>& off_by_one() {
  static const std::map<std::string, std::size_t> known = {
      // Ties, which single precision decides by the order of its additions.
      {"c20_avg_ratio4.onnx", 1},
      // Biases of 12.5 steps in channels whose weights are nothing: 30 bits of them are no tie.
      {"d32_bias0.5_float_dead_channels.onnx", 22}};
  return known;
}

struct Difference {
  std::size_t values = 0;
  double most = 0;
};

template <class T>
Difference difference(const Bytes& ours, const Bytes& theirs) {
  Difference result;
  for (std::size_t i = 0; i < ours.size(); i += sizeof(T)) {
    T a{};
    T b{};
    std::memcpy(&a, &ours[i], sizeof(T));
    std::memcpy(&b, &theirs[i], sizeof(T));
    result.values += a == b ? 0 : 1;
    result.most = std::max(result.most, std::fabs(static_cast<double>(a) - static_cast<double>(b)));
  }
  return result;
}

// Floats within a few units of the last place: the libraries' exponentials differ.
void expect_output(const std::string& name, const Tensor& tensor, const Bytes& ours,
                   const Bytes& theirs) {
  ASSERT_EQ(ours.size(), theirs.size()) << name;
  if (tensor.type == DataType::Float32) {
    EXPECT_LE(difference<float>(ours, theirs).most, 1e-6) << name;
    return;
  }
  const auto known = off_by_one().find(name);
  const Difference found = difference<std::int8_t>(ours, theirs);
  EXPECT_LE(found.values, known == off_by_one().end() ? 0 : known->second) << name;
  EXPECT_LE(found.most, 1) << name;
}

void expect_outputs(const std::string& name) {
  const std::string path = test::shared_dir() + "/cases/" + name;
  const std::string stem = path.substr(0, path.rfind('.'));
  const Network network = load_network(path, 1);
  const auto files = [&](const std::vector<std::int32_t>& tensors, const char* kind) {
    std::vector<Bytes> all;
    all.reserve(tensors.size());
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      all.push_back(read_tensor_file(fmt::format("{}.{}{}.npy", stem, kind, i),
                                     network.tensors[static_cast<std::size_t>(tensors[i])],
                                     TensorForm::Own));
    }
    return all;
  };
  RunOptions options;
  options.inputs = files(network.inputs, "input");
  const std::vector<Bytes> theirs = files(network.outputs, "output");
  const std::vector<Bytes> reference = run_reference(network, options.inputs);
  const Program program = compile(network, hardware_preset("small"), {});
  EXPECT_EQ(check_program(program), std::vector<std::string>{}) << name;
  EXPECT_EQ(run_on_tlm(program, options).outputs, reference) << name;
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    expect_output(name, network.tensors[static_cast<std::size_t>(network.outputs[i])], reference[i],
                  theirs[i]);
  }
}

// Where a runtime computes at the edge of its arithmetic a refusal is as good.
bool may_be_refused(const std::string& name, bool is_refused) {
  return is_refused || name == "d36_oscale_1e-30.tflite";
}

TEST(ReportedCases, AreRefusedWhereNoRuntimeDefinesThem) {
  TESSERA_NEEDS_SHARED();
  const auto all = cases();
  ASSERT_GT(all.size(), 60U);
  for (const auto& [name, is_refused] : all) {
    if (!may_be_refused(name, is_refused)) {
      continue;
    }
    try {
      static_cast<void>(load_network(test::shared_dir() + "/cases/" + name, 1));
      ADD_FAILURE() << name << " is not refused";
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
}

TEST(ReportedCases, GiveWhatIsRight) {
  TESSERA_NEEDS_SHARED();
  for (const auto& [name, is_refused] : cases()) {
    if (!may_be_refused(name, is_refused)) {
      expect_outputs(name);
    }
  }
}

}  // namespace
}  // namespace tessera
