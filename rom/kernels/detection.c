/* What detectors end with: boxes decoded at their anchors, the ones that overlap a better one
 * removed. Needs the mathematical library. */
#include <math.h>

#include "real.h"

/* Floats, or bytes with a scale and a zero point. */
struct tessera_reals {
  int32_t bytes;
  float scale;
  int32_t zero_point;
};

struct tessera_detection {
  int32_t most;
  int32_t per_box;    /* classes of each box, when boxes are compared whatever their class */
  int32_t each_class; /* compared with those of their own class only */
  int32_t most_of_class;
  int32_t classes;
  int32_t all_classes; /* with the background, which comes first */
  int32_t anchors;
  int32_t box_values;
  float least_score;
  float most_overlap;
  float scales[4]; /* of y, x, height, width */
  struct tessera_reals boxes_form;
  struct tessera_reals scores_form;
  struct tessera_reals anchors_form;
};

/* What the kernels read, and their room: how many boxes there are; of each anchor four floats of
 * its box, its best score and whether it is gone; anchor, class and score of what was found. */
struct tessera_detector {
  const struct tessera_detection* p;
  const uint8_t* scores;
  uint8_t* boxes_found;
  uint8_t* boxes;
  uint8_t* best;
  uint8_t* gone;
  uint8_t* found;
};

TESSERA_KERNEL struct tessera_detector tessera_detector_in(const struct tessera_detection* p,
                                                           const uint8_t* scores, uint8_t* room) {
  struct tessera_detector d;
  d.p = p;
  d.scores = scores;
  d.boxes_found = room;
  d.boxes = room + 4;
  d.best = d.boxes + p->anchors * 16;
  d.gone = d.best + p->anchors * 4;
  d.found = d.gone + p->anchors;
  return d;
}

TESSERA_KERNEL float tessera_real(const struct tessera_reals* form, const uint8_t* data,
                                  int32_t i) {
  return form->bytes ? form->scale * (float)(tessera_get_i8(data, i) - form->zero_point)
                     : tessera_get_f32(data, i);
}

TESSERA_KERNEL float tessera_score(const struct tessera_detector* d, int32_t anchor,
                                   int32_t label) {
  const int32_t first = anchor * d->p->all_classes + d->p->all_classes - d->p->classes;
  return tessera_real(&d->p->scores_form, d->scores, first + label);
}

TESSERA_KERNEL void tessera_decode(const struct tessera_detector* d, const uint8_t* codes,
                                   const uint8_t* anchors) {
  const struct tessera_detection* p = d->p;
  int32_t a, i;
  for (a = 0; a < p->anchors; ++a) {
    double code[4];
    double anchor[4];
    float y, x, half_h, half_w;
    for (i = 0; i < 4; ++i) {
      code[i] =
          (double)tessera_real(&p->boxes_form, codes, a * p->box_values + i) / (double)p->scales[i];
      anchor[i] = (double)tessera_real(&p->anchors_form, anchors, a * 4 + i);
    }
    y = (float)(code[0] * anchor[2] + anchor[0]);
    x = (float)(code[1] * anchor[3] + anchor[1]);
    half_h = (float)(0.5 * exp(code[2]) * anchor[2]);
    half_w = (float)(0.5 * exp(code[3]) * anchor[3]);
    tessera_put_f32(d->boxes, a * 4, y - half_h);
    tessera_put_f32(d->boxes, a * 4 + 1, x - half_w);
    tessera_put_f32(d->boxes, a * 4 + 2, y + half_h);
    tessera_put_f32(d->boxes, a * 4 + 3, x + half_w);
  }
}

TESSERA_KERNEL float tessera_edge(const struct tessera_detector* d, int32_t box, int32_t edge) {
  return tessera_get_f32(d->boxes, box * 4 + edge);
}

TESSERA_KERNEL float tessera_area(const struct tessera_detector* d, int32_t box) {
  return (tessera_edge(d, box, 2) - tessera_edge(d, box, 0)) *
         (tessera_edge(d, box, 3) - tessera_edge(d, box, 1));
}

/* What two boxes have in common along an axis. */
TESSERA_KERNEL float tessera_common(const struct tessera_detector* d, int32_t a, int32_t b,
                                    int32_t axis) {
  const float end_a = tessera_edge(d, a, axis + 2);
  const float end_b = tessera_edge(d, b, axis + 2);
  const float begin_a = tessera_edge(d, a, axis);
  const float begin_b = tessera_edge(d, b, axis);
  const float length = (end_b < end_a ? end_b : end_a) - (begin_a < begin_b ? begin_b : begin_a);
  return length < 0.0F ? 0.0F : length;
}

TESSERA_KERNEL float tessera_overlap(const struct tessera_detector* d, int32_t a, int32_t b) {
  const float area_a = tessera_area(d, a);
  const float area_b = tessera_area(d, b);
  float both;
  if (area_a <= 0.0F || area_b <= 0.0F) {
    return 0.0F;
  }
  both = tessera_common(d, a, b, 0) * tessera_common(d, a, b, 1);
  return both / (area_a + area_b - both);
}

/* The class of an anchor that comes after `last` when the greatest scores come first. */
TESSERA_KERNEL int32_t tessera_next_class(const struct tessera_detector* d, int32_t anchor,
                                          int32_t last) {
  const float limit = last >= 0 ? tessera_score(d, anchor, last) : 0.0F;
  int32_t best = -1;
  int32_t label;
  for (label = 0; label < d->p->classes; ++label) {
    const float score = tessera_score(d, anchor, label);
    if ((last < 0 || score < limit || (score == limit && label > last)) &&
        (best < 0 || score > tessera_score(d, anchor, best))) {
      best = label;
    }
  }
  return best;
}

/* Scores of one class, or (-1) of each anchor's best one. */
TESSERA_KERNEL void tessera_begin_class(const struct tessera_detector* d, int32_t label) {
  int32_t a;
  for (a = 0; a < d->p->anchors; ++a) {
    const float score = tessera_score(d, a, label >= 0 ? label : tessera_next_class(d, a, -1));
    tessera_put_f32(d->best, a, score);
    d->gone[a] = (uint8_t)(score >= d->p->least_score ? 0 : 1);
  }
}

/* The best anchor that is left, which then keeps off what overlaps it; -1: none. */
TESSERA_KERNEL int32_t tessera_next_anchor(const struct tessera_detector* d) {
  float score = 0.0F;
  int32_t best = -1;
  int32_t a;
  for (a = 0; a < d->p->anchors; ++a) {
    if (d->gone[a] == 0u) {
      const float candidate = tessera_get_f32(d->best, a);
      if (best < 0 || candidate > score) {
        best = a;
        score = candidate;
      }
    }
  }
  if (best < 0) {
    return best;
  }
  d->gone[best] = 1u;
  for (a = 0; a < d->p->anchors; ++a) {
    if (d->gone[a] == 0u && tessera_overlap(d, best, a) > d->p->most_overlap) {
      d->gone[a] = 1u;
    }
  }
  return best;
}

TESSERA_KERNEL void tessera_put_found(const struct tessera_detector* d, int32_t i, int32_t anchor,
                                      int32_t label, float score) {
  tessera_put_i32(d->found, i * 3, anchor);
  tessera_put_i32(d->found, i * 3 + 1, label);
  tessera_put_f32(d->found, i * 3 + 2, score);
}

/* How many boxes. */
TESSERA_KERNEL int32_t tessera_by_anchor(const struct tessera_detector* d) {
  int32_t boxes = 0;
  int32_t anchor, i;
  tessera_begin_class(d, -1);
  while (boxes < d->p->most && (anchor = tessera_next_anchor(d)) >= 0) {
    int32_t label = -1;
    for (i = 0; i < d->p->per_box; ++i) {
      label = tessera_next_class(d, anchor, label);
      tessera_put_found(d, boxes * d->p->per_box + i, anchor, label,
                        tessera_score(d, anchor, label));
    }
    ++boxes;
  }
  return boxes;
}

/* Behind all that are as good: the best `most` stay. */
TESSERA_KERNEL int32_t tessera_insert(const struct tessera_detector* d, int32_t boxes,
                                      int32_t anchor, int32_t label, float score) {
  int32_t at = boxes;
  if (boxes == d->p->most) {
    if (!(score > tessera_get_f32(d->found, (boxes - 1) * 3 + 2))) {
      return boxes;
    }
    at = boxes - 1;
  }
  while (at > 0 && score > tessera_get_f32(d->found, (at - 1) * 3 + 2)) {
    tessera_copy(d->found + (at - 1) * 12, d->found + at * 12, 12);
    --at;
  }
  tessera_put_found(d, at, anchor, label, score);
  return boxes < d->p->most ? boxes + 1 : boxes;
}

TESSERA_KERNEL int32_t tessera_by_class(const struct tessera_detector* d) {
  int32_t boxes = 0;
  int32_t label, anchor, i;
  for (label = 0; label < d->p->classes; ++label) {
    tessera_begin_class(d, label);
    for (i = 0; i < d->p->most_of_class && (anchor = tessera_next_anchor(d)) >= 0; ++i) {
      boxes = tessera_insert(d, boxes, anchor, label, tessera_score(d, anchor, label));
    }
  }
  return boxes;
}

/* `room`: 4 bytes, 21 for each anchor, 12 for each of the most results. */
TESSERA_KERNEL void tessera_detect(const struct tessera_detection* p, const uint8_t* codes,
                                   const uint8_t* scores, const uint8_t* anchors, uint8_t* room) {
  const struct tessera_detector d = tessera_detector_in(p, scores, room);
  tessera_decode(&d, codes, anchors);
  tessera_put_i32(d.boxes_found, 0, p->each_class ? tessera_by_class(&d) : tessera_by_anchor(&d));
}

/* A part of what was found: boxes, classes, scores, or how many boxes there are. Zeros behind it.
 */
TESSERA_KERNEL void tessera_detections(const struct tessera_detection* p, int32_t part,
                                       int32_t bytes, uint8_t* room, uint8_t* out) {
  const struct tessera_detector d = tessera_detector_in(p, 0, room);
  const int32_t boxes = tessera_get_i32(d.boxes_found, 0);
  const int32_t results = p->each_class ? boxes : boxes * p->per_box;
  int32_t i;
  for (i = 0; i < bytes; ++i) {
    out[i] = 0u;
  }
  if (part == 3) {
    tessera_put_f32(out, 0, (float)boxes);
    return;
  }
  for (i = 0; i < results; ++i) {
    if (part == 0) {
      tessera_copy(d.boxes + tessera_get_i32(d.found, i * 3) * 16, out + i * 16, 16);
    } else if (part == 1) {
      tessera_put_f32(out, i, (float)tessera_get_i32(d.found, i * 3 + 1));
    } else {
      tessera_put_f32(out, i, tessera_get_f32(d.found, i * 3 + 2));
    }
  }
}
