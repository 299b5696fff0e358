#include "app/tensor_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "input/read_file.hpp"
#include "tessera/error.hpp"

namespace tessera {
namespace {

class TensorFile : public testing::Test {
 protected:
  void SetUp() override {
    dir_ =
        std::filesystem::temp_directory_path() / ("tessera_tensor_" + std::to_string(::getpid()));
    std::filesystem::create_directories(dir_);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }
  [[nodiscard]] std::string path(const char* name) const { return (dir_ / name).string(); }

  std::filesystem::path dir_;
  static Tensor of_shape(std::vector<std::int32_t> shape) {
    Tensor tensor;
    tensor.shape = std::move(shape);
    return tensor;
  }

  const Tensor tensor_ = of_shape({1, 2, 3, 4});
  std::vector<std::uint8_t> bytes_ = std::vector<std::uint8_t>(24, 0xF0);
};

TEST_F(TensorFile, RoundTripsInBothFormats) {
  for (const char* name : {"t.npy", "t.bin"}) {
    write_tensor_file(path(name), tensor_, bytes_, TensorForm::Own);
    EXPECT_EQ(read_tensor_file(path(name), tensor_, TensorForm::Own), bytes_);
  }
}

TEST_F(TensorFile, StepsHaveADimensionMoreInFront) {
  std::vector<std::uint8_t> other(24, 0x0F);
  const std::vector<std::vector<std::uint8_t>> steps = {bytes_, other, bytes_};
  for (const char* name : {"t.npy", "t.bin"}) {
    write_tensor_steps(path(name), tensor_, steps, TensorForm::Own);
    EXPECT_EQ(read_tensor_steps(path(name), tensor_, TensorForm::Own, true), steps);
    EXPECT_THROW(read_tensor_file(path(name), tensor_, TensorForm::Own), InputError);
  }
  EXPECT_EQ(read_tensor_file(path("t.npy"), of_shape({3, 1, 2, 3, 4}), TensorForm::Own).size(),
            3 * bytes_.size());
  EXPECT_EQ(read_tensor_steps(path("t.npy"), tensor_, TensorForm::Own, false), steps);
  EXPECT_THROW(read_tensor_steps(path("t.bin"), tensor_, TensorForm::Own, false), InputError)
      << "as well bytes of another type";
  write_tensor_file(path("one.npy"), tensor_, bytes_, TensorForm::Own);
  EXPECT_EQ(read_tensor_steps(path("one.npy"), tensor_, TensorForm::Own, false).size(), 1U);
}

TEST_F(TensorFile, Float32HasItsOwnType) {
  Tensor tensor = of_shape({1, 2, 3});
  tensor.type = DataType::Float32;
  write_tensor_file(path("f.npy"), tensor, bytes_, TensorForm::Own);
  EXPECT_EQ(read_tensor_file(path("f.npy"), tensor, TensorForm::Own), bytes_);
  EXPECT_THROW(read_tensor_file(path("f.npy"), of_shape({1, 2, 3}), TensorForm::Own), InputError);
}

TEST_F(TensorFile, NpyDataStartsAtAMultipleOf64) {
  write_tensor_file(path("t.npy"), tensor_, bytes_, TensorForm::Own);
  EXPECT_EQ((read_file(path("t.npy")).size() - bytes_.size()) % 64, 0U);
}

TEST_F(TensorFile, OtherShapesTypesAndSizesAreErrors) {
  write_tensor_file(path("t.npy"), tensor_, bytes_, TensorForm::Own);
  EXPECT_THROW(read_tensor_file(path("t.npy"), of_shape({1, 2, 3, 5}), TensorForm::Own),
               InputError);
  EXPECT_THROW(read_tensor_file(path("t.npy"), of_shape({24}), TensorForm::Own), InputError);
  write_tensor_file(path("t.bin"), tensor_, bytes_, TensorForm::Own);
  EXPECT_THROW(read_tensor_file(path("t.bin"), of_shape({25}), TensorForm::Own), InputError);
  EXPECT_THROW(read_tensor_file(path("none.npy"), tensor_, TensorForm::Own), InputError);
  EXPECT_THROW(read_tensor_file(path("t.txt"), tensor_, TensorForm::Own), InputError);
  auto floats = read_file(path("t.npy"));
  const std::string text(floats.begin(), floats.end());
  floats[text.find("|i1") + 1] = 'f';
  std::ofstream(path("f.npy"), std::ios::binary)
      .write(reinterpret_cast<const char*>(floats.data()),
             static_cast<std::streamsize>(floats.size()));
  EXPECT_THROW(read_tensor_file(path("f.npy"), tensor_, TensorForm::Own), InputError);
}

TEST_F(TensorFile, EveryTruncationIsAnError) {
  write_tensor_file(path("t.npy"), tensor_, bytes_, TensorForm::Own);
  const auto whole = read_file(path("t.npy"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::ofstream(path("cut.npy"), std::ios::binary)
        .write(reinterpret_cast<const char*>(whole.data()), static_cast<std::streamsize>(size));
    EXPECT_THROW(read_tensor_file(path("cut.npy"), tensor_, TensorForm::Own), InputError) << size;
  }
}

// A uint8 image that an ONNX file has as NCHW.
Tensor image_of_onnx() {
  Tensor tensor;
  tensor.shape = {1, 2, 3, 4};
  tensor.form.is_unsigned = true;
  tensor.form.shape = {1, 4, 2, 3};
  tensor.form.order = {0, 2, 3, 1};
  return tensor;
}

TEST_F(TensorFile, FilesHaveTheModelsOwnTypeAndLayout) {
  const Tensor tensor = image_of_onnx();
  std::vector<std::uint8_t> own(24);
  for (std::size_t i = 0; i < own.size(); ++i) {
    own[i] = static_cast<std::uint8_t>(i * 10);
  }
  const auto stored = from_own(tensor, own);
  for (std::size_t y = 0; y < 2; ++y) {
    for (std::size_t x = 0; x < 3; ++x) {
      for (std::size_t c = 0; c < 4; ++c) {
        EXPECT_EQ(stored[(y * 3 + x) * 4 + c], own[(c * 2 + y) * 3 + x] ^ 0x80);
      }
    }
  }
  EXPECT_EQ(to_own(tensor, stored), own);
  for (const char* name : {"own.npy", "own.bin"}) {
    write_tensor_file(path(name), tensor, stored, TensorForm::Own);
    EXPECT_EQ(read_tensor_file(path(name), tensor, TensorForm::Own), stored);
  }
  write_tensor_file(path("stored.npy"), tensor, stored, TensorForm::Stored);
  EXPECT_EQ(read_tensor_file(path("stored.npy"), tensor, TensorForm::Stored), stored);
}

TEST_F(TensorFile, ErrorsSayBothTypesAndShapes) {
  const Tensor tensor = image_of_onnx();
  write_tensor_file(path("stored.npy"), tensor, std::vector<std::uint8_t>(24), TensorForm::Stored);
  try {
    read_tensor_file(path("stored.npy"), tensor, TensorForm::Own);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what())
                  .find("holds int8 of shape (1, 2, 3, 4); the model's is uint8 of shape (1, 4, 2, "
                        "3)"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace tessera
