/* api_net.c - the functions of paleo/net.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "library/api.h"
#include "library/find.h"
#include "model/import/import.h"
#include "model/net/layers/common.h"
#include "paleo/net.h"

int paleo_net_open(const char *name, int batch, struct paleo_net **out, struct paleo_error *err)
{
	char path[PALEO_PATH_MAX], bare[PALEO_PATH_MAX];
	PALEO_API_BEGIN(err);

	if (!name || !out)
		return paleo_api_null(!name ? "name of a net" : "place for a net", err);
	const char *words = paleo_import_words(name);
	size_t length = words ? (size_t)(words - name) - 1 : strlen(name);
	if (length >= sizeof(bare))
		return paleo_find_net(name, path, err); /* which says so */
	snprintf(bare, sizeof(bare), "%.*s", (int)length, name);
	int rc = paleo_find_net(bare, path, err);
	return rc ? rc : paleo_import_net(path, words, batch, out, err);
}

int paleo_net_with_batch(const struct paleo_net *net, int batch, struct paleo_net **out,
			 struct paleo_error *err)
{
	PALEO_API_BEGIN(err);

	if (!net || !out)
		return paleo_api_null(!net ? "net" : "place for a net", err);
	if (batch < 1 || batch > PALEO_DIM_MAX)
		return paleo_fail(err, PALEO_EINPUT,
				  "a batch of %d is not possible, expected 1 to %d", batch,
				  PALEO_DIM_MAX);
	return paleo_net_at_batch(net, batch, out, err);
}

void paleo_net_close(struct paleo_net *net)
{
	paleo_net_free(net);
}

const char *paleo_net_name(const struct paleo_net *net)
{
	return net->name;
}

const char *paleo_net_title(const struct paleo_net *net)
{
	return net->title;
}

int paleo_net_batch(const struct paleo_net *net)
{
	return net->batch;
}

double paleo_net_weight_count(const struct paleo_net *net)
{
	return paleo_net_weights(net);
}

int paleo_net_layer_count(const struct paleo_net *net)
{
	return net->count;
}

const char *paleo_net_layer_name(const struct paleo_net *net, int i)
{
	return i >= 0 && i < net->count ? net->layers[i]->name : NULL;
}

const char *paleo_net_layer_kind(const struct paleo_net *net, int i)
{
	return i >= 0 && i < net->count ? net->layers[i]->kind->type : NULL;
}
