/* test_text.c - what others wrote is printed so that it stays in its line and steers nothing. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "tests/unit/unit.h"

/* Runs the statements with `out` and compares what they print. */
#define EXPECT(expected, statements)                                                               \
	do {                                                                                       \
		char *text_ = NULL;                                                                \
		size_t size_ = 0;                                                                  \
		FILE *out = open_memstream(&text_, &size_);                                        \
		assert_non_null(out);                                                              \
		statements;                                                                        \
		assert_int_equal(fclose(out), 0);                                                  \
		assert_string_equal(text_, expected);                                              \
		free(text_);                                                                       \
	} while (0)

static void controls_are_shown(void **state)
{
	(void)state;
	EXPECT("a\\x1b[2J\\x07\\x0a\\x0d\\x09\\x7f",
	       paleo_text_put("a\033[2J\a\n\r\t\177", 0, out));
	/* U+009B, as dangerous as ESC [, in its two bytes, and its second alone */
	EXPECT("\\u009b31m \\x9b31m", paleo_text_put("\xc2\x9b"
						     "31m \x9b"
						     "31m",
						     0, out));
}

static void what_turns_writing_is_shown(void **state)
{
	(void)state;
	/* U+202E, U+2066, U+200F, U+2028; their neighbours U+202F and U+2065 are blanks */
	EXPECT("\\u202etxt\\u2066\\u200f\\u2028",
	       paleo_text_put("\xe2\x80\xae"
			      "txt\xe2\x81\xa6\xe2\x80\x8f\xe2\x80\xa8",
			      0, out));
	EXPECT("\xe2\x80\xaf\xe2\x81\xa5", paleo_text_put("\xe2\x80\xaf\xe2\x81\xa5", 0, out));
}

static void what_is_no_utf8_is_shown(void **state)
{
	(void)state;
	/* Latin 1, an overlong '/', the start of a character that ends too early, a surrogate */
	EXPECT("\\xe9t\\xe9", paleo_text_put("\xe9t\xe9", 0, out));
	EXPECT("\\xc0\\xaf", paleo_text_put("\xc0\xaf", 0, out));
	EXPECT("\\xe2\\x82", paleo_text_put("\xe2\x82", 0, out));
	EXPECT("\\xed\\xa0\\x80", paleo_text_put("\xed\xa0\x80", 0, out));
	EXPECT("\xc3\xa9 \xe6\x97\xa5 \xf0\x9f\x98\x80 \\",
	       paleo_text_put("\xc3\xa9 \xe6\x97\xa5 \xf0\x9f\x98\x80 \\", 0, out));
}

static void long_text_is_cut_between_characters(void **state)
{
	(void)state;
	EXPECT("ab...", paleo_text_put("abc", 2, out));
	EXPECT("abc", paleo_text_put("abc", 3, out));
	/* the second byte would be half of the letter */
	EXPECT("a...", paleo_text_put("a\xc3\xa9", 2, out));
	EXPECT("a\xc3\xa9", paleo_text_put("a\xc3\xa9", 3, out));
}

static void width_counts_what_is_shown(void **state)
{
	(void)state;
	assert_int_equal(paleo_text_width("\xc3\xa9t\xc3\xa9"), 3);
	assert_int_equal(paleo_text_width("\033"), 4);          /* \x1b */
	assert_int_equal(paleo_text_width("\xe2\x80\xae."), 7); /* \u202e. */
}

static void formats_are_those_of_printf(void **state)
{
	(void)state;
	EXPECT("100 %, -3|  7|7  |+1.50|2e+06|0x1f|c",
	       paleo_print(out, "100 %%, %d|%3d|%-3d|%+.2f|%g|%#x|%c", -3, 7, 7, 1.5, 2e6, 31,
			   'c'));
	EXPECT("4294967296 5 6 18446744073709551615",
	       paleo_print(out, "%ld %zu %lld %llu", 4294967296L, (size_t)5, 6LL,
			   18446744073709551615ULL));
	EXPECT("  1.235|1.2  |    7",
	       paleo_print(out, "%*.*f|%-*.1f|%*d", 7, 3, 1.23456, 5, 1.2, 5, 7));
	EXPECT("ab|   ab|ab   |abc",
	       paleo_print(out, "%.2s|%5.2s|%-*s|%s", "abcd", "abcd", 5, "ab", "abc"));
}

static void only_what_is_filled_in_is_shown(void **state)
{
	(void)state;
	EXPECT("\r\033[K\\x1b\n", paleo_print(out, "\r\033[K%s\n", "\033"));
	EXPECT("\\x0a", paleo_print(out, "%c", '\n'));
	/* columns, not bytes: three letters in five bytes, and four characters for one */
	EXPECT("[  \xc3\xa9t\xc3\xa9]", paleo_print(out, "[%5s]", "\xc3\xa9t\xc3\xa9"));
	EXPECT("[\\x1b ]", paleo_print(out, "[%-5s]", "\033"));
	/* a precision counts bytes, and takes no half of a letter */
	EXPECT("a", paleo_print(out, "%.2s", "a\xc3\xa9"));
}

/* A packet is what one write() sent: on a stream without a buffer, as stderr is, a line is one. */
static void a_line_is_written_at_once(void **state)
{
	char packet[64] = "";
	int ends[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	FILE *out = fdopen(ends[1], "w");
	assert_non_null(out);
	assert_int_equal(setvbuf(out, NULL, _IONBF, 0), 0);
	paleo_print(out, "%s has %d of %s\n", "one", 2, "three");
	assert_int_equal(read(ends[0], packet, sizeof(packet) - 1), strlen("one has 2 of three\n"));
	assert_string_equal(packet, "one has 2 of three\n");
	fclose(out);
	close(ends[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(controls_are_shown),
		cmocka_unit_test(what_turns_writing_is_shown),
		cmocka_unit_test(what_is_no_utf8_is_shown),
		cmocka_unit_test(long_text_is_cut_between_characters),
		cmocka_unit_test(width_counts_what_is_shown),
		cmocka_unit_test(formats_are_those_of_printf),
		cmocka_unit_test(only_what_is_filled_in_is_shown),
		cmocka_unit_test(a_line_is_written_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
