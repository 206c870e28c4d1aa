/* state.h - what a device was seen to do while a work was timed. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_RECORD_STATE_H
#define PALEO_MODEL_RECORD_STATE_H

/* A plain value; a number that is not known is 0, and null in files. */
struct paleo_state {
	double sm_mhz;      /* mean clock of the multiprocessors, or of the cores of a CPU */
	double clock_ratio; /* that over the highest the device has */
	double power_w;     /* mean */
	double temp_c;      /* highest */
	double energy_j;    /* of the whole time; only of half a second and more */
	int others;         /* processes beside ours that compute on the device; 0: none is known */
	char reasons[96];   /* why the clock was not the highest, words with blanks between: "idle",
			     * "app_clocks", "power_cap", "hw_slowdown", "sync_boost",
			     * "sw_thermal", "hw_thermal", "power_brake" */
};

#endif
