/* Tokens that need no dictionary: runs of one kind of character, words, and character n-grams. */
#ifndef TEXTNB_SCAN_H
#define TEXTNB_SCAN_H

#include "terms.h"

/* kinds: of each code point a set of bits, 0x110000 bytes.
 * Runs: the first of the bits 0 to 5 that a character has is the kind of the run that it begins; a run goes on with
 * characters of its kind and, but for digits (bit 4), combining marks (bit 6); hiragana (bit 2) also with bit 7. */
int count_runs(const uint8_t *kinds, const uint32_t *text, size_t length, Counter *counter, Rows *rows);

/* Words: letters (bit 0), then letters and combining marks (bit 1); an apostrophe (bit 2) may join two. */
int count_words(const uint8_t *kinds, const uint32_t *text, size_t length, Counter *counter, Rows *rows);

/* The n-grams, low <= n <= high, of every stretch between white space; a shorter stretch is kept whole. */
int count_grams(size_t low, size_t high, const uint32_t *text, size_t length, Counter *counter, Rows *rows);

#endif
