/* algorithm.h - one way in which a library computes a work, in the library's own words. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_WORK_ALGORITHM_H
#define PALEO_MODEL_WORK_ALGORITHM_H

enum {
	PALEO_ALGORITHMS_MAX = 32
};

/* A plain value. Backends tell it, records keep it, the model reads it. */
struct paleo_algorithm {
	char name[96];   /* "cudnn eng62 tc", "jit:avx512_core" */
	char engine[24]; /* the library's number for it: "62"; "" where it has none */
	int is_fallback; /* 1: from its list of last resorts */
	int has_bias;    /* 1: the work's bias is computed in it */
	int has_act;     /* 1: the activation that ends the work, too */
	double workspace_bytes;
	char knobs[160];    /* how the engine is set: "tile_size=30 stages=3", or "" */
	char notes[128];    /* on its numbers: "tensor_core", "winograd winograd_4x4", or "" */
	char behaviour[96]; /* on how it runs: "runtime_compilation", or "" */
};

/* What a library offers for a work, its first choice first; a plain value. */
struct paleo_algorithms {
	int count;
	struct paleo_algorithm items[PALEO_ALGORITHMS_MAX];
};

#endif
