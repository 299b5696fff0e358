#include "app/picture.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "input/read_file.hpp"
#include "tessera/error.hpp"
// Needs std::FILE from above.
#include <jpeglib.h>

namespace tessera {
namespace {

constexpr std::uint32_t kMostExtent = 16384;

struct Picture {
  std::uint32_t width = 0, height = 0, channels = 0;
  std::vector<std::uint8_t> pixels;  ///< row by row, channels side by side
};

std::string ending_of(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
  return ending;
}

[[noreturn]] void fail(const std::string& path, const std::string& text) {
  throw InputError(path + ": " + text);
}

void check_extent(const std::string& path, std::uint32_t width, std::uint32_t height) {
  if (width < 1 || height < 1 || width > kMostExtent || height > kMostExtent) {
    fail(path,
         fmt::format("{} x {} pixels; allowed are 1 to {} each way", width, height, kMostExtent));
  }
}

Picture read_png(const std::string& path, const std::vector<std::uint8_t>& data,
                 std::uint32_t channels) {
  png_image image;
  std::memset(&image, 0, sizeof(image));
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&image, data.data(), data.size()) == 0) {
    fail(path, fmt::format("not a PNG picture: {}", image.message));
  }
  Picture picture{image.width, image.height, channels, {}};
  if (image.width > kMostExtent || image.height > kMostExtent) {
    png_image_free(&image);
  }
  check_extent(path, picture.width, picture.height);
  image.format = channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  picture.pixels.resize(PNG_IMAGE_SIZE(image));
  const png_color black = {0, 0, 0};  // behind what is transparent
  if (png_image_finish_read(&image, &black, picture.pixels.data(), 0, nullptr) == 0) {
    fail(path, fmt::format("a damaged PNG picture: {}", image.message));
  }
  return picture;
}

struct JpegErrors {
  jpeg_error_mgr manager;
  std::jmp_buf back;
  char text[JMSG_LENGTH_MAX];
};

void leave_jpeg(j_common_ptr info) {
  auto* errors = reinterpret_cast<JpegErrors*>(info->err);
  info->err->format_message(info, errors->text);
  std::longjmp(errors->back, 1);
}

// Only plain data between the jumps. False: `errors.text` says why.
bool decode_jpeg(jpeg_decompress_struct& info, JpegErrors& errors, Picture& picture) {
  if (setjmp(errors.back) != 0) {
    return false;
  }
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = picture.pixels.data() + static_cast<std::size_t>(info.output_scanline) *
                                               info.output_width * picture.channels;
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  return true;
}

bool start_jpeg(jpeg_decompress_struct& info, JpegErrors& errors, const unsigned char* data,
                unsigned long bytes, std::uint32_t channels) {
  if (setjmp(errors.back) != 0) {
    return false;
  }
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, data, bytes);
  jpeg_read_header(&info, TRUE);
  info.out_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  info.dct_method = JDCT_ISLOW;
  return info.image_width <= kMostExtent && info.image_height <= kMostExtent &&
         jpeg_start_decompress(&info) != 0;
}

Picture read_jpeg(const std::string& path, const std::vector<std::uint8_t>& data,
                  std::uint32_t channels) {
  jpeg_decompress_struct info{};
  JpegErrors errors{};
  info.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = leave_jpeg;
  // Warnings are of missing or wrong data.
  errors.manager.emit_message = [](j_common_ptr warned, int level) {
    if (level < 0) {
      leave_jpeg(warned);
    }
  };
  std::strcpy(errors.text, "too large");
  Picture picture;
  bool good = start_jpeg(info, errors, data.data(), data.size(), channels);
  if (good) {
    picture = {info.output_width, info.output_height, channels, {}};
    picture.pixels.resize(static_cast<std::size_t>(picture.width) * picture.height * channels);
    good = decode_jpeg(info, errors, picture);
  }
  jpeg_destroy_decompress(&info);
  if (!good) {
    fail(path, fmt::format("not a JPEG picture, or a damaged one: {}", errors.text));
  }
  return picture;
}

// Centres of pixels lie on each other, as image libraries have it.
std::vector<float> resized(const Picture& picture, std::uint32_t height, std::uint32_t width) {
  std::vector<float> result;
  result.reserve(std::size_t{height} * width * picture.channels);
  struct Place {
    std::uint32_t low, high;
    float part;
  };
  const auto place = [](std::uint32_t at, std::uint32_t out, std::uint32_t in) {
    const float centre =
        (static_cast<float>(at) + 0.5F) * static_cast<float>(in) / static_cast<float>(out) - 0.5F;
    const float limited = std::clamp(centre, 0.0F, static_cast<float>(in - 1));
    const auto low = static_cast<std::uint32_t>(limited);
    return Place{low, std::min(low + 1, in - 1), limited - static_cast<float>(low)};
  };
  for (std::uint32_t y = 0; y < height; ++y) {
    const Place v = place(y, height, picture.height);
    for (std::uint32_t x = 0; x < width; ++x) {
      const Place h = place(x, width, picture.width);
      for (std::uint32_t c = 0; c < picture.channels; ++c) {
        const auto pixel = [&](std::uint32_t row, std::uint32_t col) {
          return static_cast<float>(
              picture.pixels[(std::size_t{row} * picture.width + col) * picture.channels + c]);
        };
        const float top = pixel(v.low, h.low) * (1 - h.part) + pixel(v.low, h.high) * h.part;
        const float bottom = pixel(v.high, h.low) * (1 - h.part) + pixel(v.high, h.high) * h.part;
        result.push_back(top * (1 - v.part) + bottom * v.part);
      }
    }
  }
  return result;
}

float of_channel(const std::vector<float>& values, std::size_t channel, float fallback) {
  return values.empty() ? fallback : values.size() == 1 ? values[0] : values[channel];
}

}  // namespace

bool is_picture(const std::string& path) {
  const std::string ending = ending_of(path);
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg";
}

std::vector<std::uint8_t> read_picture(const std::string& path, const Tensor& tensor,
                                       const Preprocess& preprocess) {
  const std::vector<std::int32_t>& shape = tensor.shape;
  const bool is_int8 = tensor.type == DataType::Int8;
  if (shape.size() != 4 || shape[0] != 1 || (shape[3] != 1 && shape[3] != 3) ||
      (!is_int8 && tensor.type != DataType::Float32)) {
    fail(path, fmt::format("a picture cannot be {} of shape [{}]; it can be int8, uint8 or float32 "
                           "of shape [1, height, width, 1 or 3]",
                           name_of(tensor.type), fmt::join(shape, ", ")));
  }
  const auto channels = static_cast<std::uint32_t>(shape[3]);
  for (const std::vector<float>* values : {&preprocess.mean, &preprocess.scale}) {
    if (values->size() > 1 && values->size() != channels) {
      fail(path, fmt::format("preprocess has {} values for {} channels", values->size(), channels));
    }
  }
  const std::vector<std::uint8_t> data = read_file(path);
  const Picture picture =
      ending_of(path) == ".png" ? read_png(path, data, channels) : read_jpeg(path, data, channels);
  check_extent(path, picture.width, picture.height);
  const auto height = static_cast<std::uint32_t>(shape[1]);
  const auto width = static_cast<std::uint32_t>(shape[2]);
  if (!preprocess.resize && (picture.height != height || picture.width != width)) {
    fail(path, fmt::format("{} x {} pixels; the input has {} x {}, and `preprocess.resize` is no",
                           picture.width, picture.height, width, height));
  }
  const std::vector<float> values = resized(picture, height, width);
  const bool raw = preprocess.mean.empty() && preprocess.scale.empty() && is_int8;
  std::vector<std::uint8_t> bytes(tensor.bytes());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (raw) {
      const float pixel = std::clamp(std::nearbyint(values[i]), 0.0F, 255.0F);
      bytes[i] = static_cast<std::uint8_t>(static_cast<std::uint8_t>(pixel) ^ 0x80U);
      continue;
    }
    const std::size_t channel = i % channels;
    const float real = (values[i] - of_channel(preprocess.mean, channel, 0)) *
                       of_channel(preprocess.scale, channel, is_int8 ? 1.0F : 1.0F / 255);
    if (!is_int8) {
      std::memcpy(&bytes[i * sizeof(float)], &real, sizeof(float));
      continue;
    }
    const float steps =
        std::clamp(std::nearbyint(real / tensor.quantisation.scales.at(0)), -1024.0F, 1024.0F);
    const std::int32_t stored = static_cast<std::int32_t>(steps) + tensor.quantisation.zero_point;
    bytes[i] = static_cast<std::uint8_t>(static_cast<std::int8_t>(std::clamp(stored, -128, 127)));
  }
  return bytes;
}

}  // namespace tessera
