/* What is done to the source of an HTML page before it is parsed, and to the text after it; bytes are UTF-8, and any
 * bytes will do. */
#ifndef TEXTNB_PAGES_H
#define TEXTNB_PAGES_H

#include <stddef.h>
#include <stdint.h>

/* Writes the source with a line end before every "<" that begins one of the tags, and returns its length; `to` has room
 * for twice the source. tags: n ascending numbers, each the two to four bytes that may follow
 * "<", the first the highest, zero bytes behind. */
size_t with_lines(const char *source, size_t length, const uint32_t *tags, size_t n, char *to);

/* Whether a tag has more attributes than `most`. */
int has_many_attributes(const char *source, size_t length, size_t most);

typedef struct {
    const char *start;
    size_t length;
} Word;

/* Which of at most 64 words of two bytes or more, in lower case, the source holds, whatever its case: a bit for each. White space may stand
 * before a colon. */
uint64_t find_words(const char *source, size_t length, const Word *words, size_t n);

/* Hands over every value of some names, in lower case: what stands behind ":" or "=" after a name that is not part of a
 * longer one. 0, or -1 as soon as `take` does not return 0. */
typedef int TakeValue(void *context, size_t name, Word value);
int each_value(const char *source, size_t length, const Word *names, size_t n, TakeValue *take, void *context);

/* Writes the words of a text, a line end between two where there was one, else a space; never more than there was. */
size_t tidy(const char *text, size_t length, char *to);

/* Where the next mark is, NULL without one; and where the host ends that begins here, of at most so many characters and
 * before a mark, which may be empty. */
const char *mark_in(const char *at, const char *end, Word mark);
const char *host_end(const char *at, const char *end, Word mark, size_t longest);

#endif
