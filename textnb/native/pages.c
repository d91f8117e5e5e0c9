#include "pages.h"

#include <string.h>

static int is_among(const uint32_t *tags, size_t n, uint32_t tag)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tags[middle] < tag) low = middle + 1;
        else high = middle;
    }
    return low < n && tags[low] == tag;
}

static int begins_tag(const char *after, const char *end, const uint32_t *tags, size_t n)
{
    uint32_t tag = 0;
    for (int i = 0; i < 4 && after + i < end; i++) {
        tag |= (uint32_t)(unsigned char)after[i] << (24 - 8 * i);
        if (i && is_among(tags, n, tag)) return 1;
    }
    return 0;
}

/* A set of pairs of bytes, one bit per pair. */
typedef struct {
    uint64_t bits[0x10000 / 64];
} Pairs;

static void add_pair(Pairs *pairs, unsigned pair)
{
    pairs->bits[pair >> 6] |= (uint64_t)1 << (pair & 63);
}

static int has_pair(const Pairs *pairs, const char *at)
{
    const unsigned pair = (unsigned)(unsigned char)at[0] << 8 | (unsigned char)at[1];
    return (int)(pairs->bits[pair >> 6] >> (pair & 63) & 1);
}

size_t with_lines(const char *source, size_t length, const uint32_t *tags, size_t n, char *to)
{
    const char *at = source, *end = source + length, *open;
    size_t written = 0;
    Pairs begin = {{0}};
    for (size_t i = 0; i < n; i++) add_pair(&begin, tags[i] >> 16);
    while (at < end && (open = memchr(at, '<', (size_t)(end - at)))) {
        const size_t before = (size_t)(open - at);
        memcpy(to + written, at, before);
        written += before;
        at = open + 1;
        if (end - at > 1 && has_pair(&begin, at) && begins_tag(at, end, tags, n)) to[written++] = '\n';
        to[written++] = '<';
    }
    if (at < end) memcpy(to + written, at, (size_t)(end - at));
    return written + (size_t)(end - at);
}

/* Number of bytes of the white space character that begins here, as in str.isspace(); 0 if there is none. */
static size_t space_at(const char *at, const char *end)
{
    const unsigned char *c = (const unsigned char *)at;
    if (at >= end) return 0;
    if (c[0] < 0x80) return (c[0] >= 0x09 && c[0] <= 0x0D) || (c[0] >= 0x1C && c[0] <= 0x20);
    if (c[0] == 0xC2) return end - at >= 2 && (c[1] == 0x85 || c[1] == 0xA0) ? 2 : 0;
    if (c[0] < 0xE1 || c[0] > 0xE3 || end - at < 3) return 0;
    unsigned rest = (unsigned)c[1] << 8 | c[2];
    if (c[0] == 0xE1) return rest == 0x9A80 ? 3 : 0;
    if (c[0] == 0xE3) return rest == 0x8080 ? 3 : 0;
    return (rest >= 0x8080 && rest <= 0x808A) || rest == 0x80A8 || rest == 0x80A9 || rest == 0x80AF || rest == 0x819F ? 3 : 0;
}

static const char *after_spaces(const char *at, const char *end)
{
    for (size_t space; (space = space_at(at, end));) at += space;
    return at;
}

/* Skips everything up to white space or one of the ASCII characters `stops`. */
static const char *after_run(const char *at, const char *end, const char *stops, size_t n)
{
    while (at < end && !memchr(stops, *at, n) && !space_at(at, end)) at++;
    return at;
}

/* Skips the value after "=". A quote that is not closed begins the next name. */
static const char *after_value(const char *at, const char *end)
{
    if (at < end && (*at == '"' || *at == '\'')) {
        const char *close = memchr(at + 1, *at, (size_t)(end - at - 1));
        return close ? close + 1 : at;
    }
    return after_run(at, end, ">", 1);
}

/* Skips one attribute; NULL if there is none. */
static const char *after_attribute(const char *at, const char *end)
{
    for (size_t n; (n = at < end && *at == '/' ? 1 : space_at(at, end));) at += n;
    const char *name = at < end && *at == '=' ? at + 1 : at;
    const char *named = after_run(name, end, "/>=", 3);
    if (named == at) return NULL;
    const char *equals = after_spaces(named, end);
    return equals < end && *equals == '=' ? after_value(after_spaces(equals + 1, end), end) : named;
}

int has_many_attributes(const char *source, size_t length, size_t most)
{
    const char *at = source, *end = source + length;
    while (at < end && (at = memchr(at, '<', (size_t)(end - at)))) {
        if (++at >= end || !((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z'))) continue;
        at = after_run(at, end, "/>", 2);
        const char *next;
        for (size_t n = 0; (next = after_attribute(at, end)); at = next)
            if (n++ == most) return 1;
    }
    return 0;
}

size_t tidy(const char *text, size_t length, char *to)
{
    const char *at = text, *end = text + length;
    size_t written = 0;
    int line = 0, space = 0; /* whether there was a line end, or white space, since the last word */
    while (at < end) {
        const size_t n = space_at(at, end);
        if (n) {
            line |= *at == '\n';
            space = 1;
            at += n;
            continue;
        }
        if (written && (line || space)) to[written++] = line ? '\n' : ' ';
        line = space = 0;
        to[written++] = *at++;
    }
    return written;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* The source may have white space before a colon. */
static int begins_with(const char *at, const char *end, Word word)
{
    for (size_t i = 0; i < word.length; i++, at++) {
        if (word.start[i] == ':') at = after_spaces(at, end);
        if (at >= end || lower(*at) != word.start[i]) return 0;
    }
    return 1;
}

/* Adds the first two letters of a word, each in both cases. */
static void add_word(Pairs *pairs, Word word)
{
    for (int upper = 0; upper < 4; upper++) {
        unsigned char first = (unsigned char)word.start[0], second = (unsigned char)word.start[1];
        if (upper & 1 && first >= 'a' && first <= 'z') first = (unsigned char)(first - 32);
        if (upper & 2 && second >= 'a' && second <= 'z') second = (unsigned char)(second - 32);
        add_pair(pairs, (unsigned)first << 8 | second);
    }
}

uint64_t find_words(const char *source, size_t length, const Word *words, size_t n)
{
    const uint64_t all = n < 64 ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0;
    uint64_t found = 0;
    Pairs begin = {{0}};
    for (size_t k = 0; k < n; k++) add_word(&begin, words[k]);
    const char *end = source + length;
    for (const char *at = source; found != all && at + 1 < end; at++) {
        if (!has_pair(&begin, at)) continue;
        const uint64_t before = found;
        for (size_t k = 0; k < n; k++)
            if (!(found >> k & 1) && lower(*at) == words[k].start[0] && begins_with(at, end, words[k])) found |= (uint64_t)1 << k;
        if (found == before) continue;
        memset(&begin, 0, sizeof begin);
        for (size_t k = 0; k < n; k++)
            if (!(found >> k & 1)) add_word(&begin, words[k]);
    }
    return found;
}

static int is_in_word(char c)
{
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') || c == '_';
}

/* The value after a name and ":" or "=", without its quote; of length 0 if there is none. */
static Word value_at(const char *at, const char *end)
{
    at = after_spaces(at, end);
    if (at == end || (*at != ':' && *at != '=')) return (Word){at, 0};
    at = after_spaces(at + 1, end);
    if (at < end && (*at == '"' || *at == '\'')) at = after_spaces(at + 1, end);
    const char *stop = at;
    while (stop < end && (*stop == '#' || is_in_word(*stop))) stop++;
    const size_t name = (size_t)(stop - at);
    if (!name || stop == end || *stop != '(') return (Word){at, name};
    size_t n = 0; /* length of what is in brackets: digits, commas and white space */
    const char *last = stop + 1;
    for (; last < end && n < 30; n++) {
        const size_t space = space_at(last, end);
        if (!space && *last != ',' && (*last < '0' || *last > '9')) break;
        last += space ? space : 1;
    }
    return (Word){at, n ? (size_t)(last - at) : name};
}

int each_value(const char *source, size_t length, const Word *names, size_t n, TakeValue *take, void *context)
{
    Pairs begin = {{0}};
    for (size_t k = 0; k < n; k++) add_word(&begin, names[k]);
    const char *end = source + length;
    for (const char *at = source; at + 1 < end; at++) {
        if (!has_pair(&begin, at) || (at > source && (is_in_word(at[-1]) || at[-1] == '-'))) continue;
        for (size_t k = 0; k < n; k++) {
            if (!begins_with(at, end, names[k])) continue;
            const Word value = value_at(at + names[k].length, end);
            if (value.length && take(context, k, value)) return -1;
        }
    }
    return 0;
}

static int is_in_host(const char *at, const char *end)
{
    const unsigned char *c = (const unsigned char *)at;
    if (c[0] < 0x80) return !space_at(at, end) && !memchr("/?#\"'<>\\()[]{}|,;&`", c[0], 19);
    if (end - at < 3) return !space_at(at, end);
    if (c[0] == 0xE3 && c[1] == 0x80) return !(c[2] <= 0x82 || c[2] == 0x8D || c[2] == 0x8F); /* ideographic space 、。」』 */
    if (c[0] == 0xEF && c[1] == 0xBC) return !(c[2] == 0x89 || c[2] == 0x9E);                 /* ）＞ */
    return !space_at(at, end);
}

const char *mark_in(const char *at, const char *end, Word mark)
{
    while ((size_t)(end - at) >= mark.length && (at = memchr(at, mark.start[0], (size_t)(end - at) - mark.length + 1))) {
        if (!memcmp(at, mark.start, mark.length)) return at;
        at++;
    }
    return NULL;
}

const char *host_end(const char *at, const char *end, Word mark, size_t longest)
{
    for (size_t n = 0; at < end && is_in_host(at, end); n++) {
        if (n == longest || (mark.length && (size_t)(end - at) >= mark.length && !memcmp(at, mark.start, mark.length))) break;
        for (at++; at < end && ((unsigned char)*at & 0xC0) == 0x80;) at++;
    }
    return at;
}
