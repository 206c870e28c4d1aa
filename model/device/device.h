/* device.h - what makers say of their chips: peaks, memory, caches, with sources. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_DEVICE_DEVICE_H
#define PALEO_MODEL_DEVICE_DEVICE_H

#include "model/device/speed.h"
#include "model/work/weight_type.h"

/* Unknown numbers are 0. All in SI units: FLOP/s, bytes/s, bytes, Hz. A plain value. */
struct paleo_device {
	char name[64];                   /* our short name: "h200" */
	char title[64];                  /* "NVIDIA H200 SXM 141 GB" */
	char match[64];                  /* the driver's word for it ("NVIDIA H200"), "" if none */
	char chip[16];                   /* of the die: "GH100"; "" if not known */
	char source[256];                /* datasheet, or how it was measured */
	double flop_per_s[PALEO_DTYPES]; /* dense peak per number type; 0: not offered */
	/* of products of e2m1 with scales of their blocks, which no number type of nets is; 0: none
	 */
	double fp4_flop_per_s;
	double int8_flop_per_s; /* of products of whole numbers of 8 bits on such cores; 0: none */
	double mem_bytes_per_s;
	double mem_bytes;
	double cache_bytes; /* last level: L2 of a GPU, L3 of a CPU */
	double clock_hz;    /* boost */
	double tdp_w;
	int sm_count;           /* multiprocessors, or cores */
	int compute_capability; /* 90 for 9.0; 0 for others */
	int is_processor;       /* 1: a CPU, not a GPU */
	int measured; /* 1: the peaks were measured on the machine, not read from a datasheet */
	struct paleo_speed speed; /* of the moment that is predicted for; in no file */
};

/* Who the device is; a plain value. */
struct paleo_device_info {
	struct paleo_device device; /* with the peaks known so far: datasheet, or 0 */
	char versions[256];         /* "cudnn 9.19.0, cublasLt 13.1, driver 580.95" */
	int threads;                /* of a CPU backend; 0 otherwise */
	char processor[64];         /* of a CPU backend: what tells its like apart; "" otherwise */
	char boot[48]; /* of a CPU backend: the same as long as the machine runs; "" otherwise */
};

/* Dense peak FLOP/s of cores for codes; 0: the device has none, or none are asked for. */
double paleo_device_cores_peak(const struct paleo_device *d, enum paleo_cores cores);

/* Dense peak FLOP/s that a work can reach: of cores for its codes where the device has them, else
 * of its number type; 0: not known. */
struct paleo_work;
double paleo_device_peak(const struct paleo_device *d, const struct paleo_work *w);

/* The shipped devices: the table and its length. */
const struct paleo_device *paleo_devices(int *count);

/* By short name, else by title, else by the driver's word: in a list of `count`, or in the shipped
 * table. Letters and digits count, without letter case; "NVIDIA", "Tesla", "GeForce", "AMD",
 * "Radeon" and "Instinct" in front do not: "A100_80_SXM", "Tesla T4". NULL if there is none. */
const struct paleo_device *paleo_device_among(const struct paleo_device *list, int count,
					      const char *name);
const struct paleo_device *paleo_device_find(const char *name);

/* 1 if the device's title or the driver's word has all words of `name` that tell devices apart:
 * "A100_SXM" fits several. */
int paleo_device_fits(const struct paleo_device *d, const char *name);

/* 1 if two names are of one device, or of cards with one chip: a V100 and a TITAN V, both GV100.
 * Where the chip of either is not known they share the first word, as "X9_PCIE" and "x9-sxm" do. */
int paleo_device_same_chip(const char *a, const char *b);

/* By the driver's word for it, all of it, without letter case or a leading "NVIDIA ": what is left
 * over ("RTX 3090 Ti", "H200 NVL", a MIG slice) is another chip or a part of one. NULL if there is
 * none. */
const struct paleo_device *paleo_device_match(const char *driver_name);

/*
 * Reads devices from a user's JSON file: {"devices": [{"name": "x", "flop_per_s": {"f32": 1e13},
 * "mem_bytes_per_s": 1e12, ...}]}, keys as the fields above. Name, one peak and mem_bytes_per_s
 * are needed, names must differ, a missing title becomes the name. *out is an array of *count,
 * owned by the caller: free(). EIO, EINPUT, ENOMEM.
 */
int paleo_devices_load(const char *path, struct paleo_device **out, int *count,
		       struct paleo_error *err);

/* One device as JSON, for calibration and results files: reads what it writes; a missing title
 * becomes the name. */
struct paleo_json;
struct paleo_json_writer;
int paleo_device_read(const struct paleo_json *v, struct paleo_device *out,
		      struct paleo_error *err);
void paleo_device_write(const struct paleo_device *d, struct paleo_json_writer *w, const char *key);

#endif
