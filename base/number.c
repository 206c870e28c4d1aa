/* number.c - numbers as text: what printf() writes, without its detours. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

int paleo_number_whole(uint64_t value, char *buf)
{
	char reversed[PALEO_WHOLE_MAX];
	int n = 0;

	do {
		reversed[n++] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	for (int i = 0; i < n; i++)
		buf[i] = reversed[n - 1 - i];
	return n;
}

/* The whole number nearest to value * scale, ties to even, where the product is below 2^53: its
 * rounding error is known exactly (Dekker 1971), so it is rounded once. */
static uint64_t scale_exactly(double value, double scale)
{
	double product = value * scale, error = fma(value, scale, -product);
	double whole = floor(product), above_half = product - whole - 0.5 + error;
	uint64_t n = (uint64_t)whole;

	return n + (above_half > 0 || (above_half == 0 && n % 2));
}

int paleo_number_fixed(double value, int decimals, char *buf, size_t size)
{
	static const double scales[PALEO_FIXED_MAX + 1] = {1e0,  1e1,  1e2,  1e3, 1e4,  1e5,
							   1e6,  1e7,  1e8,  1e9, 1e10, 1e11,
							   1e12, 1e13, 1e14, 1e15};
	char digits[PALEO_WHOLE_MAX];
	double amount = fabs(value);

	assert(decimals >= 0 && decimals <= PALEO_FIXED_MAX);
	/* above, halves would not be exact; with a sign, a point and zeros no longer than this */
	if (!(amount * scales[decimals] < 0x1p52) || size < PALEO_WHOLE_MAX + 4)
		return snprintf(buf, size, "%.*f", decimals, value);
	int n = paleo_number_whole(scale_exactly(amount, scales[decimals]), digits);
	int zeros = n <= decimals ? decimals + 1 - n : 0; /* one stands before the point */
	char number[PALEO_WHOLE_MAX + PALEO_FIXED_MAX];
	memset(number, '0', (size_t)zeros);
	memcpy(number + zeros, digits, (size_t)n);
	int before = zeros + n - decimals, at = 0;
	if (signbit(value))
		buf[at++] = '-';
	memcpy(buf + at, number, (size_t)before);
	at += before;
	if (decimals) {
		buf[at++] = '.';
		memcpy(buf + at, number + before, (size_t)decimals);
		at += decimals;
	}
	buf[at] = '\0';
	return at;
}
