/* source.h - parameter source of a prediction: whose parameters price the ops of a device. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_LIBRARY_SOURCE_H
#define PALEO_LIBRARY_SOURCE_H

#include "model/predict/predict.h"
#include "model/source/knowledge.h"

/* A parameter source. */
struct paleo_source {
	struct paleo_calibration calibration;
	enum paleo_stack stack; /* whose presets it consists of; AUTO: it does not */
	char title[1024];       /* one line: the file, or that nothing was measured */
};

/* Cost models, by the sources of parameters that they allow. */
enum paleo_cost_model {
	PALEO_COST_MODEL_AUTO, /* the best there is: its calibration, else presets, else datasheet
				*/
	PALEO_COST_MODEL_CALIBRATED, /* a calibration of the device itself */
	PALEO_COST_MODEL_PRESETS, /* published measurements of this GPU, its chip, its family, all
				   */
	PALEO_COST_MODEL_EXCLUDING_SELF, /* the same, excluding those of its own chip */
	PALEO_COST_MODEL_DATASHEET,      /* fractions of its peaks */
	PALEO_COST_MODELS
};

/* "auto", "calibrated" ..., in the order of the enum, and NULL at the end. */
extern const char *const paleo_cost_model_names[PALEO_COST_MODELS + 1];

/* A request. */
struct paleo_source_wish {
	enum paleo_cost_model cost_model;
	enum paleo_dtype dtype; /* PALEO_DTYPES: any; then without presets, which are of one */
	enum paleo_stack stack; /* whose presets are preferred */
	const char *device;     /* a name; NULL: `who`, else that of the calibration */
	/* The device as a backend or a record describes it: its calibration is chosen for these
	 * conditions (library/own.h). With a name it adds the conditions alone. NULL: none. */
	const struct paleo_device_info *who;
	const char *devices;            /* a file of more devices; NULL: none */
	const char *calibration;        /* a file, used whatever its conditions and errors; NULL:
					   the one that paleo_choose_own() takes */
	double ppp_compute, ppp_memory; /* fractions of the peaks, (0, 2]; 0: not given. One that
					   is given keeps calibrations away. */
};

/*
 * An op is priced by the first of these sources that the cost model allows and that has measured
 * ops of its class.
 *
 *   1. a calibration of the device itself: the file that is given, else that of paleo_choose_own();
 *      that of a CPU has all classes, or falls back to the nearest;
 *   2. of a GPU, its own preset, those of cards with its chip, those of its family, the median over
 * all GPUs (paleo_knowledge_make() of model/source/knowledge.h);
 *   3. where neither is, for all classes: the datasheet at the fractions of its peaks.
 *
 * The result is one calibration with a factor and its source for each class. EINPUT where the
 * request contradicts itself, names something unknown or another device's calibration, or the
 * device has no peak for the dtype;
 * EUNSUPPORTED where presets are asked for and it lacks what they need; EIO, ENOMEM. Release with
 * paleo_source_release().
 */
int paleo_choose_source(const struct paleo_source_wish *w, struct paleo_source *out,
			struct paleo_error *err);
void paleo_source_release(struct paleo_source *b);

/* The device of this name: in the file `devices` (NULL: none), among the shipped ones, or that of
 * its calibration, chosen for the conditions in *here (NULL: none are known). EINPUT with the
 * nearest name; as paleo_devices_load() and paleo_choose_own(). */
int paleo_choose_device(const char *devices, const char *name, const struct paleo_device_info *here,
			struct paleo_device *out, struct paleo_error *err);

/* The power model of a calibration's device: its own, or that shipped for it, results/power/, which
 * is read into *shipped (paleo_calibration_release()); without one that of another GPU if any_gpu
 * is 1. *out is NULL where there is none, as for CPUs. EIO, EINPUT, ENOMEM. */
int paleo_choose_power(const struct paleo_calibration *c, int any_gpu,
		       struct paleo_calibration *shipped, const struct paleo_calibration **out,
		       struct paleo_error *err);

/* Names the nearest source of a calibration, for tables of whole steps. */
void paleo_known_source(const struct paleo_calibration *c, char text[PALEO_SOURCE_TEXT_MAX]);

/* Cross-device errors of the shipped presets. ENOMEM, and the errors of reading one. */
int paleo_known_study(struct paleo_known_spreads *out, struct paleo_error *err);

/* Helper of paleo_choose_source(): the best source for *of, its own calibration or the shipped
 * presets, which it reads; of->stack becomes the one that AUTO means,
 * or AUTO if no factor is of it. Errors as reading them and
 * paleo_knowledge_make(). */
int paleo_known_make(struct paleo_knowledge *of, struct paleo_calibration *out,
		     struct paleo_error *err);

/* Appends to a title of `size` bytes the presets that the factors are based on, the nearest first,
 * if there are any, preceded by `before`. */
void paleo_known_describe(const struct paleo_calibration *c, const char *before, char *title,
			  size_t size);

#endif
