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

size_t with_lines(const char *source, size_t length, const uint32_t *tags, size_t n, char *to)
{
    const char *at = source, *end = source + length, *open;
    size_t written = 0;
    while (at < end && (open = memchr(at, '<', (size_t)(end - at)))) {
        size_t before = (size_t)(open - at);
        int line = begins_tag(open + 1, end, tags, n);
        if (to) {
            memcpy(to + written, at, before);
            if (line) to[written + before] = '\n';
            to[written + before + (size_t)line] = '<';
        }
        written += before + (size_t)line + 1;
        at = open + 1;
    }
    if (to && at < end) memcpy(to + written, at, (size_t)(end - at));
    return written + (size_t)(end - at);
}

/* How many bytes the white space that begins here has, as str.isspace() knows it; 0 where there is none. */
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

/* Past everything but white space and some ASCII characters. */
static const char *after_run(const char *at, const char *end, const char *stops, size_t n)
{
    while (at < end && !memchr(stops, *at, n) && !space_at(at, end)) at++;
    return at;
}

/* Past the value that may follow "=". A quote that is not closed is the beginning of the next name. */
static const char *after_value(const char *at, const char *end)
{
    if (at < end && (*at == '"' || *at == '\'')) {
        const char *close = memchr(at + 1, *at, (size_t)(end - at - 1));
        return close ? close + 1 : at;
    }
    return after_run(at, end, ">", 1);
}

/* Past one attribute, or NULL where there is none. */
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
