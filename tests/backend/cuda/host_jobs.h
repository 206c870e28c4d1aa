/* host_jobs.h - the plug-in's kernels on the CPU, and their results against the reference. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_BACKEND_CUDA_HOST_JOBS_H
#define PALEO_TESTS_BACKEND_CUDA_HOST_JOBS_H

#include "bench/backends/cuda/job.h"

/* A job for an op; `#` in its key is the dtype of the program. */
struct paleo_job host_job_begin(const char *key);

/* Two sets of operands, the second a copy of the first, on which the op then runs. */
void host_job_take_memory(struct paleo_job *j);

/* The same, planned by the plug-in, with memory: host_job_close(). */
struct paleo_job host_job_open(const char *key);
void host_job_close(struct paleo_job *j);

/* Fills a tensor, or all inputs, by the kernel, and looks whether it did as fill.h says. */
void host_job_fill(struct paleo_job *j, const struct paleo_operand *o, int tensor);
void host_job_fill_inputs(struct paleo_job *j);

void host_job_launch(struct paleo_job *j, enum paleo_job_phase phase, int copy);

/* Compares a result with the reference; returns how many elements were compared. */
int host_job_compare(struct paleo_job *j, const struct paleo_operand *o, int tensor, int copy);

/* All of it, on an op. */
void host_job_check(const char *key);

#endif
