/* web_answer.c - the page's call for tests: a request a line in, an answer a line out. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "web/answer.h"

int main(void)
{
	static char line[65536];
	struct paleo_web *web = paleo_web_open();

	while (web && fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		char *answer = paleo_web_answer(web, line);
		if (!answer)
			return 1;
		puts(answer);
		free(answer);
	}
	paleo_web_close(web);
	return web ? 0 : 1;
}
