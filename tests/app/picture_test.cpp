#include "app/picture.hpp"

#include <gtest/gtest.h>
#include <png.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
// Needs std::FILE from above.
#include <jpeglib.h>

#include "tessera/error.hpp"
#include "tests/corruption.hpp"
#include "tests/files.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

class Pictures : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(dir_); }
  void TearDown() override { fs::remove_all(dir_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (dir_ / name).string(); }

  // A gradient: red by columns, green by rows, blue 128.
  [[nodiscard]] static Bytes pixels(std::uint32_t width, std::uint32_t height) {
    Bytes bytes;
    for (std::uint32_t y = 0; y < height; ++y) {
      for (std::uint32_t x = 0; x < width; ++x) {
        bytes.push_back(static_cast<std::uint8_t>(x * 255 / width));
        bytes.push_back(static_cast<std::uint8_t>(y * 255 / height));
        bytes.push_back(128);
      }
    }
    return bytes;
  }

  std::string png(std::uint32_t width, std::uint32_t height) const {
    png_image image;
    std::memset(&image, 0, sizeof(image));
    image.version = PNG_IMAGE_VERSION;
    image.width = width;
    image.height = height;
    image.format = PNG_FORMAT_RGB;
    png_image_write_to_file(&image, path("p.png").c_str(), 0, pixels(width, height).data(), 0,
                            nullptr);
    return path("p.png");
  }

  std::string jpeg(std::uint32_t width, std::uint32_t height) const {
    jpeg_compress_struct info;
    jpeg_error_mgr errors;
    info.err = jpeg_std_error(&errors);
    jpeg_create_compress(&info);
    unsigned char* data = nullptr;
    unsigned long size = 0;
    jpeg_mem_dest(&info, &data, &size);
    info.image_width = width;
    info.image_height = height;
    info.input_components = 3;
    info.in_color_space = JCS_RGB;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, 100, TRUE);
    jpeg_start_compress(&info, TRUE);
    Bytes all = pixels(width, height);
    while (info.next_scanline < height) {
      JSAMPROW row = &all[std::size_t{info.next_scanline} * width * 3];
      jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    test::write_text(path("p.jpg"), {reinterpret_cast<char*>(data), size});
    std::free(data);
    return path("p.jpg");
  }

  [[nodiscard]] static Tensor image(std::int32_t height, std::int32_t width,
                                    std::int32_t channels) {
    Tensor tensor;
    tensor.shape = {1, height, width, channels};
    tensor.quantisation = {{1.0F / 64}, 5};
    return tensor;
  }

 private:
  fs::path dir_ = fs::temp_directory_path() / ("tessera_picture_" + std::to_string(::getpid()));
};

TEST_F(Pictures, PixelsAreTheValues) {
  const Bytes bytes = read_picture(png(6, 4), image(4, 6, 3), {});
  const Bytes expected = pixels(6, 4);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_EQ(bytes[i] ^ 0x80, expected[i]) << i;
  }
  // JPEG loses a little.
  const Bytes again = read_picture(jpeg(16, 16), image(16, 16, 3), {});
  const Bytes original = pixels(16, 16);
  for (std::size_t i = 0; i < again.size(); ++i) {
    EXPECT_NEAR(again[i] ^ 0x80, original[i], 24) << i;
  }
}

TEST_F(Pictures, MeanAndScaleAreQuantised) {
  Preprocess preprocess;
  preprocess.mean = {100, 50, 128};
  preprocess.scale = {0.01F};
  const Bytes bytes = read_picture(png(6, 4), image(4, 6, 3), preprocess);
  const Bytes raw = pixels(6, 4);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const float real = (static_cast<float>(raw[i]) - preprocess.mean[i % 3]) * 0.01F;
    EXPECT_NEAR(static_cast<std::int8_t>(bytes[i]),
                std::clamp(static_cast<int>(std::lround(real * 64)) + 5, -128, 127), 1)
        << i;
  }
  Tensor real_input = image(4, 6, 3);
  real_input.type = DataType::Float32;
  const Bytes floats = read_picture(png(6, 4), real_input, {});
  float last = 0;
  std::memcpy(&last, &floats[floats.size() - sizeof(float)], sizeof(last));
  EXPECT_FLOAT_EQ(last, 128.0F / 255);
}

TEST_F(Pictures, AreResizedToTheInput) {
  const Bytes bytes = read_picture(png(64, 32), image(4, 4, 3), {});
  ASSERT_EQ(bytes.size(), 48U);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    EXPECT_NEAR(bytes[i] ^ 0x80, static_cast<int>(i / 3 % 4 * 64 + 30), 4);
    EXPECT_EQ(bytes[i + 2] ^ 0x80, 128);
  }
  Preprocess exact;
  exact.resize = false;
  EXPECT_THROW(read_picture(png(64, 32), image(4, 4, 3), exact), InputError);
  EXPECT_EQ(read_picture(png(6, 4), image(4, 6, 1), exact).size(), 24U);
}

TEST_F(Pictures, RefusesWhatIsNone) {
  EXPECT_THROW(read_picture(png(6, 4), image(4, 6, 4), {}), InputError);
  test::write_text(path("text.png"), "no picture");
  EXPECT_THROW(read_picture(path("text.png"), image(4, 6, 3), {}), InputError);
  test::write_text(path("text.jpg"), "no picture");
  EXPECT_THROW(read_picture(path("text.jpg"), image(4, 6, 3), {}), InputError);
  EXPECT_THROW(read_picture(path("none.png"), image(4, 6, 3), {}), InputError);
}

TEST_F(Pictures, DamagedOnesNeverCrash) {
  for (const std::string& file : {png(6, 4), jpeg(16, 16)}) {
    const bool is_png = file.back() == 'g' && file[file.size() - 3] == 'p';
    const std::string to = path(is_png ? "d.png" : "d.jpg");
    test::damage(test::text_of(file), 200, [&](const std::string& text) {
      test::write_text(to, text);
      read_picture(to, image(4, 6, 3), {});
    });
  }
}

}  // namespace
}  // namespace tessera
