/* op.h - the op: one thing a device is asked to do, with its geometry, FLOPs and bytes. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_OP_OP_H
#define PALEO_MODEL_OP_OP_H

#include <stddef.h>

#include "model/op/dtype.h"

/*
 * The op is the waist of the program: layers become ops, the model predicts
 * the time of an op, a backend runs it, calibration is fitted to measured ops.
 * It is a plain value: copy it freely. Make one by filling kind, pass, dtype and
 * geom, the rest zero, and calling paleo_op_finish(), which checks the ranges,
 * derives output sizes and counts FLOPs and bytes; or from its key.
 *
 * Dimensions are int, 1 .. 2^24; counts are double, exact to 2^53.
 */
enum paleo_op_kind {
#define OP(constant, name) PALEO_##constant,
#include "model/op/kinds.def"
#undef OP
	PALEO_OP_KINDS
};

enum paleo_pass {
	PALEO_FWD,         /* forward, as in training */
	PALEO_BWD_DATA,    /* gradient with respect to the inputs (dgrad) */
	PALEO_BWD_FILTER,  /* gradient with respect to the weights (wgrad) */
	PALEO_PASS_UPDATE, /* weight update */
	PALEO_PASSES
};

/*
 * Memory layout of images. Neither the result nor the bytes depend on it: elements are indexed by
 * n,c,h,w in both (a filter's by k,c,r,s; NHWC stores it as k,r,s,c). Convolution, pooling,
 * normalisation, LRN and up-sampling have a layout; other ops are the same in both, and always
 * NCHW. For a CPU, NCHW means that its library chooses (docs/reference/measure-cpu.md).
 */
enum paleo_layout {
	PALEO_NCHW,
	PALEO_NHWC, /* channels innermost */
	PALEO_LAYOUTS
};

/*
 * Convolution: x[n,c,h,w] * w[k,c/groups,r,s] (+ bias[k]) -> y[n,k,p,q]. Both
 * gradients have the geometry of their forward convolution. A deconvolution
 * layer's forward is the BWD_DATA of the convolution it transposes.
 */
struct paleo_conv_geom {
	int n, c, h, w, k, r, s;
	int stride_h, stride_w;
	int pad_t, pad_l, pad_b, pad_r;
	int dil_h, dil_w;
	int groups;
	int bias; /* 1: FWD adds a bias, BWD_FILTER also gives the bias gradient; 0 for BWD_DATA */
	int act;  /* of FWD: 1 + enum paleo_eltwise_op of a fused epilogue; 0: none */
	int p, q; /* output size; derived, not part of the key */
};

/*
 * Row-major C[m,n] = op(A) op(B), `batch` times. op(A) is m x k, op(B) is k x n; trans_a 1 means A
 * is stored k x m. With bias: FWD adds bias[n] to each row of C; BWD_FILTER also gives the bias
 * gradient, the sums over k of op(A), of length m. A layer y = x w^T with w[o,i]: FWD m=N n=o k=i
 * trans_b; BWD_DATA m=N n=i k=o; BWD_FILTER m=o n=i k=N trans_a.
 *
 * fp8 exists for the forward pass of an inner product only: A, the activations, comes in bf16 and
 * is quantised dynamically, with one scale for the tensor by its largest element; B, the weights,
 * is already stored in e4m3; sums are f32; bias and C are bf16. With `codes` A comes quantised, as
 * servers do it in the op before where the scales are known; only the GEMM is left. Batched GEMMs,
 * gradients and all other ops do not exist in fp8: nets compute them in bf16.
 */
struct paleo_gemm_geom {
	int m, n, k, batch;
	int trans_a, trans_b;
	int bias;   /* 0 for BWD_DATA and for batch > 1 */
	int act;    /* as of a convolution; 0 for batch > 1 */
	int stored; /* how B is stored, in paleo_stored_names; FWD of batch 1 alone */
	int codes;  /* 1: A comes quantised; of GEMMs that paleo_gemm_quantises() alone */
};

enum paleo_pool_mode {
	PALEO_POOL_MAX,
	PALEO_POOL_AVG,
	PALEO_POOL_AVG_PAD
};

/* Pooling; AVG divides by the pixels inside the input, AVG_PAD by r*s. ceil mode is expressed by
 * larger pad_b, pad_r. Every window must touch the input. */
struct paleo_pool_geom {
	int mode; /* enum paleo_pool_mode */
	int n, c, h, w, r, s;
	int stride_h, stride_w;
	int pad_t, pad_l, pad_b, pad_r;
	int p, q; /* derived */
};

enum paleo_eltwise_op {
	PALEO_RELU,
	PALEO_RELU6,
	PALEO_LEAKY_RELU, /* slope 0.01 */
	PALEO_ELU,        /* alpha 1 */
	PALEO_SIGMOID,
	PALEO_TANH,
	PALEO_GELU, /* exact, with erf */
	PALEO_SILU,
	PALEO_HARDSWISH, /* x * clamp(x/6 + 1/2, 0, 1) */
	PALEO_DROPOUT,   /* keeps with probability 1/2 and doubles; the mask is a byte an element */
	PALEO_ADD,       /* of `inputs` tensors */
	PALEO_MUL,       /* of two */
	PALEO_MAX,
	PALEO_SILU_MUL, /* silu(a) b of two inputs */
	PALEO_ELTWISE_OPS
};

enum {
	PALEO_ADDENDS_MAX = 64 /* inputs of one sum */
};

/*
 * y = op(x...) on `count` elements. BWD_DATA gives the gradients of all inputs. ADD has no BWD_DATA
 * (the gradient passes through unchanged). With `small` the second input of an ADD or MUL, w, has
 * only so many elements and is repeated: y[i] = x[i] op w[i mod small]; FWD only.
 */
struct paleo_eltwise_geom {
	int op;     /* enum paleo_eltwise_op */
	int inputs; /* 1 for unary; 2 .. 64 for ADD; 2 for MUL, MAX, SILU_MUL */
	double count;
	double small; /* divides count; 0: all inputs are of one size */
};

enum paleo_norm_mode {
	PALEO_BATCH_NORM,
	PALEO_LAYER_NORM,
	PALEO_RMS_NORM,
	PALEO_BATCH_INFERENCE
};

/* Batch: statistics of each channel over n,h,w (FWD and BWD_DATA as in training). Layer and RMS:
 * over c at each n,h,w. BWD_DATA also gives the gradients of scale and shift. epsilon 1e-5. With
 * `add`, of RMS alone, two inputs are added up first: FWD gives y and, as a second y, the sum;
 * BWD_DATA has the sum as x and a second dy, of the sum, which it adds to dx. Batch
 * inference has FWD alone, and takes mean and variance of each channel as inputs. */
struct paleo_norm_geom {
	int mode; /* enum paleo_norm_mode */
	int n, c, h, w;
	int scale, shift; /* 1: has a learned scale / shift per channel */
	int add;
};

/* y = x / (1 + 1e-4/size * sum of squares of `size` neighbouring channels)^0.75; size is odd */
struct paleo_lrn_geom {
	int n, c, h, w, size;
};

struct paleo_softmax_geom {
	int rows, cols;
};

/* FWD: `parts` blocks [rows, about cols/parts] into one [rows, cols]; BWD_DATA: the reverse. The
 * first cols % parts blocks are one column wider. */
struct paleo_copy_geom {
	int rows, cols, parts;
};

enum paleo_upsample_mode {
	PALEO_NEAREST,
	PALEO_BILINEAR
};

/* [n,c,h,w] -> [n,c,h*scale_h,w*scale_w]; bilinear with half-pixel centres, edges clamped. */
struct paleo_upsample_geom {
	int mode; /* enum paleo_upsample_mode */
	int n, c, h, w, scale_h, scale_w;
};

/* w -= lr*dw (SGD); v = 0.9 v + dw, w -= lr*v (momentum); Adam with beta 0.9, 0.999, epsilon 1e-8,
 * bias correction of step 1. lr is 2^-10. */
enum paleo_update_rule {
	PALEO_SGD,
	PALEO_MOMENTUM,
	PALEO_ADAM
};

struct paleo_update_geom {
	int rule; /* enum paleo_update_rule */
	double count;
};

enum paleo_reduce_op {
	PALEO_REDUCE_SUM,
	PALEO_REDUCE_MEAN,
	PALEO_REDUCE_MAX
};

/* x[rows, cols] -> y[rows]. BWD_DATA: dx[row, col] = dy[row], / cols for a mean; a maximum has
 * none. */
struct paleo_reduce_geom {
	int op; /* enum paleo_reduce_op */
	int rows, cols;
};

/*
 * y = softmax(q k^T / sqrt(qk)) v of `batch` sequences, as one fused op (Vaswani et al. 2017).
 * `heads` heads of queries share `kv_heads` of keys and values (Ainslie et al. 2023). There are `q`
 * queries for `keys` keys; the first keys - q of these are the past. Decoding has q 1, prefill q =
 * keys, in chunks more keys.
 *
 * Causal: query i (from 0) sees the keys up to keys - q + i; of these the last `window`, where that
 * is not 0. FLOPs count visible pairs only, bytes only the keys that any query sees. Not causal: a
 * window is odd, for the query's own key and as many on each side, without a past.
 *
 * latent: the values are the first `v` numbers of each key and not stored separately, as in
 * multi-head latent attention (DeepSeek-AI 2024) whose projections are absorbed.
 *
 * cache: keys and values of the past are in a cache; those of the q queries are separate operands
 * and are appended to it; before that the last `rope` numbers of q and of each new key are rotated
 * as a `rope` op does. FWD alone.
 *
 * BWD_DATA gives the gradients of q, k and v; it has q, k, v, y and recomputes the scores. The
 * statistics of a row, one number per row, are not counted.
 */
struct paleo_attention_geom {
	int batch, q, keys, heads, kv_heads;
	int qk, v; /* numbers of a head in queries and keys, and in values */
	int causal, window, latent, cache, rope;
	int kv; /* 1 + enum paleo_dtype of keys and values that are stored; 0: the op's */
};

/* Looks `tokens` rows of a table [vocab, dim] up; BWD_FILTER writes the whole gradient of it. */
struct paleo_embedding_geom {
	int tokens, vocab, dim;
};

/* Rotates the pairs (i, i + dim/2) of each of `heads` heads of each row by the row's angles, whose
 * cosines and sines are an input (Su et al. 2021). BWD_DATA turns back. */
struct paleo_rope_geom {
	int rows, heads, dim;
};

/*
 * The experts of one worker, in one op: y[t] = sum of gate[t, i] expert(index[t, i])(x[t]) over the
 * `topk` experts that each of `tokens` tokens is sent to, restricted to the first `local` of
 * `experts`, which the worker has. An expert is w2 (silu(w1 x) * (w3 x)) if `gated`, else w2 max(w1
 * x, 0)^2; w1 and w3 are [inter, hidden] and one operand. With tensor parallelism `inter` is a
 * worker's part. Tokens of the whole group count, and FLOPs and bytes are those of an even routing;
 * `skew` is 100 times the exponent of the power law of the routing; the worker has the busiest
 * experts.
 *
 * BWD_DATA gives the gradients of the tokens and of the first GEMMs' results, which are an input
 * then; the gradients of gates, one number a pair, are not an operand. BWD_FILTER gives those of
 * the experts.
 *
 * x, y and gates are in the wide type, the experts in the op's.
 */
struct paleo_moe_geom {
	int tokens, hidden, inter, experts, local, topk;
	int gated, skew;
	int stored; /* how experts are stored, in paleo_stored_names */
};

/* y[row] = log(sum of exp(x[row])) - x[row, index[row]], in f32; BWD_DATA: the gradient of the
 * rows' mean, dx = (softmax(x) - 1 at index) / rows. */
struct paleo_cross_entropy_geom {
	int rows, cols;
};

/*
 * y[t, c] = sum of w[c, i] x[t - taps + 1 + i, c] over the taps, with a bias, through silu if
 * `act`: of each channel by itself, of the tokens up to this one. `cache`: the last taps - 1 tokens
 * of each sequence are in a state, which is read and replaced; without it they are 0. BWD_DATA
 * gives the gradients of x, w and bias, and recomputes the input of silu.
 */
struct paleo_causal_conv_geom {
	int batch, tokens, channels, taps;
	int bias, act, cache;
};

enum paleo_scan_rule {
	PALEO_SCAN_SSD,       /* Mamba 2 (Dao, Gu 2024) */
	PALEO_SCAN_DELTA,     /* gated delta rule (Yang, Kautz, Hatamizadeh 2025) */
	PALEO_SCAN_KDA,       /* the same with a decay for each number of a key (Kimi team 2025) */
	PALEO_SCAN_SELECTIVE, /* Mamba 1 (Gu, Dao 2023): a channel is a head of one value */
	PALEO_SCAN_RULES
};

enum {
	PALEO_SCAN_CHUNK = 64 /* tokens that libraries take together, where nothing is said */
};

/*
 * Each of `heads` heads has a state S[qk, v], which each token decays, adds to and reads; `groups`
 * keys and queries are shared by the heads. A token brings a query, a key, a value and gates,
 * concatenated in one operand, [q | k | v | gates]; learned parameters are an f32 operand, with the
 * numbers named by the rule for each head:
 *
 *   ssd        d = softplus(a + w2), S = exp(-e^w0 d) S + k (d v)^T, y = S^T q + w1 v
 *   selective  the same with a w0 for each number of a key
 *   delta      g = exp(-e^w0 softplus(a + w1)), q and k of length 1, q by sqrt(qk) besides;
 *              S = g S, S += k (sigmoid(b) (v - S^T k))^T, y = S^T q
 *   kda        the same with an a, a w1 and a g for each number of a key
 *
 * FLOPs are those of these lines, token by token, and S is moved once: in chunks of `chunk` tokens,
 * as libraries compute it, both are larger; the kernel model accounts for that. `cache`: S of each
 * sequence is read and replaced, in the type `kv`, as attention's. BWD_DATA gives all gradients; it
 * counts twice the forward's FLOPs; recomputed states do not count (docs/reference/attention.md).
 */
struct paleo_scan_geom {
	int rule; /* enum paleo_scan_rule */
	int batch, tokens, heads, groups;
	int qk, v;
	int chunk; /* 0: PALEO_SCAN_CHUNK */
	int cache;
	int kv; /* 1 + enum paleo_dtype of the state; 0: f32 */
};

struct paleo_op {
	enum paleo_op_kind kind;
	enum paleo_pass pass;
	enum paleo_dtype dtype;
	enum paleo_layout layout;
	union {
#define OP(constant, name) struct paleo_##name##_geom name;
#include "model/op/kinds.def"
#undef OP
	} geom;
	double flops; /* a multiplication and an addition count 2; kind.h lists other operations */
	double read_bytes;  /* the fewest: each operand once */
	double write_bytes; /* each result once */
};

/* Long enough for every key, with its ending NUL. */
#define PALEO_OP_KEY_MAX 256

/* Checks every field against its range, derives p and q, counts FLOPs and bytes. EINPUT names the
 * field; EUNSUPPORTED where kind, pass and dtype do not go together. */
int paleo_op_finish(struct paleo_op *w, struct paleo_error *err);

/* 1 if such an op exists in its dtype. Of an unfinished op, batch 0 is 1. */
int paleo_op_has_dtype(const struct paleo_op *w);

/* The key: "conv fwd f32 n=64 c=3 h=224 w=224 k=64 r=3 s=3 pad_t=1 ..."; equal for equal ops and
 * only for these. Fields at their default (pads 0, strides, dilation, groups 1 ...) are left out.
 */
void paleo_op_key(const struct paleo_op *w, char *buf, size_t size);

/* Reads a key back into a finished op. EINPUT names the word that is wrong. */
int paleo_op_parse(const char *key, struct paleo_op *out, struct paleo_error *err);

/* Pairs of a query and a key that it sees, of one head of one sequence; the keys that are seen. */
double paleo_attention_pairs(const struct paleo_attention_geom *g);
int paleo_attention_seen(const struct paleo_attention_geom *g);
/* Sets the window with which causal attention has as many pairs as where a query sees the last
 * `window` keys, 0: none, and one more for each `ratio` tokens so far, `top` of these at most, 0:
 * all. There are never more than all of `keys`. */
void paleo_attention_compress(struct paleo_attention_geom *g, int window, int ratio, int top);

/* Numbers that a token brings: query, key, value, gates; those of one head that are gates; those
 * that a head has learned. */
double paleo_scan_columns(const struct paleo_scan_geom *g);
int paleo_scan_gates(const struct paleo_scan_geom *g);
int paleo_scan_learned(const struct paleo_scan_geom *g);
extern const char *const paleo_scan_rules[PALEO_SCAN_RULES + 1];

/* Pairs of a token and one of its experts that are the worker's, at an even routing. */
double paleo_moe_pairs(const struct paleo_moe_geom *g);

/* Model FLOPs of a forward op, from which MFU is counted: GEMMs, convolutions, scans, experts and
 * attention; 0 for others. Attention without a causal mask, as Korthikanti et al. 2022 count it, or
 * with it (is_masked 1); a window counts in both. */
double paleo_op_model_flops(const struct paleo_op *w, int is_masked);

/* 1 if a and b are the same op. */
int paleo_op_equal(const struct paleo_op *a, const struct paleo_op *b);

/*
 * Class of ops that are calibrated together, along with pass and dtype: "conv", "conv.dense" (one
 * output pixel: a fully connected layer in disguise), "conv.grouped", "conv.depthwise",
 * "conv.direct" (below), "gemm", "gemm.batched", "gemm.block" (weights with scales of their
 * blocks), "gemm.fp4" and "gemm.int8" (both operands codes), "gemm.weight_only" (weights alone are
 * narrow), "moe" and these of it, "attention", "attention.decode", "attention.full", of latent keys
 * "attention.latent" and "attention.expanded", "pool.max", "pool.avg", "eltwise.relu" ...,
 * "norm.batch" ..., "lrn", "softmax", "copy", "upsample.nearest" ..., "update.sgd" ...,
 * "reduce.sum" ..., and with channels innermost "conv.nhwc", "pool.max.nhwc" ... A constant string.
 */
const char *paleo_op_class(const struct paleo_op *w);

/*
 * 1 for gradients of grouped NHWC convolutions in f16 and bf16, where libraries have no kernel for
 * tensor cores: those exist for 32 groups, or a multiple, of 4, 8, 16 or 32 channels each
 * (docs/method/frameworks.md).
 */
int paleo_conv_is_direct(const struct paleo_op *w);

/* 1 if it quantises its A: a forward GEMM in fp8, or with weights that are multiplied by codes. */
int paleo_gemm_quantises(const struct paleo_op *w);

/* The units used for a GEMM of codes by codes, where a GPU has them. */
enum paleo_cores paleo_op_cores(const struct paleo_op *w);

/* 1 if ops of this kind have a layout. */
int paleo_op_has_layout(enum paleo_op_kind kind);

const char *paleo_op_kind_name(enum paleo_op_kind kind); /* "conv" */
/* "fwd" "bwd_data" "bwd_filter" "update", NULL-ended. */
extern const char *const paleo_pass_names[PALEO_PASSES + 1];
const char *paleo_pass_name(enum paleo_pass pass); /* "fwd" "bwd_data" "bwd_filter" "update" */
const char *paleo_layout_name(enum paleo_layout layout); /* "nchw" */
int paleo_pass_parse(const char *word, enum paleo_pass *out, struct paleo_error *err);
const char *paleo_eltwise_name(enum paleo_eltwise_op op); /* "relu" */

/* An algorithm of a library for an op, in the library's own words. */

enum {
	PALEO_ALGORITHMS_MAX = 32
};

/* A plain value. Backends report it, records store it, the model reads it. */
struct paleo_algorithm {
	char name[96];   /* "cudnn eng62 tc", "jit:avx512_core" */
	char engine[24]; /* the library's number for it: "62"; "" where it has none */
	int is_fallback; /* 1: from its list of last resorts */
	int has_bias;    /* 1: the op's bias is computed in it */
	int has_act;     /* 1: the activation that ends the op, too */
	double workspace_bytes;
	char knobs[160];    /* how the engine is set: "tile_size=30 stages=3", or "" */
	char notes[128];    /* on its numbers: "tensor_core", "winograd winograd_4x4", or "" */
	char behaviour[96]; /* on how it runs: "runtime_compilation", or "" */
};

/* Algorithms a library offers for an op, its first choice first; a plain value. */
struct paleo_algorithms {
	int count;
	struct paleo_algorithm items[PALEO_ALGORITHMS_MAX];
};

/* How an algorithm is known in records; NULL as "". */
struct paleo_algorithm_texts {
	const char *name, *engine, *knobs, *notes;
};

/* The same for people: cuDNN's "engine 62: tensor cores, tile code 4", cublasLt's "algorithm 66:
 * tile 128x128, cluster 2x1x1"; the name of one without a number. `only_known` 1: without numbers
 * whose meaning the library does not document. */
void paleo_algorithm_words(const struct paleo_algorithm_texts *a, int only_known, char *out,
			   size_t size);

/* The same behind its library, "cudnn engine 62: tensor cores + bias in it"; the name where nothing
 * is known. */
void paleo_algorithm_title(const struct paleo_algorithm_texts *a, char *out, size_t size);

/* Likewise knobs alone: "tile 128x128, split-K 1". */
void paleo_knobs_words(const char *list, int only_known, char *out, size_t size);

#endif
