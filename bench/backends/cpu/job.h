/* job.h - sessions and jobs of the CPU backend; the CPU that it runs on. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CPU_JOB_H
#define PALEO_BENCH_BACKENDS_CPU_JOB_H

#include "bench/backend.h"
#include "bench/backends/cpu/plan.h"
#include "bench/powercap.h"

/* A plain value. */
struct paleo_cpu_host {
	char title[64];     /* "AMD EPYC 9654 96-Core Processor" */
	char name[64];      /* "cpu-amd-epyc-9654-96-core-processor" */
	char processor[64]; /* "AuthenticAMD family 25 model 17 stepping 1" */
	char boot[48];      /* the system's random name of this boot; "" if it has none */
	int cores; /* physical cores that this process may use, at most its cgroup's quota */
	double cache_bytes;    /* last level, all that these cores have together */
	double mem_bytes;      /* of the machine, or the cgroup's limit */
	double clock_hz;       /* the highest; 0: unknown */
	double clock_limit_hz; /* that no core exceeds */
};

/* Never fails: unknown properties get a safe value (1 core, 32 MiB of cache). */
void paleo_cpu_host_read(struct paleo_cpu_host *out);

/* Memory that can be allocated now without swapping, in bytes. */
double paleo_cpu_host_free_bytes(void);

struct paleo_session {
	dnnl_engine_t engine;
	dnnl_stream_t stream;
	struct paleo_cpu_host host;
	const char *isa;              /* the instructions that oneDNN may use: "avx512_core_bf16" */
	int vector_bytes;             /* of these instructions */
	int has_bf16;                 /* they multiply bf16 */
	double f32_flops, bf16_flops; /* of a core in a cycle at most; 0: not multiplied */
	char version[32];             /* "2.6.3" */
	struct paleo_powercap powercap; /* no zones: not opened */
	struct paleo_cpu_probe *probe;  /* state of the probe; NULL: not yet measured */
};

enum {
	PALEO_CPU_OWN_MAX = 4, /* workspace, mean, variance, and see drop_shift() */
	PALEO_CPU_SLOTS_MAX = PALEO_CPU_ARGS_MAX + PALEO_CPU_OWN_MAX
};

/* One buffer of a set. */
struct paleo_cpu_slot {
	int id;             /* DNNL_ARG_...; 0 for a kernel */
	int arg;            /* its place in plan.args; -1: kept between passes by oneDNN */
	const void *layout; /* borrowed from the primitive's descriptor; NULL for a kernel */
	size_t bytes, offset;
};

/* Operands of one run. Many equal sets are rotated to find the caches cold. */
struct paleo_cpu_set {
	unsigned char *data;   /* all buffers; the slots say where */
	dnnl_exec_arg_t *args; /* one a slot */
	void **pointers;       /* the same for a kernel */
};

struct paleo_job {
	struct paleo_session *session;
	struct paleo_cpu_plan plan;
	struct paleo_algorithm algorithm;
	dnnl_primitive_desc_t hint; /* the forward pass's, if the primitive is a backward pass */
	dnnl_primitive_desc_t desc; /* NULL for a kernel, as all of oneDNN's */
	dnnl_primitive_t primitive;
	struct paleo_cpu_slot slots[PALEO_CPU_SLOTS_MAX];
	int slot_count;
	int arg_count; /* of the slots, how many the primitive is given */
	size_t set_bytes;
	struct paleo_cpu_set *sets;
	enum paleo_cache_mode mode; /* which operands of the sets differ */
	double fill_s;              /* that the sets took */
	int copies, next;           /* sets; the one of the next run */
	int threads;
	void *scratch; /* of a kernel */
	size_t scratch_bytes;
	int read;         /* the slot whose values are in `values`; -1: none */
	float *values;    /* a result in its operand's order, for paleo_cpu_output() */
	int has_been_run; /* timed: results are not those of one run any more */
};

/* The hooks of backend.h. */
int paleo_cpu_prepare(struct paleo_session *s, const struct paleo_op *w,
		      const struct paleo_bench_options *o, struct paleo_job **out,
		      struct paleo_job_info *info, struct paleo_error *err);
int paleo_cpu_algorithms(struct paleo_session *s, const struct paleo_op *w,
			 const struct paleo_bench_options *o, int most,
			 struct paleo_algorithms *out, struct paleo_error *err);
int paleo_cpu_run(struct paleo_job *j, int reps, double *elapsed_s, struct paleo_error *err);
int paleo_cpu_output(struct paleo_job *j, enum paleo_role role, int copy, const double *index,
		     int n, float *out, struct paleo_error *err);
void paleo_cpu_release(struct paleo_job *j);
int paleo_cpu_probe(struct paleo_session *s, struct paleo_rates *out, struct paleo_error *err);
void paleo_cpu_probe_release(struct paleo_session *s);

void paleo_cpu_observe_end(struct paleo_session *s, struct paleo_state *out);

/* Lists the buffers of a job whose plan and primitive are made. */
int paleo_cpu_list_slots(struct paleo_job *j, struct paleo_error *err);

/* ENOMEM if so many bytes are more than one set of operands may take. */
int paleo_cpu_check_memory(double bytes, const struct paleo_bench_options *o,
			   struct paleo_error *err);

/* Chooses how many sets, allocates them, fills the first with inputs, makes the others equal. */
int paleo_cpu_make_sets(struct paleo_job *j, const struct paleo_bench_options *o,
			struct paleo_error *err);
void paleo_cpu_free_sets(struct paleo_job *j);

/* Elements of a tensor. */
size_t paleo_cpu_count(const struct paleo_cpu_tensor *t);

/* Fills a memory with the values of fill.h; `view` gives the position of its elements in the
 * operand. */
int paleo_cpu_fill(struct paleo_session *s, const struct paleo_op *w, enum paleo_role role,
		   int copy, const struct paleo_cpu_tensor *view, dnnl_memory_t memory,
		   struct paleo_error *err);

/* Writes `values`, one for each element in the operand's order, into a memory. */
int paleo_cpu_put(struct paleo_session *s, const struct paleo_cpu_tensor *view, float *values,
		  dnnl_memory_t memory, struct paleo_error *err);

/* Reads a memory as floats in its operand's order into `out`, which has room for all of them. */
int paleo_cpu_read(struct paleo_session *s, const struct paleo_cpu_tensor *view,
		   dnnl_memory_t memory, float *out, struct paleo_error *err);

/* Memory on an even cache line; NULL if there is none. free() it. */
void *paleo_cpu_allocate(size_t bytes);

/* Sets err from oneDNN's status and yields ours; `what` completes "oneDNN could not ...". */
int paleo_cpu_fail(struct paleo_error *err, dnnl_status_t status, const char *what);

#endif
