/* session.h - one open device: its stream, its libraries and their answers, its properties. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CUDA_SESSION_H
#define PALEO_BENCH_BACKENDS_CUDA_SESSION_H

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>

#include "bench/backend.h"
#include "bench/backends/cuda/job.h"
#include "bench/backends/cuda/nvml.h"

enum {
	PALEO_WAY_WORDS = 96
};

/* The faster of two implementations of a norm on this device. */
struct paleo_way {
	uint64_t key;              /* of the op */
	int by_kernels;            /* 1: our own, 0: cuDNN's plan */
	char why[PALEO_WAY_WORDS]; /* "cudnn takes 1.83 x" */
};

struct paleo_session {
	int index;
	struct cudaDeviceProp properties;
	cudaStream_t stream; /* everything goes here: never the default stream, which cannot be
				captured */
	cudaEvent_t start, stop;
	cudnnHandle_t cudnn;
	cudnnBackendDescriptor_t described; /* a device that is not here; NULL for a real one */
	int clock_khz;                      /* of one that is described */
	cublasLtHandle_t blas;
	cudaLibrary_t modules[PALEO_DTYPES]; /* our kernels; NULL until first used */
	void *flush;                         /* written to empty the L2 cache */
	size_t flush_bytes;
	int is_warm;            /* the clocks have been brought up */
	struct paleo_way *ways; /* that were found so far */
	int way_count, way_room;
	struct paleo_nvml *nvml; /* NULL where the driver's library is not available */
};

/* Refuses a cuDNN of another major version than the plug-in was built for: ELIBRARY. */
int paleo_device_check_libraries(struct paleo_error *err);

/* The backend's open_described() and algorithms(). */
int paleo_described_open(const char *text, struct paleo_session **out, struct paleo_error *err);
int paleo_algorithms_list(struct paleo_session *s, const struct paleo_op *w,
			  const struct paleo_bench_options *o, int most,
			  struct paleo_algorithms *out, struct paleo_error *err);

/* The backend's description(): cuDNN's own description of the open device. */
int paleo_described_capture(struct paleo_session *s, char *text, size_t size,
			    struct paleo_error *err);

/* The kernel with this name. */
int paleo_kernels_find(struct paleo_session *s, enum paleo_dtype dtype, const char *name,
		       cudaKernel_t *out, struct paleo_error *err);

/* Runs a kernel outside of jobs, in the session's stream. */
int paleo_kernels_run(struct paleo_session *s, cudaKernel_t kernel, double blocks,
		      const struct paleo_frame *f, struct paleo_error *err);

/* Runs one that fills the frame's `count` elements. */
int paleo_kernels_fill(struct paleo_session *s, enum paleo_dtype dtype, const char *name,
		       const struct paleo_frame *f, struct paleo_error *err);

/* Takes memory for the job's operands and workspace, as many copies as the cache mode requires and
 * memory allows. ENOMEM says how much was requested. */
int paleo_memory_take(struct paleo_job *j, struct paleo_error *err);
void paleo_memory_give_back(struct paleo_job *j);

/* 1 if a cold job's sets of operands are so small that all of them stay in the L2 cache. */
int paleo_memory_is_resident(const struct paleo_job *j);

/* Poisons the write-only operands of the job, in all sets. */
int paleo_memory_poison(const struct paleo_job *j, struct paleo_error *err);

/* Fills the inputs of set 0 and poisons all the rest; copies set 0 to the other sets. */
int paleo_memory_fill(struct paleo_job *j, struct paleo_error *err);
int paleo_memory_spread(struct paleo_job *j, struct paleo_error *err);

/* The backend's output(), of the set that was launched last. */
int paleo_memory_read(struct paleo_job *j, enum paleo_role role, int copy, const double *index,
		      int n, float *out, struct paleo_error *err);

/* The value of an element as the device stores it, in the lowest bytes of `raw`. */
float paleo_memory_value(int elem_bytes, enum paleo_dtype dtype, uint32_t raw);

/* Binds all steps to the job's memory. */
int paleo_job_bind(struct paleo_job *j, struct paleo_error *err);

/* The backend's whole_prepare(), whole_run(), whole_read() and whole_release(). */
int paleo_graph_run_prepare(struct paleo_session *s, const struct paleo_graph *p,
			    const struct paleo_bench_options *o, struct paleo_graph_run **out,
			    struct paleo_pass_info *info, struct paleo_error *err);
int paleo_graph_run_run(struct paleo_graph_run *w, double *elapsed_s,
			struct paleo_pass_times *times, struct paleo_error *err);
int paleo_graph_run_read(struct paleo_graph_run *w, int buffer, const double *index, int n,
			 float *out, struct paleo_error *err);
void paleo_graph_run_release(struct paleo_graph_run *w);

/* Plans an op: the steps of its kind. Runs nothing on the device. */
int paleo_job_plan(struct paleo_job *j, struct paleo_error *err);

/* EUNSUPPORTED, and why, where the device is older than a dtype. */
int paleo_dtype_check(const struct paleo_session *s, enum paleo_dtype dtype,
		      struct paleo_error *err);

/* As the backend's prepare(), with the rank-th algorithm that the library offers (0: the first).
 * EUNSUPPORTED if there are not so many. Norms that both cuDNN and our kernels can compute are
 * tried both ways, once in a session: the faster working one is opened, and its notes have the
 * other's time. */
int paleo_job_open(struct paleo_session *s, const struct paleo_op *w,
		   const struct paleo_bench_options *o, int rank, struct paleo_job **out,
		   struct paleo_error *err);

/* Sets o->own_norms to the way that paleo_job_open() takes for an op; opens it for that if it has
 * not been seen yet. */
int paleo_way_choose(struct paleo_session *s, const struct paleo_op *w,
		     struct paleo_bench_options *o, struct paleo_error *err);
void paleo_job_close(struct paleo_job *j); /* NULL allowed */

/* Launches all steps of a phase on set `copy`. Does not wait. */
int paleo_job_launch(const struct paleo_job *j, enum paleo_job_phase phase, int copy,
		     struct paleo_error *err);

/* Run length reported by prepare(): a run() uses the sets one after the other after a flush. */
int paleo_timing_cold_reps(const struct paleo_job *j);

/* The backend's run(). */
int paleo_timing_run(struct paleo_job *j, int reps, double *elapsed_s, struct paleo_error *err);

/* The device's clock: an event now; an event now, and the time between the two when both have
 * passed. */
int paleo_clock_start(const struct paleo_session *s, struct paleo_error *err);
int paleo_clock_stop(const struct paleo_session *s, double *elapsed_s, struct paleo_error *err);

/* Overwrites the L2 cache so many times, which also keeps the device busy: some 30 us each. */
int paleo_timing_flush(const struct paleo_session *s, int times, struct paleo_error *err);

/* Finds out whether the job can be captured in a graph; if not, runs are launched one by one. */
int paleo_timing_open(struct paleo_job *j, struct paleo_error *err);
void paleo_timing_close(struct paleo_job *j);

/*
 * Calls launch(of) while `stream` captures, and makes an executable graph of the launches. The
 * capture is ended in any case. *out is owned by the caller: cudaGraphExecDestroy(). Fails as
 * launch() or as paleo_cuda_check().
 */
int paleo_cuda_capture(cudaStream_t stream, int (*launch)(const void *of, struct paleo_error *err),
		       const void *of, cudaGraphExec_t *out, struct paleo_error *err);

/* Runs GEMMs until the clocks have come up, three seconds at most, once in a session. Only ECRASH
 * is a failure. */
int paleo_warm_up(struct paleo_session *s, struct paleo_error *err);

/* The backend's ceilings() and list_ceilings(). */
int paleo_ceilings(struct paleo_session *s, unsigned wanted, struct paleo_device *d,
		   struct paleo_doubts *doubts, struct paleo_error *err);
int paleo_ceilings_list(struct paleo_session *s, struct paleo_ceilings *out,
			struct paleo_error *err);

/* Adds the rates of its memory and its L2 cache, of `n` samples each over buffers of at most
 * `bytes`; launch ceilings; transfers to and from the host. */
int paleo_memory_ceilings(struct paleo_session *s, int n, double bytes, struct paleo_ceilings *out,
			  struct paleo_error *err);
int paleo_launch_ceilings(struct paleo_session *s, struct paleo_ceilings *out,
			  struct paleo_error *err);
int paleo_transfer_ceilings(struct paleo_session *s, struct paleo_ceilings *out,
			    struct paleo_error *err);

/*
 * Each takes a library's status and the attempted action ("allocate 3 MB"), and returns PALEO_OK or
 * fails with the library's message: ENOMEM        memory ran out; the error is cleared and work can
 * go on EUNSUPPORTED  the library cannot do this ELIBRARY      the library is unusable EBACKEND
 * anything else that the device survives ECRASH        the device's context is lost (an illegal
 * address, a hardware fault): this process can do nothing more on the device and must be replaced
 */
int paleo_cuda_check(cudaError_t answer, const char *what, struct paleo_error *err);
int paleo_cudnn_check(cudnnStatus_t answer, const char *what, struct paleo_error *err);
int paleo_cublas_check(cublasStatus_t answer, const char *what, struct paleo_error *err);

/* Sets one attribute of a descriptor, unless *status has an earlier failure. */
void paleo_cudnn_set(cudnnStatus_t *status, cudnnBackendDescriptor_t d,
		     cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
		     int64_t count, const void *values);

/* Like paleo_cudnn_check(), with a message saved when the error happened. */
int paleo_cudnn_fail(cudnnStatus_t answer, const char *what, const char *words,
		     struct paleo_error *err);

#endif
