/* unquote.h - decodes a string of protobuf text: quotes, escapes. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_IMPORT_CAFFE_UNQUOTE_H
#define PALEO_MODEL_IMPORT_CAFFE_UNQUOTE_H

/*
 * **at stands on the opening quote, `end` is the end of the text. Writes the decoded,
 * NUL-ended UTF-8 text to `out`, which needs as many bytes as the string has with its
 * quotes, and moves *at behind the closing quote. Returns NULL; or what is wrong, a
 * constant, with *at on the place.
 */
const char *paleo_caffe_unquote(const char **at, const char *end, char *out);

#endif
