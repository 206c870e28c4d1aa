/* page.c - the page of a report: its data, and the script that draws it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/page.h"

#include <string.h>

#include "base/text.h"
#include "paleo_config.h"

enum {
	BASE64_MAX = 48 /* bytes of a SHA-256 in base 64, with a NUL */
};

/* 256 bits, given as hexadecimal digits, in base 64, as policies of content want it. */
static void base64(char text[BASE64_MAX], const char *hex)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	static const char hex_digits[] = "0123456789abcdef";
	unsigned bits = 0;
	int held = 0;
	size_t at = 0;

	for (; *hex && at + 3 < BASE64_MAX; hex++) {
		bits = bits << 4 | (unsigned)(strchr(hex_digits, *hex) - hex_digits);
		held += 4;
		if (held < 6)
			continue;
		held -= 6;
		text[at++] = digits[bits >> held & 63];
		bits &= (1u << held) - 1;
	}
	if (held)
		text[at++] = digits[bits << (6 - held) & 63];
	while (at % 4)
		text[at++] = '=';
	text[at] = '\0';
}

/* Nothing is loaded, and no script or style runs but the two whose sums stand here. */
static void put_policy(FILE *out)
{
	char style[BASE64_MAX], script[BASE64_MAX];

	base64(style, page_style_sha256);
	base64(script, page_script_sha256);
	paleo_print(out,
		    "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; "
		    "style-src 'sha256-%s'; script-src 'sha256-%s'; base-uri 'none'; form-action "
		    "'none'\">\n",
		    style, script);
}

/* What files say stands in the data alone. There '<' is written as its code, so that nothing in it
 * ends the element, nor begins another. */
static void put_data(const char *json, FILE *out)
{
	fputs("<script type='application/json' id='data'>", out);
	for (size_t plain; *json; json += plain) {
		plain = strcspn(json, "<");
		fwrite(json, 1, plain, out);
		if (json[plain]) {
			fputs("\\u003c", out);
			plain++;
		}
	}
	fputs("</script>\n", out);
}

void page_print(const char *json, FILE *out)
{
	fputs(PAGE_BEGINNING "<html lang='en'>\n<head>\n<meta charset='utf-8'>\n", out);
	put_policy(out);
	fputs("<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
	      "<title>paleo report</title>\n<style>",
	      out);
	fputs(page_style, out);
	fputs("</style>\n</head>\n<body>\n<header>\n<h1>Time by layer</h1>\n<p class='soft'>A "
	      "report of paleo " PALEO_VERSION ".</p>\n</header>\n<noscript><p>This page draws its "
	      "charts and tables with JavaScript, which does not run here. It loads nothing. Its "
	      "numbers are JSON in this file: the element &quot;data&quot;.</p></noscript>\n"
	      "<nav aria-label='contents'></nav>\n<main></main>\n",
	      out);
	put_data(json, out);
	fputs("<script>", out);
	fputs(page_script, out);
	fputs("</script>\n</body>\n</html>\n", out);
}
