/* What is done to the source of an HTML page before it is parsed; bytes are UTF-8, and any bytes will do. */
#ifndef TEXTNB_PAGES_H
#define TEXTNB_PAGES_H

#include <stddef.h>
#include <stdint.h>

/* Writes the source with a line end before every "<" that begins one of the tags, and returns its length; `to` has room
 * for it, or is NULL: then it is only measured. tags: n ascending numbers, each the two to four bytes that may follow
 * "<", the first the highest, zero bytes behind. */
size_t with_lines(const char *source, size_t length, const uint32_t *tags, size_t n, char *to);

/* Whether a tag has more attributes than `most`. */
int has_many_attributes(const char *source, size_t length, size_t most);

#endif
