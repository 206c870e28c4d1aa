/* cjson.c - replaces cJSON in WebAssembly: values as a tree, and their text. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "web/wasm/cjson/cJSON.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum type {
	RAW, /* printed as it is: numbers, null, true */
	STRING,
	ARRAY,
	OBJECT
};

struct cJSON {
	enum type type;
	char *text, *key;
	struct cJSON *first, *last, *next;
};

static cJSON *make(enum type type, const char *text)
{
	cJSON *item = calloc(1, sizeof(*item));

	if (!item)
		return NULL;
	item->type = type;
	item->text = strdup(text);
	if (!item->text) {
		free(item);
		return NULL;
	}
	return item;
}

cJSON *cJSON_CreateNull(void)
{
	return make(RAW, "null");
}

cJSON *cJSON_CreateBool(int value)
{
	return make(RAW, value ? "true" : "false");
}

cJSON *cJSON_CreateRaw(const char *text)
{
	return make(RAW, text);
}

cJSON *cJSON_CreateString(const char *text)
{
	return make(STRING, text);
}

cJSON *cJSON_CreateArray(void)
{
	return make(ARRAY, "");
}

cJSON *cJSON_CreateObject(void)
{
	return make(OBJECT, "");
}

int cJSON_IsObject(const cJSON *item)
{
	return item->type == OBJECT;
}

int cJSON_AddItemToArray(cJSON *array, cJSON *item)
{
	if (array->last)
		array->last->next = item;
	else
		array->first = item;
	array->last = item;
	return 1;
}

int cJSON_AddItemToObject(cJSON *object, const char *key, cJSON *item)
{
	item->key = strdup(key);
	return item->key ? cJSON_AddItemToArray(object, item) : 0;
}

static void print_string(const char *text, FILE *out)
{
	static const char named[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";

	fputc('"', out);
	for (; *text; text++) {
		const char *found = strchr(named, *text);
		if (found)
			fprintf(out, "\\%c", letters[found - named]);
		else if ((unsigned char)*text < ' ')
			fprintf(out, "\\u%04x", (unsigned)*text);
		else
			fputc(*text, out);
	}
	fputc('"', out);
}

/* Nets and answers are a few levels deep: json_write.c holds them to PALEO_JSON_DEPTH_MAX. */
static void print(const cJSON *item, FILE *out)
{
	if (item->type == RAW) {
		fputs(item->text, out);
	} else if (item->type == STRING) {
		print_string(item->text, out);
	} else {
		fputc(item->type == OBJECT ? '{' : '[', out);
		for (const cJSON *i = item->first; i; i = i->next) {
			if (i->key) {
				print_string(i->key, out);
				fputc(':', out);
			}
			print(i, out);
			if (i->next)
				fputc(',', out);
		}
		fputc(item->type == OBJECT ? '}' : ']', out);
	}
}

char *cJSON_PrintUnformatted(const cJSON *item)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	print(item, out);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/* No person reads what the page passes on: it is not laid out. */
char *cJSON_Print(const cJSON *item)
{
	return cJSON_PrintUnformatted(item);
}

void cJSON_Delete(cJSON *item)
{
	while (item) {
		cJSON *next = item->next;
		cJSON_Delete(item->first);
		free(item->text);
		free(item->key);
		free(item);
		item = next;
	}
}
