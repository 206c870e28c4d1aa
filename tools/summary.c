/* summary.c - the command `summary`: what a net consists of, layer by layer. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/table.h"
#include "base/text.h"
#include "model/net/net.h"
#include "model/paleo2017/paleo2017.h"
#include "paleo/net.h"
#include "tools/cli/choice.h"
#include "tools/cli/options.h"
#include "tools/print/print.h"

/* One layer. Texts are borrowed from the net, or stand here. */
struct summary_row {
	const char *layer;
	char type[40];
	char output[48];      /* "64x224x224x64" */
	char shape[64];       /* "[64, 224, 224, 64]" */
	char details[96];     /* "3x3 64->64 s1 same" */
	char words[160];      /* the original's, or the details */
	int again;            /* 1: the original counts the layer twice */
	double weights;       /* learnt numbers */
	double output_bytes;  /* f32; 0 where the output is that of another layer */
	double forward_flops; /* additions and multiplications */
	double backward_flops;
};

struct summary {
	struct summary_row *rows;
	int count;
	int batch;
	double weights, output_bytes, forward_flops, backward_flops; /* sums of the rows */
	/* Layers that the original leaves out; borrowed names, owned list. */
	const char **dropped;
	int dropped_count;
};

static int out_of_memory(struct paleo_error *err)
{
	return paleo_fail(err, PALEO_ENOMEM, "out of memory for a summary");
}

static void summary_release(struct summary *s)
{
	free(s->rows);
	free(s->dropped);
	*s = (struct summary){0};
}

static int allocate(struct summary *s, int count, struct paleo_error *err)
{
	s->rows = calloc((size_t)count + 1, sizeof(*s->rows));
	s->count = count;
	return s->rows ? PALEO_OK : out_of_memory(err);
}

static void write_shape(struct summary_row *row, const int *dims, int rank)
{
	size_t x = 0, y = 0;

	for (int i = 0; i < rank; i++) {
		x += (size_t)snprintf(row->output + x, sizeof(row->output) - x, "%s%d",
				      i ? "x" : "", dims[i]);
		y += (size_t)snprintf(row->shape + y, sizeof(row->shape) - y, "%s%d",
				      i ? ", " : "[", dims[i]);
	}
	snprintf(row->shape + y, sizeof(row->shape) - y, "]");
}

static void add_up(struct summary *s)
{
	for (int i = 0; i < s->count; i++) {
		s->weights += s->rows[i].weights;
		s->output_bytes += s->rows[i].output_bytes;
		s->forward_flops += s->rows[i].forward_flops;
		s->backward_flops += s->rows[i].backward_flops;
	}
}

static void describe(const struct paleo_layer *l, struct summary_row *row)
{
	if (l->kind->describe)
		l->kind->describe(l, row->details, sizeof(row->details));
}

static void fill_row(const struct paleo_layer *l, struct summary_row *row)
{
	const struct paleo_shape *o = &l->out;
	int dims[4];

	row->layer = l->name;
	snprintf(row->type, sizeof(row->type), "%s", l->kind->type);
	paleo_shape_dims(o, dims);
	write_shape(row, dims, o->rank);
	describe(l, row);
	snprintf(row->words, sizeof(row->words), "%s", row->details);
	row->weights = paleo_layer_weights(l);
	/* Inputs and layers without ops write nothing of their own. */
	row->output_bytes = l->kind->op ? 4 * paleo_shape_count(o) : 0;
}

/* The net at its batch, as paleo counts: all ops of a layer, its own outputs. */
static int summary_make(const struct paleo_net *net, struct summary *out, struct paleo_error *err)
{
	struct summary s = {.batch = net->batch};
	struct paleo_op_list ops = {0};
	unsigned passes = PALEO_PASSES_FWD | PALEO_PASSES_BWD;

	int rc = allocate(&s, net->count, err);
	if (!rc)
		rc = paleo_net_ops(net, PALEO_F32, passes, &ops, err);
	if (rc) {
		summary_release(&s);
		return rc;
	}
	for (int i = 0; i < net->count; i++)
		fill_row(net->layers[i], &s.rows[i]);
	for (int i = 0; i < ops.count; i++) {
		struct summary_row *row = &s.rows[ops.items[i].layer->index];
		double *flops =
			ops.items[i].pass == PALEO_FWD ? &row->forward_flops : &row->backward_flops;
		*flops += ops.items[i].op.flops;
	}
	paleo_op_list_release(&ops);
	add_up(&s);
	*out = s;
	return PALEO_OK;
}

/* `l` is a copy whose shapes have the batch. */
static void fill_row_2017(const struct paleo_2017_layer *l, struct summary_row *row)
{
	row->layer = l->layer->name;
	snprintf(row->type, sizeof(row->type), "%s", l->type);
	write_shape(row, l->out.dims, l->out.rank);
	describe(l->layer, row);
	paleo_2017_describe(l, row->words, sizeof(row->words));
	row->again = l->again;
	row->weights = l->params;
	row->output_bytes = 4;
	for (int i = 0; i < l->out.rank; i++)
		row->output_bytes *= l->out.dims[i];
	row->backward_flops = NAN;
}

static int list_dropped(const struct paleo_2017_net *net, struct summary *s,
			struct paleo_error *err)
{
	int count;
	const struct paleo_layer *const *dropped = paleo_2017_dropped(net, &count);

	s->dropped = malloc(((size_t)count + 1) * sizeof(*s->dropped));
	if (!s->dropped)
		return out_of_memory(err);
	for (int i = 0; i < count; i++)
		s->dropped[i] = dropped[i]->name;
	s->dropped_count = count;
	return PALEO_OK;
}

/* The same as the original counts it, at `batch` (0: that of the file). Backward is not known. */
static int summary_make_2017(const struct paleo_net *net, int batch, struct summary *out,
			     struct paleo_error *err)
{
	struct summary s = {.batch = batch ? batch : net->file_batch};
	struct paleo_2017_net *old = NULL;
	int count = 0;

	PALEO_TRY(paleo_2017_open(net, &old, err));
	const struct paleo_2017_layer *layers = paleo_2017_layers(old, &count);
	int rc = allocate(&s, count, err);
	if (!rc)
		rc = list_dropped(old, &s, err);
	for (int i = 0; !rc && i < count; i++) {
		struct paleo_2017_layer l = layers[i];
		l.out.dims[0] = s.batch;
		fill_row_2017(&l, &s.rows[i]);
		s.rows[i].forward_flops = paleo_2017_flops(old, i, s.batch);
	}
	paleo_2017_close(old);
	if (rc) {
		summary_release(&s);
		return rc;
	}
	add_up(&s);
	*out = s;
	return PALEO_OK;
}

enum {
	COST_MODEL_OURS,
	COST_MODEL_2017,
	TITLE_MAX = 200
};

struct settings {
	int batch;
	int cost_model;
	int format;
	struct model_options model;
};

#define AT(field) offsetof(struct settings, field)
static const struct option_spec options[] = {
	LIKE(batch, AT(batch)),
	LIKE(cost_model_of_counts, AT(cost_model)),
	LIKE(format_2017, AT(format)),
	MODEL_OPTION_ROWS(AT(model)),
	{0},
};

#define COLUMNS(X)                                                                                 \
	X(PALEO_COLUMN_DATA_TEXT("net"), .text = net)                                              \
	X(PALEO_COLUMN_DATA("batch"), .number = batch)                                             \
	X(PALEO_COLUMN_TEXT("layer", "layer"), .text = row->layer)                                 \
	X(PALEO_COLUMN_TEXT("type", "type"), .text = row->type[0] ? row->type : NULL)              \
	X(PALEO_COLUMN_TEXT("details", "details"), .text = row->details[0] ? row->details : NULL)  \
	X(PALEO_COLUMN_TEXT("output", "output"), .text = row->output[0] ? row->output : NULL)      \
	X(PALEO_COLUMN_WHOLE("weights", "parameters"), .number = row->weights)                     \
	X(PALEO_COLUMN_BYTES("output_bytes", "output"), .number = row->output_bytes)               \
	X(PALEO_COLUMN_FLOP("forward_flops", "fwd"), .number = row->forward_flops)                 \
	X(PALEO_COLUMN_FLOP("backward_flops", "bwd"), .number = row->backward_flops)

static const struct paleo_column columns[] = {COLUMNS(PALEO_COLUMN_OF)};

static int add_row(const char *net, int batch, const struct summary_row *row, struct paleo_table *t,
		   struct paleo_error *err)
{
	const struct paleo_cell cells[] = {COLUMNS(PALEO_CELL_OF)};

	return paleo_table_add(t, cells, err);
}

/* Text is a table for each net, with its sums below; the other formats have one header for all. */
static int add_net(const struct paleo_net *net, const struct summary *s, int format,
		   struct paleo_table *t, struct paleo_error *err)
{
	const struct summary_row sums = {
		.layer = "sum",
		.weights = s->weights,
		.output_bytes = s->output_bytes,
		.forward_flops = s->forward_flops,
		.backward_flops = s->backward_flops,
	};

	for (int i = 0; i < s->count; i++)
		PALEO_TRY(add_row(net->name, s->batch, &s->rows[i], t, err));
	if (paleo_table_is_data(format))
		return PALEO_OK;
	PALEO_TRY(paleo_table_rule(t, err));
	return add_row(net->name, s->batch, &sums, t, err);
}

static int print_text(const struct paleo_net *net, const struct summary *s, int first,
		      enum paleo_table_format format, struct paleo_error *err)
{
	struct paleo_table *t = PALEO_TABLE_OF(columns);
	char weights[32];

	if (!t)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the table");
	paleo_group_digits(s->weights, weights, sizeof(weights));
	if (!first)
		putchar('\n');
	paleo_text_put(net->title, TITLE_MAX, stdout);
	paleo_print(stdout, ", batch %d, %d layer%s, %s parameters\n", s->batch, s->count,
		    s->count == 1 ? "" : "s", weights);
	transformer_print(net, paleo_net_dtype(net), NULL, stdout);
	int rc = add_net(net, s, format, t, err);
	if (!rc)
		rc = paleo_table_print(t, format, stdout, err);
	paleo_table_free(t);
	return rc;
}

/* The original's layout, to the byte. */
static void print_paleo(const struct summary *s)
{
	char weights[32], weight_bytes[32], output_bytes[32];

	paleo_group_digits(s->weights, weights, sizeof(weights));
	paleo_group_digits(4 * s->weights, weight_bytes, sizeof(weight_bytes));
	paleo_group_digits(s->output_bytes, output_bytes, sizeof(output_bytes));
	paleo_print(stdout, "A summary of static characteristics of network.\n  LAYER\tOUTPUTS\n");
	for (int i = 0; i < s->count; i++) {
		paleo_print(stdout, "  ");
		paleo_text_put(s->rows[i].layer, 0, stdout);
		paleo_print(stdout, "\t%s  %s\n", s->rows[i].shape, s->rows[i].words);
	}
	paleo_print(stdout, "Number of params: %s (%s Bytes)\nActivation: %s Bytes\n", weights,
		    weight_bytes, output_bytes);
}

/* Reports what the original silently leaves out or counts twice. */
static void warn_of_walk(const struct paleo_net *net, const struct summary *s)
{
	if (s->dropped_count)
		paleo_print(stderr,
			    "paleo-summary: %s: the original omits %d of %d layers:", net->name,
			    s->dropped_count, net->count);
	for (int i = 0; i < s->dropped_count; i++)
		paleo_print(stderr, "%s '%s'", i ? "," : "", s->dropped[i]);
	if (s->dropped_count)
		paleo_print(stderr, "; --cost-model auto counts them\n");
	for (int i = 0; i < s->count; i++)
		if (s->rows[i].again)
			paleo_print(stderr,
				    "paleo-summary: %s: the original counts '%s' twice; "
				    "--cost-model auto counts it once\n",
				    net->name, s->rows[i].layer);
}

static int summarise(const struct settings *s, const char *name, int first, struct paleo_table *t,
		     struct paleo_error *err)
{
	struct paleo_net *net = NULL;
	struct summary sum = {0};

	int rc = paleo_net_open(name, s->batch, &net, err);
	if (!rc && s->cost_model == COST_MODEL_OURS)
		rc = summary_make(net, &sum, err);
	else if (!rc)
		rc = summary_make_2017(net, s->batch, &sum, err);
	if (rc) {
		paleo_net_free(net);
		return rc;
	}
	warn_of_walk(net, &sum);
	if (s->format == CHOICE_FORMAT_PALEO)
		print_paleo(&sum);
	else if (!paleo_table_is_data(s->format))
		rc = print_text(net, &sum, first, (enum paleo_table_format)s->format, err);
	else
		rc = add_net(net, &sum, s->format, t, err);
	summary_release(&sum);
	paleo_net_free(net);
	return rc;
}

static int summarise_all(const struct settings *s, const char *const *nets, int count,
			 struct paleo_error *err)
{
	struct paleo_table *t = PALEO_TABLE_OF(columns);
	int rc = PALEO_OK;

	if (!t)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the table");
	for (int i = 0; !rc && i < count; i++)
		rc = summarise(s, nets[i], i == 0, t, err);
	if (!rc && (paleo_table_is_data(s->format)))
		rc = paleo_table_print(t, (enum paleo_table_format)s->format, stdout, err);
	paleo_table_free(t);
	return rc;
}

static int run(const void *settings, const char *const *arguments, int count)
{
	const struct settings *s = settings;
	struct model_names *names = NULL;
	struct paleo_error err = {0};

	if (!count)
		return command_misuse(&command_summary, "no network was given, for example vgg16");
	int rc = model_names_make(&s->model, arguments, count, &names, &err);
	if (!rc)
		rc = summarise_all(s, names->items, count, &err);
	free(names);
	return rc ? command_fail(&command_summary, &err) : EXIT_GOOD;
}

const struct command command_summary = {
	.name = "summary",
	.what = "print shapes, parameters and FLOPs of a model",
	.usage = "NET...",
	.about = "Prints the layers of each network: output shape, parameters, bytes of the output "
		 "in f32, and FLOPs. Needs no device.\n"
		 "--cost-model paleo2017 --format paleo prints the original Paleo's output, byte "
		 "for byte.\n"
		 "Exit status: 0 success, 1 out of memory, 2 wrong options or files.",
	.examples = "paleo-summary vgg16\n"
		    "paleo-summary --batch 8 --format csv my-net.json\n",
	.options = options,
	.settings_size = sizeof(struct settings),
	.run = run,
};
