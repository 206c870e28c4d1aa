/* record.h - one measured time, and the file format of results/. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_RECORD_RECORD_H
#define PALEO_MODEL_RECORD_RECORD_H

#include <math.h>
#include <stdio.h>

#include "base/json.h"
#include "base/texts.h"
#include "model/device/backends.h"
#include "model/device/ceiling.h"
#include "model/device/device.h"
#include "model/op/op.h"

/* Phases of the wall time of measuring. All time counts in exactly one phase; a nested phase
 * interrupts the outer one. */
enum paleo_phase {
	PALEO_PHASE_START,    /* the worker, its plug-in, its device */
	PALEO_PHASE_PEAKS,    /* of the device */
	PALEO_PHASE_PREPARE,  /* primitives, memory, a first run, and letting go of all that */
	PALEO_PHASE_FILL,     /* operands, and their copies that keep caches cold */
	PALEO_PHASE_CHECK,    /* against the reference */
	PALEO_PHASE_WARM_UP,  /* and finding how many repeats fill a sample */
	PALEO_PHASE_PROBES,   /* of the device's speed */
	PALEO_PHASE_COUNTED,  /* samples that were kept */
	PALEO_PHASE_REJECTED, /* samples that others disturbed */
	PALEO_PHASE_WRITE,    /* records */
	PALEO_PHASES
};

/* Seconds of the host's clock. */
struct paleo_spent {
	double s[PALEO_PHASES];
};

static inline void paleo_spent_add(struct paleo_spent *to, const struct paleo_spent *more)
{
	for (int i = 0; i < PALEO_PHASES; i++)
		to->s[i] += more->s[i];
}

enum {
	PALEO_UNIT_MAX = 128
};

/* State of the device while an op was timed. A plain value; an unknown number is 0, and null in
 * files. */
struct paleo_state {
	double sm_mhz;      /* mean clock of the multiprocessors, or of the cores of a CPU */
	double clock_ratio; /* that over the highest the device has */
	double power_w;     /* mean */
	double temp_c;      /* highest */
	double energy_j;    /* of the op's window of energy_s, in which it ran energy_runs times */
	double energy_s, energy_runs;
	int others;       /* other processes computing on the device; 0: none known */
	char reasons[96]; /* reasons for a reduced clock, separated by blanks: "idle", "app_clocks",
			     "power_cap", "hw_slowdown", "sync_boost", "sw_thermal", "hw_thermal",
			     "power_brake" */
};

/* Mean power in the window; 0: not measured. */
static inline double paleo_state_watts(const struct paleo_state *s)
{
	return s->energy_s > 0 ? s->energy_j / s->energy_s : 0;
}

/* Energy of one run, in joules, idle power included; NaN: not measured. */
static inline double paleo_state_joules(const struct paleo_state *s)
{
	return s->energy_s > 0 && s->energy_runs > 0 ? s->energy_j / s->energy_runs : NAN;
}

/* Times of one op. Seconds per run. */
struct paleo_timing {
	/* 95 % interval of the median at the speed the machine had in this run: by the spread
	 * between the ops' repetitions, pooled; of one repetition alone, that of its samples
	 * (docs/method/intervals.md). NaN: there is none. */
	double median_s, ci_low_s, ci_high_s;
	double ci_degrees; /* of freedom, of the pooled interval; 0: it is not pooled */
	double min_s, mean_s, mad_s, p05_s, p95_s;
	double drift;     /* median of the second half / of the first half - 1 */
	int samples;      /* samples kept */
	int rejected;     /* samples thrown away because the host was disturbed */
	int reps;         /* runs per sample */
	int operand_sets; /* that were rotated through */
	char stop[16];    /* why it ended: "precise", "samples", "time" */
	/* Number of repetitions, of which this is the median. 0: one. */
	int repetitions;
	/* Half the 95 % interval, relative to the median, of the error common to all ops of a run:
	 * drift of the machine between rounds. 0: not known. */
	double shared_half;
	double shared_degrees; /* of freedom of that, where ci_degrees is not 0 */
	/* Machine speed measured by the backend's probes before, between and after the samples, as
	 * it drifts on CPUs. 0: not known. */
	struct paleo_rates speed;
	/* The time goes as that speed to the power of minus this, as the run's repetitions show;
	 * only where ci_degrees is not 0. */
	double speed_slope, speed_slope_se; /* the standard error of it */
	/* Standard deviation of that speed's logarithm over the run's repetitions. */
	double speed_sd;
};

/* 1 if the median has an interval. Earlier versions gave one to any number of samples. */
static inline int paleo_timing_has_interval(const struct paleo_timing *t)
{
	const int samples_min = 6;

	return t->ci_low_s <= t->ci_high_s &&
	       (t->ci_degrees > 0 || t->repetitions || t->samples >= samples_min);
}

/* Half the 95 % interval, as a logarithm, of the median that another run on this machine may show:
 * of the noise of both runs, and of the speeds that the machine had in this one, which all ops that
 * follow the same probe have in common. A time without repetitions has none: NaN. */
struct paleo_another_run {
	double own, speed;
};
struct paleo_another_run paleo_timing_another_run(const struct paleo_timing *t);

enum paleo_record_status {
	PALEO_RECORD_OK,
	PALEO_RECORD_UNSUPPORTED, /* the backend cannot run this op */
	PALEO_RECORD_OOM,
	PALEO_RECORD_TIMEOUT,
	PALEO_RECORD_CRASH,
	PALEO_RECORD_INCORRECT, /* ran, but its answer was wrong: the time is not used */
	PALEO_RECORD_FAILED,    /* any other failure, described by `reason` */
	PALEO_RECORD_DISTURBED, /* ran, but other processes disturbed every sample: no time but
				   the least_s of low confidence */
	PALEO_RECORD_STATUSES
};

/* The tags of a record. */
#define PALEO_TAG_DRIFT "drift"         /* later samples differ from earlier ones by over 1 % */
#define PALEO_TAG_ABOVE "above_ceiling" /* cold, and faster than 1.05 x the measured ceiling */

#define PALEO_TAG_THROTTLED "throttled" /* slowed down by heat or by the hardware */
#define PALEO_TAG_CAPPED "power_cap"    /* slowed down by its limit of power */
#define PALEO_TAG_SHARED "shared"       /* other processes computed on the device */
#define PALEO_TAG_DIFFERS "differs" /* of a device unlike the others that ops were divided over */
#define PALEO_TAG_RESIDENT                                                                         \
	"l2_resident" /* cold, but sets of operands were used again while in the last cache */

/* A plain value. */
struct paleo_record {
	struct paleo_op op;
	enum paleo_record_status status;
	char reason[256];              /* a sentence when status is not OK, else "" */
	char mode[16];                 /* cache state: "cold", "hot" */
	char regime[PALEO_REGIME_MAX]; /* "burst", "sustained"; "" as "burst" */
	int rank; /* place in the library's list of algorithms; 0: its own choice */
	/* The algorithm that ran, as in struct paleo_algorithm. Texts are "" where unknown. */
	char algorithm[96];
	char engine[24], knobs[160], notes[128], behaviour[96];
	int is_fallback, has_bias, has_act;
	char tags[64];               /* words separated by blanks: notes on the time */
	char device[PALEO_UNIT_MAX]; /* of several that ops were divided over, "NODE UNIT"; else ""
				      */
	double workspace_bytes;
	double verify_error; /* largest relative error of the checked outputs; NaN: not checked */
	double verify_tolerance;
	/* Of a disturbed record: its least sample, without the time that its threads waited. Too
	 * long if anything; fits and judgements leave it out. 0: none. */
	double least_s;
	struct paleo_timing timing; /* of an OK record */
	struct paleo_state state;   /* likewise */
	struct paleo_spent spent;   /* measuring it; not in its line */
};

/* A record in a set of results. The set owns its texts, each distinct one once; the members are
 * those of struct paleo_record. */
struct paleo_result {
	struct paleo_op op;
	enum paleo_record_status status;
	int rank, is_fallback, has_bias, has_act;
	const char *reason, *mode, *regime, *algorithm, *engine, *knobs, *notes, *tags, *behaviour,
		*device;
	double workspace_bytes, verify_error, verify_tolerance, least_s;
	struct paleo_timing timing;
	struct paleo_state state;
};

/* The record of a result, a copy. */
struct paleo_record paleo_result_record(const struct paleo_result *r);

/* The result of a record, whose texts are kept in *to. ENOMEM. */
int paleo_result_of(const struct paleo_record *r, struct paleo_texts *to, struct paleo_result *out,
		    struct paleo_error *err);

/* The machine's description in a file; one "meta" line. */
struct paleo_record_meta {
	char backend[16];
	char versions[256];
	char host[128]; /* CPU and kernel */
	char start_utc[32];
	char tool[64];                /* "paleo 0.2.0 (git describe)" */
	int threads;                  /* of a CPU backend; 0 otherwise */
	char processor[64], boot[48]; /* as in struct paleo_device_info */
	enum paleo_timed_by timed_by; /* of tables; not in files */
	struct paleo_device device;
};

/* One row of a profiled net: which op a layer's pass was. */
struct paleo_net_row {
	char layer[96];
	char kind[32];
	enum paleo_pass pass; /* of the layer; a deconvolution's FWD is a BWD_DATA op */
	struct paleo_op op;
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

/* NHWC if any of its ops is. */
enum paleo_layout paleo_net_rows_layout(const struct paleo_net_rows *n);

struct paleo_graph_record; /* model/record/graph_record.h */

struct paleo_results {
	struct paleo_record_meta meta;
	struct paleo_result *records;
	int count;
	struct paleo_texts texts; /* of the records */
	struct paleo_net_rows *nets;
	int net_count;
	struct paleo_graph_record *passes; /* whole passes of nets */
	int pass_count;
	int has_candidates; /* 1: there are records of another rank than 0 */
	int complete;       /* 1: the file ends in its "end" line: the run was not cut short */
	int is_cut;         /* 1: the last line was cut, and is left out */
	struct paleo_ceiling *ceilings;
	int ceiling_count;
	int has_condition; /* 1: it is a check's, and says which device it was */
	struct paleo_condition condition;
	struct paleo_results_index *index; /* owned; for find */
	struct paleo_results *parts;       /* the sets that were joined to this one; owned */
	int part_count;
	int is_part; /* 1: it is what was joined to it first, and there are no other parts */
};

/*
 * Reads a results file. It has JSON lines: "meta" first, then "record", "net", "ceiling" and
 * "condition" lines, "end" last. A record (op, mode, rank), net or ceiling that appears twice
 * counts once, the later one. A last line that was cut is dropped and the file is not complete; any
 * other fault is EINPUT with its line. Each run that writes to the file and comes to its end writes
 * one "end": more records may follow it, and a second "meta" of the same backend, device and
 * threads. The file may be packed by gzip, and is read line by line: of any size, each line of 64
 * MB at most. EIO, EINPUT, ENOMEM.
 */
int paleo_results_load(const char *path, struct paleo_results *out, struct paleo_error *err);

/* The same from `size` bytes of text; `name` is the file's name in messages. */
int paleo_results_parse(const char *name, const char *text, size_t size, struct paleo_results *out,
			struct paleo_error *err);
void paleo_results_release(struct paleo_results *r); /* NULL allowed */

/* Adds a copy, in place of an earlier record of the same op, mode and rank; a disturbed one does
 * not take the place of one with a time. A zero struct is an empty set of results. Pointers that
 * find gave are void afterwards. ENOMEM. */
int paleo_results_add(struct paleo_results *r, const struct paleo_record *record,
		      struct paleo_error *err);

/* Adds a copy, in place of an earlier one of the same net, batch and dtype. ENOMEM. */
int paleo_results_add_net(struct paleo_results *r, const struct paleo_net_rows *net,
			  struct paleo_error *err);

/* Adds records, nets and passes of another set as above, and takes it over: *part is empty
 * afterwards, also on failure. ENOMEM. */
int paleo_results_join(struct paleo_results *r, struct paleo_results *part,
		       struct paleo_error *err);

/* The set in which a net's rows were measured: the last of the joined sets that has the net (name,
 * batch, dtype, layout), else r itself. */
const struct paleo_results *paleo_results_of_net(const struct paleo_results *r,
						 const struct paleo_net_rows *net);

/* The regime of its times, by the first of them; "" where there is none. A file is not continued in
 * another regime, and files of two regimes are not joined. */
const char *paleo_results_regime(const struct paleo_results *r);

/* The fraction of its ops that other processes kept from being timed; 0 where it has none. */
double paleo_results_disturbed(const struct paleo_results *r);

/* Adds a copy, in place of an earlier one of the same name. ENOMEM. */
int paleo_results_add_ceiling(struct paleo_results *r, const struct paleo_ceiling *c,
			      struct paleo_error *err);

/* Takes over `pass` with its rows, in place of an earlier one of the same net, batch, dtype,
 * extent and optimiser; on failure it stays the caller's. ENOMEM. */
int paleo_results_add_pass(struct paleo_results *r, const struct paleo_graph_record *pass,
			   struct paleo_error *err);

/* The pass of the same net, batch, dtype, extent and optimiser as `like`, or NULL. */
const struct paleo_graph_record *paleo_results_find_pass(const struct paleo_results *r,
							 const struct paleo_graph_record *like);

/* The representative record of this op in this mode, or NULL: of several algorithms the fastest
 * correct one; if there is none, the one of the lowest rank. Fast: any number of records. */
const struct paleo_result *paleo_results_find(const struct paleo_results *r,
					      const struct paleo_op *w, const char *mode);

/* The record of one rank, or NULL. */
const struct paleo_result *paleo_results_candidate(const struct paleo_results *r,
						   const struct paleo_op *w, const char *mode,
						   int rank);

/* 1 if records[i] is the representative of its op, 0 if it is another candidate. */
int paleo_results_stands(const struct paleo_results *r, int i);

/* Fills in the algorithm that ran. */
void paleo_record_take(struct paleo_record *r, const struct paleo_algorithm *a);

/* Each writes one line and flushes it. EIO. */
int paleo_record_meta_write(const struct paleo_record_meta *m, FILE *out, struct paleo_error *err);
int paleo_record_write(const struct paleo_record *r, FILE *out, struct paleo_error *err);
int paleo_net_rows_write(const struct paleo_net_rows *n, FILE *out, struct paleo_error *err);
int paleo_ceiling_write(const struct paleo_ceiling *c, FILE *out, struct paleo_error *err);
int paleo_condition_write(const struct paleo_condition *c, FILE *out, struct paleo_error *err);
/* `spent`: breakdown of the run's wall time `wall_s`; NULL: not written. */
int paleo_record_end_write(const struct paleo_spent *spent, double wall_s, FILE *out,
			   struct paleo_error *err);

/* Adds a tag, once; 1 if it is among the tags of a record. */
void paleo_record_tag(struct paleo_record *r, const char *tag);
int paleo_record_has_tag(const char *tags, const char *tag);

/* Tags an OK record that drifts, whose device was slowed down, or that is above the measured peaks
 * of the device: FLOP/s of its dtype (not where its algorithm needs fewer operations), or
 * bytes a second. A tag by other peaks is taken away. */
void paleo_record_judge(struct paleo_record *r, const struct paleo_device *d);

const char *paleo_record_status_name(enum paleo_record_status status); /* "ok", "oom" ... */

/* The fields of the lines of a results file: one table for reader and writer. */

/* The schema that the first line names; raised when a field changes its name or its meaning. */
extern const struct paleo_json_schema paleo_results_schema;

extern const struct paleo_json_field paleo_meta_fields[];      /* of struct paleo_record_meta */
extern const struct paleo_json_field paleo_record_fields[];    /* of struct paleo_record */
extern const struct paleo_json_field paleo_timing_fields[];    /* of struct paleo_timing */
extern const struct paleo_json_field paleo_state_fields[];     /* of struct paleo_state */
extern const struct paleo_json_field paleo_net_fields[];       /* of struct paleo_net_rows */
extern const struct paleo_json_field paleo_row_fields[];       /* of struct paleo_net_row */
extern const struct paleo_json_field paleo_ceiling_fields[];   /* of struct paleo_ceiling */
extern const struct paleo_json_field paleo_condition_fields[]; /* of struct paleo_condition */

/* A writer with an open object with its type; NULL if memory ran out. Internal to model. */
struct paleo_json_writer *paleo_results_line(const char *type);

/* Closes the object, writes the line in one go, flushes and frees the writer (NULL: ENOMEM). EIO.
 */
int paleo_results_line_end(struct paleo_json_writer *w, FILE *out, struct paleo_error *err);

#endif
