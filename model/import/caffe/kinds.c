/* kinds.c - finds out what a layer's type means. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/caffe/kinds.h"

#include <string.h>

#define PALEO_CAFFE_KIND(name) &paleo_caffe_kind_##name,
static const struct paleo_caffe_kind *const kinds[] = {
#include "model/import/caffe/kinds.def"
};
#undef PALEO_CAFFE_KIND

enum {
	KINDS = sizeof(kinds) / sizeof(kinds[0])
};

/* What Caffe has and a net has not, and why, where there is more to say. */
struct refused {
	const char *type, *old;
	const char *why;
};

static const char loss[] = "a loss that nets do not have; remove it if it may be left out";
static const char parts[] = "nets have no layer that takes a part of a tensor";
static const char slopes[] = "nets have no activation that learns";

// clang-format off
static const struct refused refused[] = {
	{"AbsVal", "ABSVAL", NULL},
	{"ArgMax", "ARGMAX", NULL},
	{"BatchReindex", NULL, NULL},
	{"Bias", NULL, NULL},
	{"BNLL", "BNLL", NULL},
	{"Clip", NULL, NULL},
	{"ContrastiveLoss", "CONTRASTIVE_LOSS", loss},
	{"Crop", NULL, parts},
	{"Embed", NULL, NULL},
	{"EuclideanLoss", "EUCLIDEAN_LOSS", loss},
	{"Exp", "EXP", NULL},
	{"Filter", NULL, NULL},
	{"HDF5Output", "HDF5_OUTPUT", "nets write nothing; remove it"},
	{"HingeLoss", "HINGE_LOSS", loss},
	{"Im2col", "IM2COL", NULL},
	{"InfogainLoss", "INFOGAIN_LOSS", loss},
	{"Log", NULL, NULL},
	{"LSTM", NULL, "nets have no recurrent layers"},
	{"MultinomialLogisticLoss", "MULTINOMIAL_LOGISTIC_LOSS", loss},
	{"MVN", "MVN", NULL},
	{"Parameter", NULL, NULL},
	{"Power", "POWER", NULL},
	{"PReLU", NULL, slopes},
	{"Python", NULL, "what it does stands in another file"},
	{"Reduction", NULL, NULL},
	{"RNN", NULL, "nets have no recurrent layers"},
	{"Slice", "SLICE", parts},
	{"SPP", NULL, NULL},
	{"Threshold", "THRESHOLD", NULL},
	{"Tile", NULL, NULL},
};
// clang-format on

enum {
	REFUSED = sizeof(refused) / sizeof(refused[0])
};

static int refuse(const struct paleo_caffe_field *type, const char *word, int old,
		  struct paleo_error *err)
{
	const char *names[KINDS + REFUSED + 1];
	int count = 0;

	for (int i = 0; i < REFUSED; i++) {
		const char *name = old ? refused[i].old : refused[i].type;
		if (!name)
			continue;
		if (!strcmp(name, word))
			return paleo_caffe_fail(type, err, "'%s' cannot be converted: %s", word,
						refused[i].why ? refused[i].why
							       : "nets have no layer like it");
		names[count++] = name;
	}
	for (int i = 0; i < KINDS; i++) {
		const char *name = old ? kinds[i]->old : kinds[i]->type;
		if (name)
			names[count++] = name;
	}
	names[count] = NULL;
	const char *near = paleo_nearest(word, names);
	return paleo_caffe_fail(type, err, "unknown layer type '%s'%s%s%s", word,
				near ? " (did you mean '" : "", near ? near : "",
				near ? "'?)" : "");
}

int paleo_caffe_find_kind(const struct paleo_caffe_field *layer,
			  const struct paleo_caffe_kind **out, struct paleo_error *err)
{
	int old = !strcmp(layer->name, "layers");
	const struct paleo_caffe_field *type;
	int rc = paleo_caffe_one(layer, "type", &type, err);

	if (rc)
		return rc;
	if (old && paleo_caffe_first(layer, "layer"))
		return paleo_caffe_fail(paleo_caffe_first(layer, "layer"), err,
					"layers within 'layers' are Caffe's oldest form; bring the "
					"file up to date with Caffe's upgrade_net_proto_text");
	if (!type)
		return paleo_caffe_fail(layer, err, "the layer has no 'type'");
	if (!old && type->type != PALEO_CAFFE_STRING)
		return paleo_caffe_fail(type, err, "expected a type in quotes: \"Convolution\"");
	if (old && type->type != PALEO_CAFFE_WORD)
		return paleo_caffe_fail(type, err,
					"expected a type without quotes: CONVOLUTION; "
					"those in quotes stand in 'layer', not in 'layers'");
	for (int i = 0; i < KINDS; i++) {
		const char *name = old ? kinds[i]->old : kinds[i]->type;
		if (name && !strcmp(name, type->text)) {
			*out = kinds[i];
			return PALEO_OK;
		}
	}
	return refuse(type, type->text, old, err);
}
