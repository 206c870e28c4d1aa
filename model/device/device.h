/* device.h - devices: peaks, memory, caches, their sources, speed, and where they are found. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_DEVICE_DEVICE_H
#define PALEO_MODEL_DEVICE_DEVICE_H

#include "model/op/dtype.h"
#include "model/op/kind.h"
#include "model/op/op.h"

/*
 * The load under which a device was timed: in a short burst, or sustained. A device at its limit of
 * power or heat lowers its clocks within milliseconds to seconds, so the same op takes longer in
 * the second regime than in the first.
 */
enum paleo_regime {
	PALEO_BURST,     /* samples of some 0.1 s, with other things or nothing before them */
	PALEO_SUSTAINED, /* the same op has run back to back for PALEO_SUSTAIN_S, and goes on */
	PALEO_REGIMES
};

/* Seconds of the same op before its sustained samples. */
#define PALEO_SUSTAIN_S 1.0

enum {
	PALEO_REGIME_MAX = 16 /* bytes of a name, with its end */
};

/* "burst", "sustained": the name in records. Records of earlier versions have none, "": they are
 * bursts. */
static inline const char *paleo_regime_name(enum paleo_regime regime)
{
	static const char *const names[PALEO_REGIMES] = {"burst", "sustained"};

	return names[regime];
}

/* Momentary speed of a device, measured by two short probes: multiply-adds on cached data, and
 * memory bandwidth. 0: not known. A plain value. */
struct paleo_rates {
	double flop_per_s, bytes_per_s;
};

/* Speed relative to the calibration: 1 as fast, 2 twice as fast. 0 where one of the two is not
 * known, which counts as 1. A plain value. */
struct paleo_speed {
	double products, memory;
};

struct paleo_speed paleo_speed_over(const struct paleo_rates *now, const struct paleo_rates *usual);

/* A probed speed as far as it says more than the calibration, whose own probes varied by `sd`: a
 * logarithm x becomes x max(0, 1 - sd^2/x^2), the nonnegative garrote of Breiman (1995). Without a
 * spread, 0, it is the speed itself. */
struct paleo_speed paleo_speed_shrunk(const struct paleo_speed *now, const struct paleo_speed *sd);

/* The probe that the op's speed follows. */
enum paleo_follows paleo_speed_probe(const struct paleo_op *w);

/* The rate that this probe found; 0: the op follows none, or it is not known. */
double paleo_speed_rate(const struct paleo_rates *now, const struct paleo_op *w);

/* Factor by which this op's rates scale at that speed: the memory probe's, the compute probe's or
 * 1. */
double paleo_speed_of(const struct paleo_speed *s, const struct paleo_op *w);

/* The standard deviation of its logarithm. */
double paleo_speed_sd_of(const struct paleo_speed *sd, const struct paleo_op *w);

/* Unknown numbers are 0. All in SI units: FLOP/s, bytes/s, bytes, Hz. A plain value. */
struct paleo_device {
	char name[64];                   /* our short name: "h200" */
	char title[64];                  /* "NVIDIA H200 SXM 141 GB" */
	char match[64];                  /* the driver's word for it ("NVIDIA H200"), "" if none */
	char chip[16];                   /* of the die: "GH100"; "" if not known */
	char source[256];                /* datasheet, or how it was measured */
	double flop_per_s[PALEO_DTYPES]; /* dense peak per dtype; 0: not offered */
	/* of e2m1 operands with block scales, which no net has as its dtype; 0: none */
	double fp4_flop_per_s;
	double int8_flop_per_s; /* of 8-bit integer GEMMs on tensor cores; 0: none */
	double mem_bytes_per_s;
	double mem_bytes;
	double cache_bytes; /* last level: L2 of a GPU, L3 of a CPU */
	double clock_hz;    /* boost */
	double tdp_w;
	int sm_count;           /* multiprocessors, or cores */
	int compute_capability; /* 90 for 9.0; 0 for others */
	int is_processor;       /* 1: a CPU, not a GPU */
	int measured; /* 1: the peaks were measured on the machine, not read from a datasheet */
	struct paleo_speed speed; /* machine speed at prediction; in no file */
	/* standard deviation of its logarithm; 0: it is known */
	struct paleo_speed speed_sd;
};

/* Makes the speeds that are set certain. */
void paleo_speed_known(struct paleo_device *d);

/* Which one of equal devices it is, and what its driver says of its settings and surroundings. 0,
 * "": not known. A plain value. */
struct paleo_condition {
	char node[64]; /* the machine's name */
	char unit[64]; /* "GPU-5f3c...": no other device of the machine has it; "" of a CPU */
	double power_limit_w, power_default_w; /* now, and as shipped */
	double used_bytes;                     /* of its memory, by others */
	int pcie_width, pcie_width_max;        /* lanes */
	int pcie_generation, pcie_generation_max;
	int nvlinks;             /* active */
	int has_ecc, ecc_errors; /* that could not be corrected, since the driver was loaded */
};

/* Identity of a device; a plain value. */
struct paleo_device_info {
	struct paleo_device device; /* with the peaks known so far: datasheet, or 0 */
	char versions[256];         /* "cudnn 9.19.0, cublasLt 13.1, driver 580.95" */
	int threads;                /* of a CPU backend; 0 otherwise */
	int is_doubted;             /* 1: other processes disturbed the measurement of its peaks */
	char processor[64]; /* of a CPU backend: distinguishes CPUs of one family; "" otherwise */
	char boot[48]; /* of a CPU backend: the same as long as the machine runs; "" otherwise */
	struct paleo_rates now; /* machine speed as probed for a prediction; 0: not probed */
	struct paleo_condition condition; /* without the node */
	char no_energy[192];              /* why its energy cannot be measured; "": it can */
};

/* Dense peak FLOP/s of the units for quantised operands; 0: the device has none, or none are
 * requested. */
double paleo_device_cores_peak(const struct paleo_device *d, enum paleo_cores cores);

/* Dense peak FLOP/s that an op can reach: of cores for its codes where the device has them, else
 * of its dtype; 0: not known. */
struct paleo_op;
double paleo_device_peak(const struct paleo_device *d, const struct paleo_op *w);

/* Fraction of a burst's rate of GEMMs that the power limit of its chip leaves for long; 1 where it
 * is not known. */
double paleo_device_sustained(const struct paleo_device *d);

/* The shipped devices: the table and its length. */
const struct paleo_device *paleo_devices(int *count);

/* By short name, else by title, else by the driver's word: in a list of `count`, or in the shipped
 * table. Letters and digits count, without letter case; "NVIDIA", "Tesla", "GeForce", "AMD",
 * "Radeon" and "Instinct" in front do not: "A100_80_SXM", "Tesla T4". NULL if there is none. */
const struct paleo_device *paleo_device_among(const struct paleo_device *list, int count,
					      const char *name);
const struct paleo_device *paleo_device_find(const char *name);

/* 1 if two names are of one device, or of cards with one chip: a V100 and a TITAN V, both GV100.
 * Where the chip of either is not known they share the first word, as "X9_PCIE" and "x9-sxm" do. */
int paleo_device_same_chip(const char *a, const char *b);

/* By the driver's word for it, all of it, without letter case or a leading "NVIDIA ": a remaining
 * suffix ("RTX 3090 Ti", "H200 NVL", a MIG slice) means another chip or a part of one. NULL if
 * there is none. */
const struct paleo_device *paleo_device_match(const char *driver_name);

/*
 * Reads devices from a user's JSON file: {"devices": [{"name": "x", "flop_per_s": {"f32": 1e13},
 * "mem_bytes_per_s": 1e12, ...}]}, keys as the fields above. Name, one peak and mem_bytes_per_s
 * are needed, names must differ, a missing title becomes the name. *out is an array of *count,
 * owned by the caller: free(). EIO, EINPUT, ENOMEM.
 */
int paleo_devices_load(const char *path, struct paleo_device **out, int *count,
		       struct paleo_error *err);

/* 1 if a device may have this short name, which is also that of its folder of results: not empty,
 * without '/', and not beginning with '.'. */
int paleo_device_is_name(const char *name);

/* One device as JSON, for calibration and results files: reads what it writes; a missing title
 * becomes the name. EINPUT with the key for a number out of its range and for other names than
 * paleo_device_is_name(). */
struct paleo_json;
struct paleo_json_writer;
int paleo_device_read(const struct paleo_json *v, struct paleo_device *out,
		      struct paleo_error *err);
void paleo_device_write(const struct paleo_device *d, struct paleo_json_writer *w, const char *key);

/* All known devices: the user's own, then the shipped ones. */
struct paleo_catalog {
	struct paleo_device *devices; /* owned */
	int count;
};

/* The devices of the user's file (`path`, or NULL), then the shipped ones whose names these do not
 * take. As paleo_devices_load(); ENOMEM. paleo_catalog_release() frees. */
int paleo_catalog_make(const char *path, struct paleo_catalog *out, struct paleo_error *err);
void paleo_catalog_release(struct paleo_catalog *c);

/* The device of this name, in any spelling; *out belongs to the catalog. EINPUT with the nearest
 * name. */
int paleo_catalog_find(const struct paleo_catalog *c, const char *name,
		       const struct paleo_device **out, struct paleo_error *err);

/* The device that a table was measured on: `given` by the user, or NULL for the table's own name.
 * On a board with two dies a program sees only one: "k80" is "k80-die". */
int paleo_catalog_find_measured(const struct paleo_catalog *c, const char *given,
				const char *called, const struct paleo_device **out,
				struct paleo_error *err);

#endif
