/* page.c - a report as one page of HTML that needs nothing else. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "paleo_config.h"
#include "tools/report/bars.h"
#include "tools/report/curves.h"
#include "tools/report/html.h"
#include "tools/report/page_files.h"
#include "tools/report/tables.h"

/* Nothing is loaded, and no script or style runs but the two whose sums stand here. */
static void put_policy(FILE *out)
{
	char css[HTML_NUMBER_MAX], js[HTML_NUMBER_MAX];

	html_base64(css, page_css_sha256);
	html_base64(js, page_js_sha256);
	paleo_print(out,
		    "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; "
		    "style-src 'sha256-%s'; script-src 'sha256-%s'; base-uri 'none'; form-action "
		    "'none'\">\n",
		    css, js);
}

static void put_head(FILE *out)
{
	fputs(PAGE_BEGINNING "<html lang='en'>\n<head>\n<meta charset='utf-8'>\n", out);
	put_policy(out);
	fputs("<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
	      "<title>paleo report</title>\n<style>",
	      out);
	fputs(page_css, out);
	fputs("</style>\n</head>\n<body>\n<header>\n<h1>Time by layer</h1>\n<p class='soft'>A "
	      "report of paleo " PALEO_VERSION ".</p>\n</header>\n",
	      out);
	chart_signs(out);
}

/* "ResNet-50, batch 64, bf16: NVIDIA H100, predicted". */
static void put_net_title(FILE *out, const struct view_run *run, const struct view_net *n)
{
	html_text(out, n->title);
	paleo_print(out, ", batch %d, %s: ", n->batch, paleo_dtype_name(n->dtype));
	html_text(out, run->title);
}

/* A net that an earlier run has too, with the same rows: *first is that one. */
static const struct view_net *earlier(const struct view *v, int run, const char *name,
				      const struct view_run **first)
{
	for (int i = 0; i < run; i++)
		for (int k = 0; k < v->runs[i].count; k++)
			if (!strcmp(v->runs[i].nets[k].name, name)) {
				*first = &v->runs[i];
				return &v->runs[i].nets[k];
			}
	return NULL;
}

static void put_contents(FILE *out, const struct view *v)
{
	fputs("<nav aria-label='contents'>\n<ul>\n", out);
	for (int i = 0; i < v->count; i++)
		for (int k = 0; k < v->runs[i].count; k++) {
			const struct view_run *first;
			paleo_print(out, "<li><a href='#net-%d-%d'>", i, k);
			put_net_title(out, &v->runs[i], &v->runs[i].nets[k]);
			fputs("</a></li>\n", out);
			if (!earlier(v, i, v->runs[i].nets[k].name, &first))
				continue;
			paleo_print(out, "<li><a href='#two-%d-%d'>", i, k);
			html_text(out, v->runs[i].nets[k].title);
			fputs(": two runs side by side</a></li>\n", out);
		}
	if (v->steps.count)
		fputs("<li><a href='#steps'>Several workers</a></li>\n", out);
	if (v->choices.count)
		fputs("<li><a href='#choices'>Choices</a></li>\n", out);
	if (v->count)
		fputs("<li><a href='#parameters'>What predictions stand on</a></li>\n", out);
	fputs("</ul>\n</nav>\n<main>\n", out);
}

static int put_net(struct chart *c, const struct view *v, int run, int net, struct paleo_error *err)
{
	const struct view_run *r = &v->runs[run];
	const struct view_net *n = &r->nets[net];

	paleo_print(c->out, "<section id='net-%d-%d'>\n<h2>", run, net);
	put_net_title(c->out, r, n);
	fputs("</h2>\n<p class='soft'>Predictions: ", c->out);
	html_text(c->out, r->source.title);
	fputs("</p>\n", c->out);
	int rc = table_of_sums(c->out, n, err);
	fputs("<div class='charts'>\n", c->out);
	if (!rc)
		rc = bars_by_kind(c, n, err);
	if (!rc)
		rc = points_errors(c, n, err);
	if (!rc)
		rc = points_rooflines(c, r, n, err);
	if (!rc)
		rc = bars_by_layer(c, n, err);
	fputs("</div>\n<h3>All rows</h3>\n", c->out);
	table_of_rows(c->out, n);
	fputs("</section>\n", c->out);
	return rc;
}

/* The run that came first is A. */
static int put_two(struct chart *c, const struct view *v, int run, int net, struct paleo_error *err)
{
	const struct view_run *first, *second = &v->runs[run];
	const struct view_net *b = &second->nets[net], *a = earlier(v, run, b->name, &first);
	struct pair *pairs = NULL;
	int count = 0;

	if (!a)
		return PALEO_OK;
	int rc = pairs_make(a, b, &pairs, &count, err);
	if (rc)
		return rc;
	paleo_print(c->out, "<section id='two-%d-%d'>\n<h2>", run, net);
	html_text(c->out, b->title);
	fputs(": two runs side by side</h2>\n<p>A: ", c->out);
	put_net_title(c->out, first, a);
	fputs("<br>B: ", c->out);
	put_net_title(c->out, second, b);
	fputs("</p>\n", c->out);
	if (count) {
		fputs("<div class='charts'>\n", c->out);
		rc = bars_of_two(c, a, b, err);
		if (!rc)
			rc = points_of_two(c, a, pairs, count, err);
		fputs("</div>\n", c->out);
		table_of_differences(c->out, pairs, count);
	} else {
		fputs("<p>They have no row in common that both have a time of.</p>\n", c->out);
	}
	fputs("</section>\n", c->out);
	free(pairs);
	return rc;
}

static int put_others(struct chart *c, const struct view *v, struct paleo_error *err)
{
	int rc = PALEO_OK;

	if (v->steps.count) {
		fputs("<section id='steps'>\n<h2>Several workers</h2>\n<div class='charts'>\n",
		      c->out);
		rc = curves_of_steps(c, &v->steps, err);
		fputs("</div>\n", c->out);
		table_of_steps(c->out, &v->steps);
		fputs("</section>\n", c->out);
	}
	if (!rc && v->choices.count) {
		fputs("<section id='choices'>\n<h2>Choices</h2>\n<div class='charts'>\n", c->out);
		rc = curves_of_choices(c, &v->choices, err);
		fputs("</div>\n", c->out);
		table_of_choices(c->out, &v->choices);
		fputs("</section>\n", c->out);
	}
	return rc;
}

static void put_parameters(FILE *out, const struct view *v)
{
	fputs("<section id='parameters'>\n<h2>What predictions stand on</h2>\n", out);
	for (int i = 0; i < v->count; i++) {
		fputs("<h3>", out);
		html_text(out, v->runs[i].title);
		fputs("</h3>\n<p class='soft'>", out);
		html_text(out, v->runs[i].source.title);
		fputs("</p>\n", out);
		table_of_parameters(out, &v->runs[i]);
	}
	fputs("</section>\n", out);
}

int page_print(const struct view *v, FILE *out, struct paleo_error *err)
{
	struct chart c = {.out = out};
	int rc = PALEO_OK;

	put_head(out);
	put_contents(out, v);
	for (int i = 0; i < v->count; i++)
		for (int k = 0; !rc && k < v->runs[i].count; k++) {
			rc = put_net(&c, v, i, k, err);
			if (!rc)
				rc = put_two(&c, v, i, k, err);
		}
	if (!rc)
		rc = put_others(&c, v, err);
	if (!rc && v->count)
		put_parameters(out, v);
	fputs("</main>\n<script>", out);
	fputs(page_js, out);
	fputs("</script>\n</body>\n</html>\n", out);
	if (!rc && ferror(out))
		rc = paleo_fail(err, PALEO_EIO, "cannot write the report: %s", strerror(errno));
	return rc;
}
