/* names.c - finds a family by model_type: THE list of other names, and of what is not known. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "model/import/hf/read.h"

static const struct paleo_hf_family *const tables[] = {
	paleo_hf_text_families, paleo_hf_expert_families, paleo_hf_scan_families,
	paleo_hf_encoder_families, paleo_hf_pair_families};

/* Names of files whose text part is another family's. */
static const struct {
	const char *type, *as;
} aliases[] = {
	{"qwen2_vl", "qwen2"},
	{"qwen2_vl_text", "qwen2"},
	{"qwen2_5_vl", "qwen2"},
	{"qwen2_5_vl_text", "qwen2"},
	{"qwen2_5_omni_text", "qwen2"},
	{"llava_qwen", "qwen2"},
	{"qwen3_vl_text", "qwen3"},
	{"qwen3_vl_moe_text", "qwen3_moe"},
	{"qwen3_omni_moe_text", "qwen3_moe"},
	{"llava", "llama"},
	{"llava_llama", "llama"},
	{"llava_mistral", "mistral"},
	{"phi3_v", "phi3"},
	{"phi4mm", "phi3"},
	{"phi4_multimodal", "phi3"},
	{"glm4v_text", "glm4"},
	{"glm4v_moe_text", "glm4_moe"},
	{"RefinedWeb", "falcon"},
	{"RefinedWebModel", "falcon"},
	{"stablelm_epoch", "stablelm"},
	{"gpt-sw3", "gpt2"},
	{"DeepseekV2ForCausalLM", "deepseek_v2"},
	{"new", "gte"},
	{"data2vec-vision", "beit"},
	{"aquila", "llama"},
	{"aquila3", "llama"},
	{"xverse", "llama"},
	{"Yi", "llama"},
	{"bailing_moe_v2", "bailing_moe"},
	{"gemma4_unified_text", "gemma4_text"},
	{"siglip2_text_model", "siglip_text_model"},
	{"metaclip_2_text_model", "clip_text_model"},
};

/* Families that a net of these layers cannot be: what is missing. */
static const struct {
	const char *type, *why;
} others[] = {
	{"t5gemma", "an encoder with a decoder"},
	{"zamba", "attention that several layers share"},
	{"zamba2", "attention that several layers share, each with factors of its own"},
	{"recurrent_gemma", "a recurrence whose gates come from blocks"},
	{"rwkv", "linear attention"},
	{"minimax", "linear attention"},
	{"mllama_text_model", "attention to pictures between the layers"},
};

const struct paleo_hf_family *paleo_hf_family_find(const char *type)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (!strcmp(aliases[i].type, type))
			type = aliases[i].as;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct paleo_hf_family *f = tables[i]; f->type; f++)
			if (!strcmp(f->type, type))
				return f;
	return NULL;
}

int paleo_hf_any_has(const char *key)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct paleo_hf_family *f = tables[i]; f->type; f++)
			if (paleo_hf_is_in(f->keys, key))
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
