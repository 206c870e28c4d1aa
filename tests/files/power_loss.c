/* power_loss.c - the folders that a loss of power can leave, at every moment of a run. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*
 *   power_loss LOG INO=NAME... OUT
 *
 * LOG is what log_calls.c wrote; INO=NAME the files that were there before, with their
 * numbers on the disk, read from the current folder's "before/NAME". After each line of
 * the log the power fails. What is on the disk then, is not known but within limits, so
 * each moment leaves up to six folders, by what has come to the disk:
 *   of names: all changes so far, or those before the folder was last synchronised;
 *   of what files hold: all, what was there when they were last synchronised, or that
 *   and zeros as far as the file had grown since (as file systems do that write sizes first).
 * Folders that are alike are made once: OUT/N/..., with OUT/N.must, the lines that must
 * be found in one of its files: those that were on the disk for certain.
 */
enum {
	FILES = 64,
	NAMES = 64,
	PATH = 200,
	STATES = 4096
};

struct content {
	char *text;
	size_t size;
};

struct file {
	unsigned long number;
	struct content now, safe;
};

struct name {
	char path[PATH];
	struct file *file;
};

struct names {
	struct name items[NAMES];
	int count;
};

enum hold {
	HOLD_ALL,
	HOLD_SAFE,
	HOLD_ZEROS,
	HOLDS
};

static struct disk {
	struct file files[FILES];
	int count;
	struct names now, safe;
	char *seen[STATES]; /* what each folder holds, as one text */
	int states;
	const char *out;
} disk;

static struct file *file_of(unsigned long number)
{
	for (int i = 0; i < disk.count; i++)
		if (disk.files[i].number == number)
			return &disk.files[i];
	return NULL;
}

static struct file *add_file(unsigned long number)
{
	assert(disk.count < FILES);
	struct file *f = &disk.files[disk.count++];
	*f = (struct file){.number = number};
	return f;
}

static struct name *find(struct names *n, const char *path)
{
	for (int i = 0; i < n->count; i++)
		if (!strcmp(n->items[i].path, path))
			return &n->items[i];
	return NULL;
}

static void set_name(struct names *n, const char *path, struct file *f)
{
	struct name *there = find(n, path);

	if (!there) {
		assert(n->count < NAMES && strlen(path) < PATH);
		there = &n->items[n->count++];
		snprintf(there->path, PATH, "%s", path);
	}
	there->file = f;
}

static void drop_name(struct names *n, const char *path)
{
	struct name *there = find(n, path);

	if (there)
		*there = n->items[--n->count];
}

static void set(struct content *c, const char *text, size_t at, size_t size)
{
	if (c->size < at + size) {
		char *grown = realloc(c->text, at + size + 1);
		assert(grown);
		c->text = grown;
		memset(c->text + c->size, 0, at + size + 1 - c->size);
		c->size = at + size;
	}
	memcpy(c->text + at, text, size);
}

static void copy(struct content *to, const struct content *from)
{
	to->size = 0;
	set(to, from->text ? from->text : "", 0, from->size);
}

/* What the file holds after the loss; owned by the caller. */
static struct content held(const struct file *f, enum hold hold)
{
	struct content c = {0};

	copy(&c, hold == HOLD_ALL ? &f->now : &f->safe);
	if (hold == HOLD_ZEROS && f->now.size > c.size)
		set(&c, "", f->now.size - 1, 1);
	return c;
}

/* Into OUT/N, with `ending` behind it. */
static void save(const char *ending, const char *text, size_t size)
{
	char path[PATH + 64];

	snprintf(path, sizeof(path), "%s/%d%s", disk.out, disk.states, ending);
	FILE *f = fopen(path, "w");
	assert(f && fwrite(text, 1, size, f) == size);
	int failed = fclose(f);
	assert(!failed);
}

/* 1 if there was such a folder already; it is remembered. */
static int is_known(const char *text, size_t size)
{
	for (int i = 0; i < disk.states; i++)
		if (!memcmp(disk.seen[i], &size, sizeof(size)) &&
		    !memcmp(disk.seen[i] + sizeof(size), text, size))
			return 1;
	assert(disk.states < STATES);
	char *kept = malloc(sizeof(size) + size + 1);
	assert(kept);
	memcpy(kept, &size, sizeof(size));
	memcpy(kept + sizeof(size), text, size);
	disk.seen[disk.states] = kept;
	return 0;
}

/* Whole lines of what is on the disk for certain, under names that are. */
static void put_must(FILE *out)
{
	for (int i = 0; i < disk.safe.count; i++) {
		const struct content *c = &disk.safe.items[i].file->safe;
		size_t size = c->size;
		while (size && c->text[size - 1] != '\n')
			size--;
		fwrite(c->text ? c->text : "", 1, size, out);
	}
}

static void leave(struct names *names, enum hold hold)
{
	char *whole = NULL, *must = NULL, path[PATH + 64];
	size_t size = 0, must_size = 0;
	FILE *all = open_memstream(&whole, &size), *lines = open_memstream(&must, &must_size);

	assert(all && lines);
	put_must(lines);
	fclose(lines);
	fwrite(must, 1, must_size, all);
	for (int i = 0; i < names->count; i++) {
		struct content c = held(names->items[i].file, hold);
		fprintf(all, "%s %zu\n", names->items[i].path, c.size);
		fwrite(c.text, 1, c.size, all);
		free(c.text);
	}
	fclose(all);
	if (!is_known(whole, size)) {
		snprintf(path, sizeof(path), "%s/%d", disk.out, disk.states);
		int failed = mkdir(path, 0777);
		assert(!failed);
		for (int i = 0; i < names->count; i++) {
			struct content c = held(names->items[i].file, hold);
			snprintf(path, sizeof(path), "/%s", names->items[i].path);
			save(path, c.text, c.size);
			free(c.text);
		}
		save(".must", must, must_size);
		disk.states++;
	}
	free(whole);
	free(must);
}

static void lose_power(void)
{
	for (int hold = 0; hold < HOLDS; hold++) {
		leave(&disk.now, (enum hold)hold);
		leave(&disk.safe, (enum hold)hold);
	}
}

static void sync_number(unsigned long number)
{
	struct file *f = file_of(number);

	if (f)
		copy(&f->safe, &f->now);
	else /* the folder: there is one */
		disk.safe = disk.now;
}

/* One line of the log; what a write has written follows it. */
static void replay(const char *line, FILE *log)
{
	char path[PATH], to[PATH];
	unsigned long number;
	size_t at, size;

	if (sscanf(line, "make %lu %199s", &number, path) == 2) {
		set_name(&disk.now, path, add_file(number));
	} else if (sscanf(line, "write %lu %zu %zu", &number, &at, &size) == 3) {
		char *text = malloc(size + 1);
		assert(text && fread(text, 1, size + 1, log) == size + 1);
		if (file_of(number))
			set(&file_of(number)->now, text, at, size);
		free(text);
	} else if (sscanf(line, "cut %lu %zu", &number, &size) == 2) {
		struct file *f = file_of(number);
		assert(f);
		assert(size <= f->now.size);
		f->now.size = size;
	} else if (sscanf(line, "sync %lu", &number) == 1) {
		sync_number(number);
	} else if (sscanf(line, "move %199s %199s", path, to) == 2) {
		const struct name *from = find(&disk.now, path);
		assert(from);
		struct file *f = from->file;
		drop_name(&disk.now, path);
		set_name(&disk.now, to, f);
	} else if (sscanf(line, "name %199s %199s", path, to) == 2) {
		const struct name *from = find(&disk.now, path);
		assert(from);
		set_name(&disk.now, to, from->file);
	} else {
		int is_drop = sscanf(line, "drop %199s", path) == 1;
		assert(is_drop);
		drop_name(&disk.now, path);
	}
}

/* "1234=records" */
static void add_before(const char *argument)
{
	char name[PATH], path[PATH + 16], text[65536];
	unsigned long number;
	int parsed = sscanf(argument, "%lu=%199s", &number, name);

	assert(parsed == 2);
	snprintf(path, sizeof(path), "before/%s", name);
	FILE *in = fopen(path, "r");
	assert(in);
	size_t size = fread(text, 1, sizeof(text), in);
	assert(size < sizeof(text));
	fclose(in);
	struct file *f = add_file(number);
	set(&f->now, text, 0, size);
	copy(&f->safe, &f->now);
	set_name(&disk.now, name, f);
	disk.safe = disk.now;
}

int main(int argc, char **argv)
{
	char line[2 * PATH + 32];

	if (argc < 3) {
		fprintf(stderr, "usage: power_loss LOG NUMBER=NAME... OUT\n");
		return 2;
	}
	FILE *log = fopen(argv[1], "r");
	if (!log) {
		perror(argv[1]);
		return 2;
	}
	for (int i = 2; i < argc - 1; i++)
		add_before(argv[i]);
	disk.out = argv[argc - 1];
	lose_power();
	while (fgets(line, sizeof(line), log)) {
		replay(line, log);
		lose_power();
	}
	fclose(log);
	printf("%d\n", disk.states);
	return 0;
}
