/* families.c - finds a family by model_type: table of other names, and of unsupported families. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>

#include "import/hf/read.h"

/* Macros of a row: a family's own keys, then its deviations from the defaults. */
#define FAMILY(name, ...) {.is.type = (name), .keys = __VA_ARGS__},
#define IS(trait) .is.trait = 1
#define POSITIONS(which) .is.positions = PALEO_HF_##which
#define RULE(which) .is.rule = PALEO_HF_##which
#define NORM(which) .norm = PALEO_HF_##which
#define PLACE(which) .place = PALEO_HF_##which
#define IF_PARALLEL(which) .if_parallel = PALEO_HF_##which
#define QK_NORM(which) .qk_norm = PALEO_HF_NORM_##which
#define BIAS(which) .bias = PALEO_HF_BIAS_##which
#define WITH_BIAS(which) .with_bias = PALEO_HF_BIAS_##which
#define ATTENTION_BIAS_OF(which) .with_attention_bias = PALEO_HF_BIAS_##which
#define ATTENTION_BIAS ATTENTION_BIAS_OF(ATTENTION)
#define LEFT_OUT(...)                                                                              \
	.sizes = (const struct paleo_hf_size[])                                                    \
	{                                                                                          \
		__VA_ARGS__,                                                                       \
		{                                                                                  \
			NULL, 0                                                                    \
		}                                                                                  \
	}

static const struct paleo_hf_family families[] = {
#include "import/hf/families.def"
#include "import/hf/families_encoders.def"
};

enum {
	FAMILIES = sizeof(families) / sizeof(families[0])
};

/* Names of files whose text part is another family's: each family, and behind it these. */
static const char *const aliases[] = {
	"qwen2 qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text qwen2_5_omni_text llava_qwen",
	"qwen3 qwen3_vl_text",
	"qwen3_moe qwen3_vl_moe_text qwen3_omni_moe_text",
	"llama llava llava_llama aquila aquila3 xverse Yi",
	"mistral llava_mistral",
	"phi3 phi3_v phi4mm phi4_multimodal",
	"glm4 glm4v_text",
	"glm4_moe glm4v_moe_text",
	"falcon RefinedWeb RefinedWebModel",
	"stablelm stablelm_epoch",
	"gpt2 gpt-sw3",
	"deepseek_v2 DeepseekV2ForCausalLM",
	"gte new",
	"beit data2vec-vision",
	"bailing_moe bailing_moe_v2",
	"gemma4_text gemma4_unified_text",
	"siglip_text_model siglip2_text_model",
	"clip_text_model metaclip_2_text_model",
};

/* Families that these layers cannot express, with the missing feature. */
static const struct {
	const char *type, *why;
} others[] = {
	{"t5gemma", "an encoder-decoder"},
	{"zamba", "attention shared by several layers"},
	{"zamba2", "attention shared by several layers, each with its own factors"},
	{"recurrent_gemma", "a recurrence with block-diagonal gates"},
	{"rwkv", "linear attention"},
	{"minimax", "linear attention"},
	{"mllama_text_model", "cross-attention to images between the layers"},
};

const struct paleo_hf_family *paleo_hf_family_find(const char *type)
{
	char own[PALEO_HF_KEY_BYTES] = "";

	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		const char *names = aliases[i];
		if (paleo_hf_is_in(names, type) && paleo_hf_next_word(&names, own))
			type = own;
	}
	for (int i = 0; i < FAMILIES; i++)
		if (!strcmp(families[i].is.type, type))
			return &families[i];
	return NULL;
}

int paleo_hf_any_has(const char *key)
{
	for (int i = 0; i < FAMILIES; i++)
		if (paleo_hf_is_in(families[i].keys, key))
			return 1;
	return 0;
}

const char *paleo_hf_family_lacks(const char *type)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(others[i].type, type))
			return others[i].why;
	return NULL;
}
