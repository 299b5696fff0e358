/* Windows of kernels over pictures. */
#ifndef TESSERA_WINDOW_H
#define TESSERA_WINDOW_H

#include "elements.h"

/* Layouts: pictures NHWC; kernels OHWI, those of depthwise convolutions HWO. */
struct tessera_window {
  int32_t height;
  int32_t width;
  int32_t channels; /* of the input */
  int32_t rows;
  int32_t cols;
  int32_t outputs;
  int32_t kernel_h;
  int32_t kernel_w;
  int32_t stride_h;
  int32_t stride_w;
  int32_t dilation_h;
  int32_t dilation_w;
  int32_t top; /* rows and columns before the picture */
  int32_t left;
};

#endif
