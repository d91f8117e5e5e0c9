/* Scans of the source of an HTML page before it is parsed, and of its text afterwards. Bytes are read as UTF-8; invalid
 * ones do no harm. */
#ifndef TEXTNB_PAGES_H
#define TEXTNB_PAGES_H

#include <stddef.h>
#include <stdint.h>

/* Writes the source with a line end before every "<" that begins one of the tags, and returns the new length. `to` has
 * room for twice the source. tags: n ascending numbers, each the two to four bytes after "<", the first byte highest,
 * padded with zero bytes. */
size_t with_lines(const char *source, size_t length, const uint32_t *tags, size_t n, char *to);

/* Whether any tag has more than `most` attributes. */
int has_many_attributes(const char *source, size_t length, size_t most);

typedef struct {
    const char *start;
    size_t length;
} Word;

/* Which of n <= 64 words the source contains in any case, one bit per word. Words are lower case, of two bytes or more;
 * the source may have white space before a colon. */
uint64_t find_words(const char *source, size_t length, const Word *words, size_t n);

/* Calls `take` for every value of some names: what follows a name and ":" or "=". Names are lower case; a name inside a
 * longer name does not count. Stops and returns -1 when `take` does not return 0. */
typedef int TakeValue(void *context, size_t name, Word value);
int each_value(const char *source, size_t length, const Word *names, size_t n, TakeValue *take, void *context);

/* Writes the words of a text, separated by a line end where there was one, else by a space. Returns the new length,
 * which is never greater. */
size_t tidy(const char *text, size_t length, char *to);

/* mark_in: the next mark, or NULL. host_end: where the host that begins here ends, after at most `longest` characters
 * and before the next mark; an empty mark ends nothing. */
const char *mark_in(const char *at, const char *end, Word mark);
const char *host_end(const char *at, const char *end, Word mark, size_t longest);

#endif
