/* nets.c - the original's nets, opened once each. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cost_model/nets.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/caffe_network.h"
#include "tests/unit/unit.h"

enum {
	NETS_MAX = 16
};

static struct {
	char name[64];
	struct paleo_net *source;
	struct paleo_2017_net *net;
} nets[NETS_MAX];
static int count;

/* Two of the original's nets are its conversions of Caffe's, the others are ours. */
static int load(const char *name, struct paleo_net **out, struct paleo_error *err)
{
	static char text[CAFFE_NETWORK_MAX];
	char path[128];

	if (!strcmp(name, "resnet50") || !strcmp(name, "densenet"))
		return paleo_net_parse(name, text, caffe_network(name, "paleo2017", text), 0, out,
				       err);
	snprintf(path, sizeof(path), "nets/%s.json", name);
	return paleo_net_load(path, 0, out, err);
}

const struct paleo_2017_net *nets_open(const char *name)
{
	struct paleo_error err;

	for (int i = 0; i < count; i++)
		if (!strcmp(nets[i].name, name))
			return nets[i].net;
	assert_true(count < NETS_MAX);
	snprintf(nets[count].name, sizeof(nets[count].name), "%s", name);
	if (load(name, &nets[count].source, &err) ||
	    paleo_2017_open(nets[count].source, &nets[count].net, &err))
		fail_msg("%s", err.text);
	return nets[count++].net;
}

int nets_close(void **state)
{
	(void)state;
	for (int i = 0; i < count; i++) {
		paleo_2017_close(nets[i].net);
		paleo_net_free(nets[i].source);
		memset(&nets[i], 0, sizeof(nets[i]));
	}
	count = 0;
	return 0;
}

int nets_layer(const struct paleo_2017_net *net, const char *name)
{
	int n;
	const struct paleo_2017_layer *layers = paleo_2017_layers(net, &n);

	for (int i = 0; i < n; i++)
		if (!strcmp(layers[i].layer->name, name))
			return i;
	fail_msg("there is no layer '%s'", name);
	return -1;
}
