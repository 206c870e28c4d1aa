/* record.h - one measured time, and the file format of results/. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_RECORD_RECORD_H
#define PALEO_MODEL_RECORD_RECORD_H

#include <stdio.h>

#include "model/device/ceiling.h"
#include "model/device/device.h"
#include "model/record/spent.h"
#include "model/record/state.h"
#include "model/work/algorithm.h"
#include "model/work/work.h"

/* Times of one work. Seconds per run. */
struct paleo_timing {
	/* 95 % interval of the median, within this run: of its samples, or, where there are
	 * repetitions, of their medians (docs/method/intervals.md). NaN: there is none. */
	double median_s, ci_low_s, ci_high_s;
	double min_s, mean_s, mad_s, p05_s, p95_s;
	double drift;     /* median of the second half / of the first half - 1 */
	int samples;      /* samples kept */
	int rejected;     /* samples thrown away because the host was disturbed */
	int reps;         /* runs per sample */
	int operand_sets; /* that were rotated through */
	char stop[16];    /* why it ended: "precise", "samples", "time" */
	/* Moments at which it was measured, and this is the middle one. 0: one. */
	int repetitions;
	/* Half the 95 % interval, over the median, of what all works of a run share: how much
	 * faster or slower the machine was in its rounds. 0: not known. */
	double shared_half;
	/* What the device could do meanwhile, as its backend's short loops see it, before, between
	 * and after the samples: the speed of a host drifts. 0: not known. */
	struct paleo_rates speed;
};

/* 1 if the median has an interval. Earlier versions gave one to any number of samples. */
static inline int paleo_timing_has_interval(const struct paleo_timing *t)
{
	const int samples_min = 6;

	return t->ci_low_s <= t->ci_high_s && (t->repetitions || t->samples >= samples_min);
}

enum paleo_record_status {
	PALEO_RECORD_OK,
	PALEO_RECORD_UNSUPPORTED, /* the backend cannot run this work */
	PALEO_RECORD_OOM,
	PALEO_RECORD_TIMEOUT,
	PALEO_RECORD_CRASH,
	PALEO_RECORD_INCORRECT, /* ran, but its answer was wrong: the time is not used */
	PALEO_RECORD_FAILED,    /* any other failure; `reason` says what */
	PALEO_RECORD_DISTURBED, /* ran, but other processes disturbed every sample: no time */
	PALEO_RECORD_STATUSES
};

/* The tags of a record. */
#define PALEO_TAG_DRIFT "drift" /* later samples differ from earlier ones by over 1 % */
#define PALEO_TAG_ABOVE                                                                            \
	"above_ceiling" /* cold, and faster than 1.05 x what was measured as limit */

#define PALEO_TAG_THROTTLED "throttled" /* slowed down by heat or by the hardware */
#define PALEO_TAG_CAPPED "power_cap"    /* slowed down by its limit of power */
#define PALEO_TAG_SHARED "shared"       /* other processes computed on the device */
#define PALEO_TAG_RESIDENT                                                                         \
	"l2_resident" /* cold, but all its sets of operands fit into the last cache */

/* A plain value. */
struct paleo_record {
	struct paleo_work work;
	enum paleo_record_status status;
	char reason[256]; /* a sentence when status is not OK, else "" */
	char mode[16];    /* cache state: "cold", "hot" */
	int rank;         /* place in the library's list of algorithms; 0: its own choice */
	/* What ran, as in algorithm.h. Texts are "" where it is not known. */
	char algorithm[96];
	char engine[24], knobs[160], notes[128], behaviour[96];
	int is_fallback, has_bias, has_act;
	char tags[64]; /* words with blanks between: what is to be known of the time */
	double workspace_bytes;
	double verify_error; /* largest relative error of the checked outputs; NaN: not checked */
	double verify_tolerance;
	struct paleo_timing timing; /* of an OK record */
	struct paleo_state state;   /* likewise */
	struct paleo_spent spent;   /* measuring it; not in its line */
};

/* What a file says of the machine; one "meta" line. */
struct paleo_record_meta {
	char backend[16];
	char versions[256];
	char host[128]; /* processor and kernel */
	char start_utc[32];
	char tool[64];                /* "paleo 0.1.0 (git describe)" */
	int threads;                  /* of a CPU backend; 0 otherwise */
	char processor[64], boot[48]; /* as in struct paleo_device_info */
	struct paleo_device device;
};

/* One row of a profiled net: which work a layer's pass was. */
struct paleo_net_row {
	char layer[96];
	char kind[32];
	enum paleo_pass pass; /* of the layer; a deconvolution's FWD is a BWD_DATA work */
	struct paleo_work work;
};

/* A profiled net: one "net" line. */
struct paleo_net_rows {
	char net[64];
	int batch;
	enum paleo_dtype dtype;
	struct paleo_net_row *rows; /* owned by the results */
	int count;
};

/* 1 if both are the same rows of the same net. */
int paleo_net_rows_equal(const struct paleo_net_rows *a, const struct paleo_net_rows *b);

/* NHWC if any of its works is. */
enum paleo_layout paleo_net_rows_layout(const struct paleo_net_rows *n);

struct paleo_graph_record; /* model/record/graph_record.h */

struct paleo_results {
	struct paleo_record_meta meta;
	struct paleo_record *records;
	int count;
	struct paleo_net_rows *nets;
	int net_count;
	struct paleo_graph_record *passes; /* whole passes of nets */
	int pass_count;
	int has_candidates; /* 1: there are records of another rank than 0 */
	int complete;       /* 1: the file ends in its "end" line: the run was not cut short */
	int is_cut;         /* 1: the last line was cut, and is left out */
	int behind; /* its last "meta" line is of a schema so many versions ago: if any, lines that
		     * are added to the file need another one before them */
	struct paleo_ceiling *ceilings;
	int ceiling_count;
	struct paleo_results_index *index; /* owned; for find */
	struct paleo_results *parts;       /* the sets that were joined to this one; owned */
	int part_count;
};

/*
 * Reads a results file, one of the earlier schema too with its words. It has JSON lines:
 * "meta" first, then "record", "net" and "ceiling" lines, "end" last. A record (work, mode, rank),
 * net or ceiling that appears twice counts once, the later one. A last line that was cut is dropped
 * and the file is not complete; any other fault is EINPUT with its line. Each run that writes to
 * the file and comes to its end writes one "end": more records may follow it, and a second "meta"
 * of the same backend, device and threads. The file may be packed by gzip, and
 * is read line by line: of any size, each line of 64 MB at most. EIO, EINPUT, ENOMEM.
 */
int paleo_results_load(const char *path, struct paleo_results *out, struct paleo_error *err);

/* The same from `size` bytes of text; `name` stands for the file in messages. */
int paleo_results_parse(const char *name, const char *text, size_t size, struct paleo_results *out,
			struct paleo_error *err);
void paleo_results_release(struct paleo_results *r); /* NULL allowed */

/* Adds a copy, in place of an earlier record of the same work, mode and rank; a disturbed one does
 * not take the place of one with a time. A zero struct is an empty set of results. Pointers that
 * find gave are void afterwards. ENOMEM. */
int paleo_results_add(struct paleo_results *r, const struct paleo_record *record,
		      struct paleo_error *err);

/* Adds a copy, in place of an earlier one of the same net, batch and number type. ENOMEM. */
int paleo_results_add_net(struct paleo_results *r, const struct paleo_net_rows *net,
			  struct paleo_error *err);

/* Adds records, nets and passes of another set as above, and takes it over: *part is empty
 * afterwards, also on failure. ENOMEM. */
int paleo_results_join(struct paleo_results *r, struct paleo_results *part,
		       struct paleo_error *err);

/* What a net's rows were measured in: of the joined sets the last that has the net (name, batch,
 * number type, layout), else r itself. */
const struct paleo_results *paleo_results_of_net(const struct paleo_results *r,
						 const struct paleo_net_rows *net);

/* Adds a copy, in place of an earlier one of the same name. ENOMEM. */
int paleo_results_add_ceiling(struct paleo_results *r, const struct paleo_ceiling *c,
			      struct paleo_error *err);

/* Takes over `pass` with its rows, in place of an earlier one of the same net, batch, number type,
 * extent and optimiser; on failure it stays the caller's. ENOMEM. */
int paleo_results_add_pass(struct paleo_results *r, const struct paleo_graph_record *pass,
			   struct paleo_error *err);

/* The pass of the same net, batch, number type, extent and optimiser as `like`, or NULL. */
const struct paleo_graph_record *paleo_results_find_pass(const struct paleo_results *r,
							 const struct paleo_graph_record *like);

/* The record that stands for this work in this mode, or NULL: where several algorithms were
 * measured, the fastest that is right; where none is, the one of the lowest rank. Fast: any number
 * of records. */
const struct paleo_record *paleo_results_find(const struct paleo_results *r,
					      const struct paleo_work *w, const char *mode);

/* The record of one rank, or NULL. */
const struct paleo_record *paleo_results_candidate(const struct paleo_results *r,
						   const struct paleo_work *w, const char *mode,
						   int rank);

/* 1 if records[i] stands for its work, 0 if it is another candidate. */
int paleo_results_stands(const struct paleo_results *r, int i);

/* Fills in what ran. */
void paleo_record_take(struct paleo_record *r, const struct paleo_algorithm *a);

/* Each writes one line and flushes it. EIO. */
int paleo_record_meta_write(const struct paleo_record_meta *m, FILE *out, struct paleo_error *err);
int paleo_record_write(const struct paleo_record *r, FILE *out, struct paleo_error *err);
int paleo_net_rows_write(const struct paleo_net_rows *n, FILE *out, struct paleo_error *err);
int paleo_ceiling_write(const struct paleo_ceiling *c, FILE *out, struct paleo_error *err);
/* `spent`: where the run's wall time of `wall_s` went; NULL: it is not told. */
int paleo_record_end_write(const struct paleo_spent *spent, double wall_s, FILE *out,
			   struct paleo_error *err);

/* Adds a tag, once; 1 if there is such a one. */
void paleo_record_tag(struct paleo_record *r, const char *tag);
int paleo_record_has_tag(const struct paleo_record *r, const char *tag);

/* Tags an OK record that drifts, whose device was slowed down, or that is above the measured peaks
 * of the device: FLOP/s of its number type (not where its algorithm needs fewer operations), or
 * bytes a second. A tag by other peaks is taken away. */
void paleo_record_judge(struct paleo_record *r, const struct paleo_device *d);

const char *paleo_record_status_name(enum paleo_record_status status); /* "ok", "oom" ... */

#endif
