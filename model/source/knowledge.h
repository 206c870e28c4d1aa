/* knowledge.h - parameter source for an op on a GPU: its own calibration, or others near it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_SOURCE_KNOWLEDGE_H
#define PALEO_MODEL_SOURCE_KNOWLEDGE_H

#include <stdint.h>

#include "model/predict/predict.h"

/* Nearness of a device's measurements to another device. */
enum paleo_nearness paleo_nearness_of(const struct paleo_device *d,
				      const struct paleo_device *measured);

/* A serving stack: whose kernels were measured. */
enum paleo_stack {
	PALEO_STACK_AUTO, /* the one with the most factors in presets of the nearest device */
	PALEO_STACK_TRTLLM,
	PALEO_STACK_VLLM,
	PALEO_STACK_SGLANG,
	PALEO_STACKS
};

/* "auto", "trtllm", "vllm", "sglang", NULL. */
extern const char *const paleo_stack_names[PALEO_STACKS + 1];

/* The stack that a calibration's versions name; AUTO: none. */
enum paleo_stack paleo_stack_of(const char *versions);

/* The stack that AUTO means for a device; AUTO where no near preset is of a stack. */
enum paleo_stack paleo_stack_default(const struct paleo_device *d,
				     const struct paleo_calibration *presets, int count);

struct paleo_known_spreads;

/* Available parameter sources. */
struct paleo_knowledge {
	const struct paleo_device *device;
	enum paleo_dtype dtype;
	enum paleo_stack stack;              /* preferred among presets that are equally near */
	const struct paleo_calibration *own; /* of the device itself; NULL: none */
	/* Calibrations made of published tables, one or more of each device. */
	const struct paleo_calibration *presets;
	int preset_count;
	/* Errors over more presets, of which those here are all that are near; NULL: over these
	 * only. */
	const struct paleo_known_spreads *spreads;
	int except_self; /* 1: presets of the device and of cards with its chip do not count */
};

/*
 * Makes a calibration that has a factor for every class of op in a dtype (fp8: also in bf16), each
 * from the first of these that has measured such ops:
 *
 *   the device's own calibration, its own preset of the stack, that of a card with its chip, either
 *   of another stack, a preset of a card of its architecture, the median over all presets
 * (paleo_calibration_presets()).
 *
 * Of presets that are equally near, that of the card with the most similar datasheet comes first. A
 * GEMM or a convolution uses exactly its class where one of them has it, else the nearest class of
 * its kind; GEMMs in f16 and bf16, which the same cores compute, are interchangeable, and so are
 * their passes. Memory-bound ops use the nearest class of their kind that the first of them has, in
 * any dtype, as only bytes matter. Each factor has its source (`source` and `stands_for`).
 *
 * A factor of the device's own calibration has the interval of its held-out rows. Others are
 * widened by the transfer error of sources as near: each preset's device is priced as if it had no
 * preset, and the differences, between GPUs as well as between classes, widen the interval by
 * Student's t for as many GPUs.
 *
 * Launch overheads are those of a net (paleo_calibration_queue()). All other fields of `own` are
 * copied. *out is released by the caller. EUNSUPPORTED when the device lacks what the cost model
 * needs; ENOMEM.
 */
int paleo_knowledge_make(const struct paleo_knowledge *k, struct paleo_calibration *out,
			 struct paleo_error *err);

/*
 * In a calibration of tables that were timed by the host or events, launch overheads of more than
 * PALEO_QUEUED_LAUNCH_US for each kernel of the op become that: the rest is the CPU's dispatch,
 * which a net hides. Returns how many factors were changed.
 */
int paleo_calibration_queue(struct paleo_calibration *c);

#define PALEO_QUEUED_LAUNCH_US 3.0

/*
 * Transfer error by nearness, for ops of a kind: the standard deviation of the logarithm of the
 * time, over `cards` GPUs with a nearer source of the same publisher to compare with. Where there
 * are too few of these it is that over all GPUs, less by as much as in other groups. Never less
 * than that of nearer sources; NaN where not even that over all GPUs is known.
 */
struct paleo_known_spread {
	double sd[PALEO_NEARNESSES];
	int cards[PALEO_NEARNESSES];
};

/* Groups of ops: GEMMs, convolutions, attention and experts in one kernel, memory-bound ops. */
enum paleo_known_group {
	PALEO_KNOWN_PRODUCTS,
	PALEO_KNOWN_CONVOLUTIONS,
	PALEO_KNOWN_FUSED,
	PALEO_KNOWN_MOVES,
	PALEO_KNOWN_GROUPS
};

/* Names in a file of transfer errors. */
extern const char *const paleo_known_group_names[PALEO_KNOWN_GROUPS];
extern const char *const paleo_nearness_names[PALEO_NEARNESSES];

struct paleo_known_spreads {
	struct paleo_known_spread of[PALEO_KNOWN_GROUPS];
	uint64_t presets; /* of these: paleo_presets_identity(); 0: not known */
};

enum paleo_known_group paleo_known_group_of(const struct paleo_op *w);

/* Hash of a set of presets: name and size of each file. `before` is the hash of the preceding
 * presets; 0 for none. */
uint64_t paleo_presets_identity(uint64_t before, const char *name, uint64_t bytes);

/* Transfer errors of calibrations made of published tables: each is priced as if its device had
 * none. ENOMEM. */
int paleo_known_spreads_make(const struct paleo_calibration *presets, int count,
			     struct paleo_known_spreads *out, struct paleo_error *err);

/* Reads the output of `paleo validate --cost-model presets --format csv`. EINPUT with the line;
 * EIO, ENOMEM. */
int paleo_known_spreads_load(const char *path, struct paleo_known_spreads *out,
			     struct paleo_error *err);

#endif
