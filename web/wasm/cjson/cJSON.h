/* cJSON.h - the calls of cJSON that base/json_write.c makes, for builds without libcjson. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_WEB_WASM_CJSON_H
#define PALEO_WEB_WASM_CJSON_H

/* There is no libcjson for WebAssembly. Each function does what cJSON's of the same name does;
 * values are owned by the caller until they are added, then by their parent. NULL, or 0, where
 * memory runs out. */
typedef struct cJSON cJSON;

cJSON *cJSON_CreateNull(void);
cJSON *cJSON_CreateBool(int value);
cJSON *cJSON_CreateRaw(const char *text);
cJSON *cJSON_CreateString(const char *text);
cJSON *cJSON_CreateArray(void);
cJSON *cJSON_CreateObject(void);
int cJSON_IsObject(const cJSON *item);
int cJSON_AddItemToArray(cJSON *array, cJSON *item);
int cJSON_AddItemToObject(cJSON *object, const char *key, cJSON *item);
char *cJSON_PrintUnformatted(const cJSON *item); /* free() it */
char *cJSON_Print(const cJSON *item);            /* the same here */
void cJSON_Delete(cJSON *item);

#endif
