/* presets.c - a calibration for a GPU without measurements: parameters of others. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/source/presets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/source/knowledge.h"

/* An op of each class that gets a kernel; the others of its kind take the nearest. */
static const char *const ops[] = {
	"gemm fwd %s m=8 n=8 k=8",
	"gemm fwd %s m=8 n=8 k=8 stored=nvfp4",
	"gemm fwd %s m=8 n=8 k=8 stored=w8a8",
	"gemm bwd_data %s m=8 n=8 k=8",
	"gemm bwd_filter %s m=8 n=8 k=8",
	"gemm fwd %s m=8 n=8 k=8 batch=2",
	"gemm bwd_data %s m=8 n=8 k=8 batch=2",
	"gemm bwd_filter %s m=8 n=8 k=8 batch=2",
	"conv fwd %s n=1 c=8 h=8 w=8 k=8 r=3 s=3",
	"conv bwd_data %s n=1 c=8 h=8 w=8 k=8 r=3 s=3",
	"conv bwd_filter %s n=1 c=8 h=8 w=8 k=8 r=3 s=3",
	"conv fwd %s n=1 c=8 h=8 w=8 k=8 r=3 s=3 groups=8",
	"conv bwd_data %s n=1 c=8 h=8 w=8 k=8 r=3 s=3 groups=8",
	"conv bwd_filter %s n=1 c=8 h=8 w=8 k=8 r=3 s=3 groups=8",
	"conv bwd_data %s n=1 c=48 h=8 w=8 k=48 r=3 s=3 groups=2 layout=nhwc",
	"conv bwd_filter %s n=1 c=48 h=8 w=8 k=48 r=3 s=3 groups=2 layout=nhwc",
	"eltwise fwd %s op=relu count=8",
	"pool fwd %s mode=max n=1 c=1 h=8 w=8 r=2 s=2",
	"norm fwd %s mode=batch n=1 c=8 h=8 w=8",
	"norm fwd %s mode=layer n=1 c=8 h=8 w=8",
	"norm fwd %s mode=rms n=1 c=8 h=8 w=8",
	"norm fwd %s mode=rms n=1 c=8 h=8 w=8 add=1",
	"softmax fwd %s rows=8 cols=8",
	"copy fwd %s rows=8 cols=8 parts=2",
	"update update %s rule=sgd count=8",
	"lrn fwd %s n=1 c=8 h=8 w=8 size=5",
	"upsample fwd %s mode=nearest n=1 c=8 h=8 w=8 scale_h=2 scale_w=2",
	"reduce fwd %s op=sum rows=8 cols=8",
	"attention fwd %s batch=1 q=8 keys=8 heads=8 kv_heads=8 qk=64 v=64 causal=1",
	"attention bwd_data %s batch=1 q=8 keys=8 heads=8 kv_heads=8 qk=64 v=64 causal=1",
	"attention fwd %s batch=1 q=8 keys=8 heads=8 kv_heads=8 qk=64 v=64",
	"attention bwd_data %s batch=1 q=8 keys=8 heads=8 kv_heads=8 qk=64 v=64",
	"attention fwd %s batch=1 q=1 keys=8 heads=8 kv_heads=8 qk=64 v=64 causal=1",
	"moe fwd %s tokens=8 hidden=64 inter=64 experts=8 local=8 topk=2 gated=1",
	"causal_conv fwd %s batch=1 tokens=8 channels=64 taps=4",
	"causal_conv fwd %s batch=1 tokens=1 channels=64 taps=4 cache=1",
	"scan fwd %s rule=ssd batch=1 tokens=128 heads=8 groups=8 qk=64 v=64",
	"scan fwd %s rule=ssd batch=1 tokens=1 heads=8 groups=8 qk=64 v=64 cache=1",
	"scan fwd %s rule=delta batch=1 tokens=128 heads=8 groups=8 qk=64 v=64",
	"scan fwd %s rule=delta batch=1 tokens=1 heads=8 groups=8 qk=64 v=64 cache=1",
	"scan fwd %s rule=kda batch=1 tokens=128 heads=8 groups=8 qk=64 v=64",
	"scan fwd %s rule=kda batch=1 tokens=1 heads=8 groups=8 qk=64 v=64 cache=1",
	"scan fwd %s rule=selective batch=1 tokens=128 heads=8 groups=8 qk=64 v=64",
	"scan fwd %s rule=selective batch=1 tokens=1 heads=8 groups=8 qk=64 v=64 cache=1",
	"embedding fwd %s tokens=8 vocab=64 dim=64",
	"embedding bwd_filter %s tokens=8 vocab=64 dim=64",
	"rope fwd %s rows=8 heads=8 dim=64",
	"cross_entropy fwd %s rows=8 cols=64",
};

enum {
	OPS = sizeof(ops) / sizeof(ops[0])
};

static void queue_launch(double *launch_us, const struct paleo_kernel_model *kernel)
{
	*launch_us =
		fmin(*launch_us, PALEO_QUEUED_LAUNCH_US * (kernel->kernels ? kernel->kernels : 1));
}

static int fill_model(const struct paleo_presets_for *of, const struct paleo_op *w,
		      struct paleo_fitted_kernel *m, struct paleo_error *err)
{
	const char *except = of->except_self ? of->device->name : NULL;
	int operand_sets = of->operand_sets > 0 ? of->operand_sets : 1;
	struct paleo_tile_device device;
	struct paleo_tile_model tile;
	struct paleo_conv_model conv;
	const struct paleo_kernel_model *kernel = paleo_kernel_model_for(w, 0);
	int rc =
		paleo_kernel_model_device(kernel, of->device, w->dtype, operand_sets, &device, err);

	paleo_kernel_model_init(kernel, w->dtype, m);
	m->operand_sets = operand_sets;
	if (!rc && w->kind == PALEO_GEMM) {
		paleo_tile_guess(&device, paleo_kernel_model_preset_dtype(kernel, w->dtype),
				 w->geom.gemm.batch > 1, except, &tile);
		if (of->queued)
			queue_launch(&tile.params.launch_us, kernel);
		memcpy(m->params, &tile.params, sizeof(tile.params));
		m->sets[0] = tile.tiles;
	}
	if (!rc && w->kind == PALEO_CONV && kernel->sets[0].name) {
		conv = paleo_conv_guess(&device, w->pass, except);
		if (!paleo_conv_by_gemms(&device)) /* which have it */
			conv.params.droop += paleo_tile_power_droop(&device);
		if (of->queued)
			queue_launch(&conv.params.launch_us, kernel);
		memcpy(m->params, &conv.params, sizeof(conv.params));
		m->sets[0] = conv.sets.implicit_tiles;
		m->sets[1] = conv.sets.nonfused_tiles;
		m->sets[2] = conv.sets.winograd_blocks;
	}
	return rc;
}

/* Adds nothing where such ops do not exist in the dtype, or are not a class of their kind. */
static int add_factor(const struct paleo_presets_for *of, const char *format,
		      enum paleo_dtype dtype, const struct paleo_class_model *base,
		      struct paleo_calibration *c, struct paleo_error *err)
{
	char key[PALEO_OP_KEY_MAX];
	struct paleo_class_model f = *base;
	struct paleo_op w;
	const char *word = strchr(format, '%');

	snprintf(key, sizeof(key), "%.*s%s%s", (int)(word - format), format,
		 paleo_dtype_name(paleo_dtype_wide(dtype)), word + 2);
	PALEO_TRY(paleo_op_parse(key, &w, err));
	w.dtype = dtype;
	enum paleo_cores cores = paleo_op_cores(&w);
	if (!paleo_op_has_dtype(&w) || (cores && !(paleo_device_cores_peak(of->device, cores) > 0)))
		return PALEO_OK;
	int rc = paleo_op_finish(&w, err);
	if (rc || (w.layout == PALEO_NHWC && !paleo_conv_is_direct(&w)))
		return rc;
	f.pass = w.pass;
	f.dtype = dtype;
	snprintf(f.class_name, sizeof(f.class_name), "%s", paleo_op_class(&w));
	f.model = malloc(sizeof(*f.model));
	if (!f.model)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	rc = fill_model(of, &w, f.model, err);
	c->models[c->count++] = f; /* which owns the model from here on */
	return rc;
}

int paleo_calibration_presets(const struct paleo_presets_for *of, struct paleo_calibration *out,
			      struct paleo_error *err)
{
	const struct paleo_device *d = of->device;
	enum paleo_dtype dtype = of->dtype, wide = paleo_dtype_wide(dtype);
	struct paleo_calibration c = {0}, datasheet = {0};
	struct paleo_tile_device device;

	int rc = paleo_tile_device_of(d, dtype, &device, err);
	if (!rc)
		rc = paleo_tile_device_of(d, wide, &device, err);
	if (!rc)
		rc = paleo_calibration_datasheet(d, 0.8, 0.8, &datasheet, err);
	if (rc)
		return rc;
	c.device = *d;
	c.models = calloc(2 * OPS + 1, sizeof(*c.models));
	if (!c.models)
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (int i = 0; !rc && i < OPS; i++)
		rc = add_factor(of, ops[i], dtype, &datasheet.models[0], &c, err);
	for (int i = 0; !rc && wide != dtype && i < OPS; i++)
		rc = add_factor(of, ops[i], wide, &datasheet.models[0], &c, err);
	if (!rc)
		c.models[c.count++] = datasheet.models[0];
	paleo_calibration_release(&datasheet);
	if (rc) {
		paleo_calibration_release(&c);
		return rc;
	}
	snprintf(c.mode, sizeof(c.mode), "hot");
	snprintf(c.method, sizeof(c.method), "presets");
	*out = c;
	return PALEO_OK;
}
