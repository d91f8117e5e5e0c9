/* Tokens that need no dictionary: runs of one kind of character, words, character n-grams. */
#ifndef TEXTNB_SCAN_H
#define TEXTNB_SCAN_H

#include "terms.h"

/* kinds: a set of bits per code point, 0x110000 bytes.
 * Runs: the lowest of bits 0 to 5 of a character is the kind of the run that it begins. A run continues with characters
 * of its kind and with combining marks (bit 6), except after digits (bit 4); hiragana (bit 2) also with bit 7. */
int count_runs(const uint8_t *kinds, const uint32_t *text, size_t length, Counter *counter, Rows *rows);

/* Words: a letter (bit 0), then letters and combining marks (bit 1); an apostrophe (bit 2) may join two letters. */
int count_words(const uint8_t *kinds, const uint32_t *text, size_t length, Counter *counter, Rows *rows);

/* Character n-grams, low <= n <= high, of each stretch between white space; a stretch shorter than low is one token. */
int count_grams(size_t low, size_t high, const uint32_t *text, size_t length, Counter *counter, Rows *rows);

#endif
