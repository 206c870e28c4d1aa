/* training_cases.c - the tables of published training steps. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>

#include "tools/training_run.h"

// clang-format off
/* Vocabulary 51,200 and sequences of 2,048 in the first two sources. */
#define GPT(called, hidden, layers, heads) \
	{called, "gpt2", hidden, 4 * (hidden), layers, heads, heads, 51200, 2048, 1}
static const struct training_model models[] = {
	GPT("gpt-1.7b", 2304, 24, 24),
	GPT("gpt-3.6b", 3072, 30, 32),
	GPT("gpt-7.5b", 4096, 36, 32),
	GPT("gpt-18b", 6144, 40, 48),
	GPT("gpt-22b", 6144, 48, 64),
	GPT("gpt-39b", 8192, 48, 64),
	GPT("gpt-76b", 10240, 60, 80),
	GPT("gpt-146b", 12288, 80, 96),
	GPT("gpt-175b", 12288, 96, 96),
	GPT("gpt-310b", 16384, 96, 128),
	GPT("gpt-530b", 20480, 105, 128),
	GPT("gpt-1t", 25600, 128, 160),
	{"llama-405b", "llama", 16384, 53248, 126, 128, 8, 128256, 8192, 0},
	{"llama-405b-128k", "llama", 16384, 53248, 126, 128, 8, 128256, 131072, 0},
};

static const struct training_source sources[] = {
	{"megatron", "a100-80-sxm", "infiniband-hdr", "nvlink3",
	 "Narayanan et al. 2021, tables 1 and 2"},
	{"recompute", "a100-80-sxm", "infiniband-hdr", "nvlink3",
	 "Korthikanti et al. 2022, table 5"},
	{"llama3", "h100-sxm", "ethernet-400g", "nvlink4", "Llama Team 2024, table 4"},
};

#define MEGATRON(model, plan, workers, batch, tflops) \
	{"megatron", model, plan "+full", workers, batch, tflops, TRAINING_HARDWARE_TFLOPS, 0}
#define RECOMPUTE(model, plan, workers, batch, seconds) \
	{"recompute", model, plan, workers, batch, seconds, TRAINING_S, 0}
static const struct training_case cases[] = {
	MEGATRON("gpt-1.7b", "dp", 32, 512, 137),
	MEGATRON("gpt-3.6b", "tp2", 64, 512, 138),
	MEGATRON("gpt-7.5b", "tp4", 128, 512, 142),
	MEGATRON("gpt-18b", "tp8", 256, 1024, 135),
	MEGATRON("gpt-39b", "tp8+pp2", 512, 1536, 138),
	MEGATRON("gpt-76b", "tp8+pp4", 1024, 1792, 140),
	MEGATRON("gpt-146b", "tp8+pp8", 1536, 2304, 148),
	MEGATRON("gpt-175b", "tp8+pp12", 384, 1536, 153),
	MEGATRON("gpt-310b", "tp8+pp16", 1920, 2160, 155),
	MEGATRON("gpt-530b", "tp8+pp35", 2520, 2520, 163),
	MEGATRON("gpt-1t", "tp8+pp64", 3072, 3072, 163),
	RECOMPUTE("gpt-22b", "tp8+mb4+full", 8, 4, 1.42),
	RECOMPUTE("gpt-22b", "tp8+sp+mb4+selective", 8, 4, 1.10),
	RECOMPUTE("gpt-175b", "tp8+pp8+v3+full", 64, 64, 18.13),
	RECOMPUTE("gpt-175b", "tp8+sp+pp8+v3+selective", 64, 64, 13.75),
	RECOMPUTE("gpt-530b", "tp8+pp35+v3+full", 280, 280, 49.05),
	RECOMPUTE("gpt-530b", "tp8+sp+pp35+v3+selective", 280, 280, 37.83),
	RECOMPUTE("gpt-1t", "tp8+pp64+full", 512, 512, 94.42),
	RECOMPUTE("gpt-1t", "tp8+sp+pp64+selective", 512, 512, 71.49),
	{"llama3", "llama-405b", "tp8+sp+pp16+v8+zero1", 8192, 64 * 32, 430, TRAINING_TFLOPS, 1},
	{"llama3", "llama-405b", "tp8+sp+pp16+v8+zero1", 16384, 128 * 16, 400, TRAINING_TFLOPS, 1},
	{"llama3", "llama-405b-128k", "tp8+sp+cp16+gather+pp16+v8+zero1", 16384, 8 * 16, 380,
	 TRAINING_TFLOPS, 1},
};
// clang-format on

static const char *const names[] = {"megatron", "recompute", "llama3", NULL};

const char *const *training_case_names(void)
{
	return names;
}

const struct training_source *training_source_find(const char *of)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (!strcmp(sources[i].of, of))
			return &sources[i];
	return NULL;
}

static const struct training_model *model_of(const struct training_case *c)
{
	size_t i = 0;

	while (strcmp(models[i].name, c->model) != 0) /* all that cases name are there */
		i++;
	return &models[i];
}

int training_add(struct paleo_table *t, const char *of, struct paleo_error *err)
{
	const struct training_source *s = training_source_find(of);
	struct training_runner *runner = NULL;
	int rc = training_runner_open(s, &runner, err);

	for (size_t i = 0; !rc && i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(cases[i].of, of))
			rc = training_run(runner, &cases[i], model_of(&cases[i]), t, err);
	training_runner_close(runner);
	return rc;
}
