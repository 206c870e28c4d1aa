/* study_nets.h - the study of whole nets that others measured as frameworks ran them. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_STUDY_NETS_H
#define PALEO_TOOLS_STUDY_NETS_H

#include "base/table.h"
#include "model/net/net.h"

struct study_nets_settings {
	const char *nets;    /* the folder of the nets' files: MODEL-IMAGE.json, MODEL.json */
	const char *device;  /* that was measured; NULL: what the tables call it */
	const char *devices; /* a file of more devices, or NULL */
	int dtype;           /* PALEO_DTYPES: every type */
	int optimizer;       /* enum paleo_update_rule, of training */
	enum paleo_table_format format;
	int quiet; /* 1: no line of progress */
};

/* Prints on stdout errors by framework, phase, layout, device, and by net; as data, every row.
 * EINPUT, EIO, EUNSUPPORTED, ENOMEM. */
int study_nets(const struct study_nets_settings *s, const char *const *tables, int count,
	       struct paleo_error *err);

#endif
