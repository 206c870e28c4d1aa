/* cpu.c - the CPU as a device: the backend's table, opening, who it is. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <malloc.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/backend.h"
#include "bench/backends/cpu/ceilings.h"
#include "bench/backends/cpu/graph_run.h"
#include "bench/backends/cpu/job.h"

/*
 * Sets of instructions, the best first; a set has the bits of those it includes.
 * A core has two units at most that multiply and add vectors, so one of 64 bytes does 2 x 16 x 2
 * FLOPs in a cycle, twice that in pairs of bf16; matrix units do 16 x 16 x 4 pairs. Without its own
 * instructions for bf16 a CPU emulates them, or oneDNN falls back on plain loops: such times
 * say nothing about the type.
 */
static void find_instructions(struct paleo_session *s)
{
	static const struct {
		const char *name;
		unsigned isa;
		int vector_bytes;
		double f32_flops, bf16_flops;
	} sets[] = {
		{"avx512_core_amx", dnnl_cpu_isa_avx512_core_amx, 64, 64, 2048},
		{"avx512_core_bf16", dnnl_cpu_isa_avx512_core_bf16, 64, 64, 128},
		{"avx512_core_vnni", dnnl_cpu_isa_avx512_core_vnni, 64, 64, 0},
		{"avx512_core", dnnl_cpu_isa_avx512_core, 64, 64, 0},
		{"avx2", dnnl_cpu_isa_avx2, 32, 32, 0},
		{"avx", dnnl_cpu_isa_avx, 32, 16, 0},
		{"sse41", dnnl_cpu_isa_sse41, 16, 8, 0},
		{"other", 0, 16, 64, 0}, /* not x86 */
	};
	unsigned isa = (unsigned)dnnl_get_effective_cpu_isa();
	int i = 0;

	while ((isa & sets[i].isa) != sets[i].isa)
		i++;
	s->isa = sets[i].name;
	s->vector_bytes = sets[i].vector_bytes;
	s->f32_flops = sets[i].f32_flops;
	s->bf16_flops = sets[i].bf16_flops;
	s->has_bf16 = s->bf16_flops > 0;
}

static void session_close(struct paleo_session *s)
{
	if (!s)
		return;
	dnnl_stream_destroy(s->stream);
	dnnl_engine_destroy(s->engine);
	paleo_cpu_probe_release(s);
	free(s);
	/* Ends OpenMP's waiting threads: nothing of ours is left behind. */
	omp_pause_resource_all(omp_pause_soft);
}

/* Keeps freed memory in the process for the next op: getting zeroed pages from the system again
 * took half of a run's time, and more on virtual machines. The process is the worker's alone. */
static void keep_memory(void)
{
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, -1);
}

static int session_open(int index, int threads, struct paleo_session **out, struct paleo_error *err)
{
	const dnnl_version_t *v = dnnl_version();
	struct paleo_session *s;
	int rc;

	if (index != 0)
		return paleo_fail(err, PALEO_ENODEVICE, "there is one cpu device, 0, not %d",
				  index);
	if (v->major != DNNL_VERSION_MAJOR)
		return paleo_fail(
			err, PALEO_ELIBRARY,
			"oneDNN %d.%d is installed, but paleo was built with %d.%d: rebuild it",
			v->major, v->minor, DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR);
	s = calloc(1, sizeof(*s));
	if (!s)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for a session");
	paleo_cpu_host_read(&s->host);
	if (threads > s->host.cores) {
		rc = paleo_fail(err, PALEO_EINPUT,
				"%d threads, but this process may use %d core%s: threads sharing a "
				"core would distort the measurement",
				threads, s->host.cores, s->host.cores == 1 ? "" : "s");
		free(s);
		return rc;
	}
	if (threads > 0) /* fewer threads use no more of the machine than fewer cores */
		s->host.cores = threads;
	snprintf(s->version, sizeof(s->version), "%d.%d.%d", v->major, v->minor, v->patch);
	find_instructions(s);
	keep_memory();
	omp_set_num_threads(s->host.cores);
	/* oneDNN 2.6 caches primitives without the implementation in the key: after one was made,
	 * queries for others returned it again. */
	dnnl_set_primitive_cache_capacity(0);
	rc = dnnl_engine_create(&s->engine, dnnl_cpu, 0);
	if (rc == dnnl_success)
		rc = dnnl_stream_create(&s->stream, s->engine, dnnl_stream_default_flags);
	if (rc != dnnl_success) {
		session_close(s);
		return paleo_fail(err, PALEO_ELIBRARY, "oneDNN could not make a cpu engine");
	}
	*out = s;
	return PALEO_OK;
}

/* 1 if the user keeps oneDNN from using all instructions: then this is another device. */
static int is_limited(void)
{
	return getenv("DNNL_MAX_CPU_ISA") || getenv("ONEDNN_MAX_CPU_ISA");
}

static int session_describe(struct paleo_session *s, struct paleo_device_info *out,
			    struct paleo_error *err)
{
	struct paleo_device_info info = {.threads = s->host.cores};
	struct paleo_device *d = &info.device;

	(void)err;
	memcpy(info.processor, s->host.processor, sizeof(info.processor));
	memcpy(info.boot, s->host.boot, sizeof(info.boot));
	snprintf(d->name, sizeof(d->name), "%.40s%s%.20s", s->host.name, is_limited() ? "-" : "",
		 is_limited() ? s->isa : "");
	snprintf(d->title, sizeof(d->title), "%s", s->host.title);
	snprintf(d->match, sizeof(d->match), "%s", s->host.title);
	d->mem_bytes = s->host.mem_bytes;
	d->cache_bytes = s->host.cache_bytes;
	d->clock_hz = s->host.clock_hz;
	d->sm_count = s->host.cores;
	d->is_processor = 1;
	snprintf(info.versions, sizeof(info.versions), "oneDNN %s %s", s->version, s->isa);
	*out = info;
	return PALEO_OK;
}

/* Of all packages, whoever works on them. */
static int session_energy(struct paleo_session *s, double *joules, struct paleo_error *err)
{
	int rc = s->powercap.count ? PALEO_OK
				   : paleo_powercap_open("/sys/class/powercap", &s->powercap, err);

	return rc ? rc : paleo_powercap_read(&s->powercap, joules, err);
}

static const struct paleo_backend table = {
	.abi = PALEO_BACKEND_ABI,
	.name = "cpu",
	.what = "this machine's CPU, through oneDNN",
	.host_timed = 1,
	.open = session_open,
	.close = session_close,
	.describe = session_describe,
	.ceilings = paleo_cpu_ceilings,
	.prepare = paleo_cpu_prepare,
	.run = paleo_cpu_run,
	.output = paleo_cpu_output,
	.release = paleo_cpu_release,
	.algorithms = paleo_cpu_algorithms,
	.list_ceilings = paleo_cpu_list_ceilings,
	.whole_prepare = paleo_cpu_whole_prepare,
	.whole_run = paleo_cpu_whole_run,
	.whole_read = paleo_cpu_whole_read,
	.whole_release = paleo_cpu_whole_release,
	.observe_end = paleo_cpu_observe_end,
	.probe = paleo_cpu_probe,
	.energy = session_energy,
};

const struct paleo_backend *paleo_backend_table(void)
{
	return &table;
}
