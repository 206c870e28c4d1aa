/* plan_kinds.c - plans every op of nets as the plug-in does, for a GPU that is only described. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/backends/cuda/kernels.h"
#include "bench/backends/cuda/plans/product.h"
#include "bench/backends/cuda/session.h"
#include "model/net/net.h"

/*
 * plan_kinds DESCRIPTION.json TYPE LAYOUT BATCH NET.json...
 *     prints a line for each op of all passes, some of them more than once: kind, pass, key,
 *     "planned" or "refused", and by what, or why not.
 *
 * All is as in the plug-in but two calls, which want a device: kernels of our own are not loaded,
 * and products by cublasLt, which has no heuristics for a GPU that is not here, are taken as
 * offered. The linker puts what follows in their place.
 */
int __wrap_paleo_kernel_add(struct paleo_job *j, enum paleo_job_phase phase, const char *name,
			    double blocks, const struct paleo_frame *f, struct paleo_error *err);
int __wrap_paleo_product_add(struct paleo_job *j, const struct paleo_product *p, int rank,
			     int *offered, struct paleo_error *err);

static void release_nothing(struct paleo_step *step)
{
	step->state = NULL;
}

static int add_nothing(struct paleo_job *j, enum paleo_job_phase phase, struct paleo_error *err)
{
	struct paleo_step step = {.release = release_nothing};

	return paleo_job_add(j, phase, &step, err);
}

int __wrap_paleo_kernel_add(struct paleo_job *j, enum paleo_job_phase phase, const char *name,
			    double blocks, const struct paleo_frame *f, struct paleo_error *err)
{
	(void)f;
	if (blocks > 2147483647.0)
		return paleo_fail(err, PALEO_EUNSUPPORTED, "kernel '%s' would take too many blocks",
				  name);
	return add_nothing(j, phase, err);
}

int __wrap_paleo_product_add(struct paleo_job *j, const struct paleo_product *p, int rank,
			     int *offered, struct paleo_error *err)
{
	(void)p;
	(void)rank;
	if (offered)
		*offered = 1;
	paleo_job_name(j, "cublasLt", "");
	return add_nothing(j, PALEO_TIMED, err);
}

static void plan(struct paleo_session *s, const struct paleo_op *w)
{
	const struct paleo_bench_options options = {.mode = PALEO_COLD};
	char key[PALEO_OP_KEY_MAX];
	struct paleo_error err = {0};
	struct paleo_job j;
	int rc = paleo_dtype_check(s, w->dtype, &err);

	paleo_job_begin(&j, w, &options);
	j.session = s;
	if (!rc)
		rc = paleo_job_plan(&j, &err);
	paleo_op_key(w, key, sizeof(key));
	err.text[strcspn(err.text, "\n")] = '\0';
	printf("%s\t%s\t%s\t%s\t%s\n", paleo_op_kind_name(w->kind), paleo_pass_name(w->pass), key,
	       rc == PALEO_EUNSUPPORTED ? "refused"
	       : rc                     ? "fault"
					: "planned",
	       rc ? err.text : j.algorithm);
	fflush(stdout);
	paleo_job_clear(&j);
}

static int plan_net(struct paleo_session *s, const char *path, const struct paleo_ops_options *o,
		    int batch, struct paleo_error *err)
{
	struct paleo_op_list list = {0};
	struct paleo_net *net = NULL;
	int rc = paleo_net_load(path, batch, &net, err);

	if (rc == PALEO_EINPUT) /* its shapes are fixed to a batch */
		rc = paleo_net_load(path, 0, &net, err);
	if (!rc)
		rc = paleo_net_ops_with(net, o, &list, err);
	for (int i = 0; i < list.count && !rc; i++) {
		int is_seen = !list.items[i].layer;
		for (int k = 0; k < i && !is_seen; k++)
			is_seen = paleo_op_equal(&list.items[k].op, &list.items[i].op);
		if (!is_seen)
			plan(s, &list.items[i].op);
	}
	paleo_op_list_release(&list);
	paleo_net_free(net);
	return rc;
}

static int open_description(const char *path, struct paleo_session **out, struct paleo_error *err)
{
	char text[8192] = "";
	FILE *file = fopen(path, "r");

	if (!file)
		return paleo_fail(err, PALEO_EINPUT, "%s: cannot be read", path);
	size_t size = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[size] = '\0';
	return paleo_described_open(text, out, err);
}

int main(int argc, char **argv)
{
	struct paleo_error err = {0};
	struct paleo_ops_options o = {.passes = PALEO_PASSES_ALL};
	struct paleo_session *s = NULL;

	if (argc < 6) {
		fprintf(stderr, "usage: plan_kinds DESCRIPTION.json TYPE LAYOUT BATCH NET...\n");
		return 2;
	}
	int rc = paleo_dtype_parse(argv[2], &o.dtype, &err);
	o.layout = strcmp(argv[3], "nhwc") ? PALEO_NCHW : PALEO_NHWC;
	if (!rc)
		rc = open_description(argv[1], &s, &err);
	for (int i = 5; i < argc && !rc; i++)
		rc = plan_net(s, argv[i], &o, (int)strtol(argv[4], NULL, 10), &err);
	if (s)
		paleo_backend_table()->close(s);
	if (rc)
		fprintf(stderr, "%s\n", err.text);
	return rc ? 1 : 0;
}
