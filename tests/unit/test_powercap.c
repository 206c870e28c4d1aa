/* test_powercap.c - energy counters of CPUs, read from a made-up tree of files. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/powercap.h"
#include "tests/unit/unit.h"

static char root[] = "powercap-XXXXXX";

static void put(const char *zone, const char *file, const char *text)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", root, zone);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s", root, zone, file);
	FILE *out = fopen(path, "w");
	assert_non_null(out);
	fprintf(out, "%s\n", text);
	assert_int_equal(fclose(out), 0);
}

static void put_zone(const char *zone, const char *name, const char *energy_uj)
{
	put(zone, "name", name);
	put(zone, "energy_uj", energy_uj);
	put(zone, "max_energy_range_uj", "262143328850");
}

static int begin(void **state)
{
	(void)state;
	strcpy(strchr(root, '-') + 1, "XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int end(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

/* Two packages and the memory of one; not the cores, which are in a package, not the platform, not
 * the folder of the driver, and not what another driver shows again. */
static void counts_packages_once(void **state)
{
	struct paleo_powercap p;
	struct paleo_error err;
	double joules;

	(void)state;
	put("intel-rapl", "enabled", "1");
	put_zone("intel-rapl:0", "package-0", "5000000");
	put_zone("intel-rapl:0:0", "core", "1000000");
	put_zone("intel-rapl:0:1", "dram", "7000000");
	put_zone("intel-rapl:1", "package-1", "9000000");
	put_zone("intel-rapl:2", "psys", "90000000");
	put_zone("intel-rapl-mmio:0", "package-0", "5000000");
	assert_int_equal(paleo_powercap_open(root, &p, &err), PALEO_OK);
	assert_int_equal(p.count, 3);
	assert_int_equal(paleo_powercap_read(&p, &joules, &err), PALEO_OK);
	assert_true(joules == 0);
	put("intel-rapl:0", "energy_uj", "6500000");
	put("intel-rapl-mmio:0", "energy_uj", "6500000");
	put("intel-rapl:0:0", "energy_uj", "2000000");
	put("intel-rapl:0:1", "energy_uj", "7250000");
	put("intel-rapl:1", "energy_uj", "13000000");
	assert_int_equal(paleo_powercap_read(&p, &joules, &err), PALEO_OK);
	assert_true(fabs(joules - 5.75) < 1e-9);
}

/* From 1 J before the end of the range to 2 J behind its beginning: 3 J. */
static void goes_round(void **state)
{
	struct paleo_powercap p;
	struct paleo_error err;
	double joules;

	(void)state;
	put_zone("intel-rapl:0", "package-0", "262142328850");
	assert_int_equal(paleo_powercap_open(root, &p, &err), PALEO_OK);
	put("intel-rapl:0", "energy_uj", "2000000");
	assert_int_equal(paleo_powercap_read(&p, &joules, &err), PALEO_OK);
	assert_true(fabs(joules - 3) < 1e-9);
	put("intel-rapl:0", "energy_uj", "2500000");
	assert_int_equal(paleo_powercap_read(&p, &joules, &err), PALEO_OK);
	assert_true(fabs(joules - 3.5) < 1e-9);
}

static void tells_what_is_missing(void **state)
{
	struct paleo_powercap p;
	struct paleo_error err;
	char path[128];

	(void)state;
	assert_int_equal(paleo_powercap_open(root, &p, &err), PALEO_EUNSUPPORTED);
	assert_non_null(strstr(err.text, "has no energy counter of a CPU package"));
	put("intel-rapl:0", "name", "package-0");
	assert_int_equal(paleo_powercap_open(root, &p, &err), PALEO_EUNSUPPORTED);
	assert_non_null(strstr(err.text, "intel-rapl:0/energy_uj: No such file"));
	put_zone("intel-rapl:0", "package-0", "many");
	assert_int_equal(paleo_powercap_open(root, &p, &err), PALEO_EUNSUPPORTED);
	assert_non_null(strstr(err.text, "is 'many', expected microjoules"));
	if (geteuid() == 0) /* who may read everything */
		return;
	put("intel-rapl:0", "energy_uj", "1");
	snprintf(path, sizeof(path), "%s/intel-rapl:0/energy_uj", root);
	assert_int_equal(chmod(path, 0), 0);
	assert_int_equal(paleo_powercap_open(root, &p, &err), PALEO_EUNSUPPORTED);
	assert_non_null(strstr(err.text, "Permission denied: run as root"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(counts_packages_once, begin, end),
		cmocka_unit_test_setup_teardown(goes_round, begin, end),
		cmocka_unit_test_setup_teardown(tells_what_is_missing, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
