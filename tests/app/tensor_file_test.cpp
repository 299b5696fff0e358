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

}  // namespace
}  // namespace tessera
