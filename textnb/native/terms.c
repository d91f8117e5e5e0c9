#include "terms.h"

#include <stdlib.h>
#include <string.h>

int is_space(uint32_t c)
{
    return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680
        || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

int grown(void *items, size_t *room, size_t needed, size_t size)
{
    if (needed <= *room) return 0;
    size_t more = *room ? *room : 64;
    while (more < needed) {
        if (more > SIZE_MAX / 2 / size) return -1;
        more *= 2;
    }
    void *memory; /* memcpy: a void ** must not alias a pointer of another type */
    memcpy(&memory, items, sizeof memory);
    memory = realloc(memory, more * size);
    if (!memory) return -1;
    memcpy(items, &memory, sizeof memory);
    *room = more;
    return 0;
}

int table_start(Table *table, uint64_t seed, uint64_t factor)
{
    *table = (Table){.seed = seed, .factor = factor | 1, .n_places = 1024};
    table->places = calloc(table->n_places, sizeof *table->places);
    return table->places ? 0 : -1;
}

void table_free(Table *table)
{
    free(table->letters);
    free(table->terms);
    free(table->places);
    *table = (Table){0};
}

/* Keyed by a random seed, so that nobody can write a document whose words all collide. */
static uint64_t hash_of(const Table *table, const uint32_t *letters, size_t length)
{
    uint64_t h = table->seed ^ length;
    for (size_t i = 0; i < length; i += 2) {
        h = (h ^ letters[i] ^ (i + 1 < length ? (uint64_t)letters[i + 1] << 32 : 0)) * table->factor;
        h ^= h >> 29;
    }
    h *= 0x9E3779B97F4A7C15u;
    return h ^ h >> 32;
}

static int is_same(const Table *table, const Term *term, const uint32_t *letters, size_t length)
{
    if (term->length != length) return 0;
    const uint32_t *own = table->letters + term->start;
    for (size_t i = 0; i < length; i++) /* most are so short that memcmp would cost more */
        if (own[i] != letters[i]) return 0;
    return 1;
}

static int table_widen(Table *table)
{
    size_t n = table->n_places * 2;
    uint64_t *places = calloc(n, sizeof *places);
    if (!places) return -1;
    for (size_t number = 0; number < table->n; number++) {
        const Term *term = &table->terms[number];
        uint64_t h = hash_of(table, table->letters + term->start, term->length);
        size_t i = (size_t)h & (n - 1);
        while (places[i]) i = (i + 1) & (n - 1);
        places[i] = (h & 0xFFFFFFFF00000000u) | (number + 1);
    }
    free(table->places);
    table->places = places;
    table->n_places = n;
    return 0;
}

/* table_number for a string with hash h. */
static int64_t number_of(Table *table, uint64_t h, const uint32_t *letters, size_t length, int open)
{
    if (open && (table->n + 1) * 2 > table->n_places && table_widen(table)) return -2;
    size_t i = (size_t)h & (table->n_places - 1);
    for (; table->places[i]; i = (i + 1) & (table->n_places - 1)) {
        size_t number = (size_t)(table->places[i] & 0xFFFFFFFFu) - 1;
        if ((table->places[i] ^ h) >> 32 == 0 && is_same(table, &table->terms[number], letters, length)) return (int64_t)number;
    }
    if (!open) return -1;
    if (table->n >= INT32_MAX - 1 || length > INT32_MAX) return -2;
    /* + 1: the empty string needs an address too */
    if (grown(&table->letters, &table->room_for_letters, table->n_letters + length + 1, sizeof *letters)
        || grown(&table->terms, &table->room, table->n + 1, sizeof *table->terms)) return -2;
    if (length) memcpy(table->letters + table->n_letters, letters, length * sizeof *letters);
    table->terms[table->n++] = (Term){.start = table->n_letters, .length = (uint32_t)length};
    table->places[i] = (h & 0xFFFFFFFF00000000u) | table->n;
    table->n_letters += length;
    return (int64_t)table->n - 1;
}

int64_t table_number(Table *table, const uint32_t *letters, size_t length, int open)
{
    return number_of(table, hash_of(table, letters, length), letters, length, open);
}

uint64_t packed_hash(uint64_t seed, const unsigned char *bytes, size_t length)
{
    uint64_t h = seed ^ length;
    for (size_t i = 0; i < length; i += 8) {
        uint64_t eight = 0;
        const size_t n = length - i < 8 ? length - i : 8;
        for (size_t k = 0; k < n; k++) eight |= (uint64_t)bytes[i + k] << k * 8;
        h = (h ^ eight) * 0xBF58476D1CE4E5B9u;
        h ^= h >> 29;
    }
    h *= 0x9E3779B97F4A7C15u;
    return h ^ h >> 32;
}

/* The index in the table of the home of a hash. */
static size_t packed_home(const Packed *packed, uint64_t hash)
{
    return (size_t)((hash >> 32) * (uint32_t)packed->table[1] >> 32) + 2;
}

int64_t packed_number(const Packed *packed, uint64_t hash, const unsigned char *bytes, size_t length)
{
    for (size_t i = packed_home(packed, hash); i < packed->n_table && packed->table[i]; i++) {
        if ((uint32_t)(packed->table[i] >> 32) != (uint32_t)hash) continue;
        const size_t number = (size_t)(packed->table[i] & 0xFFFFFFFFu) - 1;
        if (number >= packed->n) continue;
        const size_t start = packed->starts[number], end = packed->starts[number + 1];
        if (start > end || end > packed->n_bytes || end - start != length) continue;
        if (!length || memcmp(packed->bytes + start, bytes, length) == 0) return (int64_t)number;
    }
    return -1;
}

/* A string while it is sorted: its next three letters, the first in the highest bits. */
typedef struct {
    uint64_t key;
    uint32_t number;
} Keyed;

/* Strings items[start:start + n] that agree in their first `depth` letters and are not sorted yet. */
typedef struct {
    size_t start, n, depth;
} Group;

enum { LETTERS_PER_KEY = 3, BITS_PER_LETTER = 21, BYTES_PER_KEY = 8, FEW = 32 };

/* Each letter plus 1, so that 0 is the end of the string. */
static uint64_t key_of(const Table *table, uint32_t number, size_t depth)
{
    const Term *term = &table->terms[number];
    uint64_t key = 0;
    for (size_t i = depth; i < depth + LETTERS_PER_KEY; i++)
        key = key << BITS_PER_LETTER | (i < term->length ? table->letters[term->start + i] + 1 : 0);
    return key;
}

static int is_less(const Table *table, uint32_t a, uint32_t b, size_t depth)
{
    const Term *one = &table->terms[a], *other = &table->terms[b];
    for (size_t i = depth; i < one->length && i < other->length; i++) {
        const uint32_t x = table->letters[one->start + i], y = table->letters[other->start + i];
        if (x != y) return x < y;
    }
    return one->length < other->length;
}

static void sort_few(const Table *table, Keyed *items, size_t n, size_t depth)
{
    for (size_t i = 1; i < n; i++) {
        const Keyed item = items[i];
        size_t k = i;
        for (; k && is_less(table, item.number, items[k - 1].number, depth); k--) items[k] = items[k - 1];
        items[k] = item;
    }
}

/* Radix sort by key: no order of the strings makes it slow. */
static void sort_by_key(Keyed *items, Keyed *spare, size_t n)
{
    uint32_t counts[BYTES_PER_KEY][256] = {{0}};
    for (size_t i = 0; i < n; i++)
        for (int byte = 0; byte < BYTES_PER_KEY; byte++) counts[byte][items[i].key >> byte * 8 & 255]++;
    Keyed *from = items, *to = spare;
    for (int byte = 0; byte < BYTES_PER_KEY; byte++) {
        if (counts[byte][from[0].key >> byte * 8 & 255] == n) continue; /* all keys agree here */
        uint32_t next[256], sum = 0;
        for (int value = 0; value < 256; value++) {
            next[value] = sum;
            sum += counts[byte][value];
        }
        for (size_t i = 0; i < n; i++) to[next[from[i].key >> byte * 8 & 255]++] = from[i];
        Keyed *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != items) memcpy(items, from, n * sizeof *items);
}

/* Sorts by three letters at a time; `groups` is a stack on the heap, because strings may share a million letters. */
static int sort_strings(const Table *table, Keyed *items, Keyed *spare, Group **groups)
{
    size_t n_groups = 0, room = 0;
    if (grown(groups, &room, 1, sizeof **groups)) return -1;
    (*groups)[n_groups++] = (Group){.start = 0, .n = table->n, .depth = 0};
    while (n_groups) {
        const Group group = (*groups)[--n_groups];
        Keyed *own = items + group.start;
        if (group.n <= FEW) {
            sort_few(table, own, group.n, group.depth);
            continue;
        }
        for (size_t i = 0; i < group.n; i++) own[i].key = key_of(table, own[i].number, group.depth);
        sort_by_key(own, spare, group.n);
        for (size_t i = 0, end; i < group.n; i = end) {
            for (end = i + 1; end < group.n && own[end].key == own[i].key;) end++;
            if (end == i + 1) continue;
            if (grown(groups, &room, n_groups + 1, sizeof **groups)) return -1;
            (*groups)[n_groups++] = (Group){group.start + i, end - i, group.depth + LETTERS_PER_KEY};
        }
    }
    return 0;
}

uint32_t *table_sorted(const Table *table)
{
    /* + 1: malloc(0) may be NULL */
    Keyed *items = malloc((table->n + 1) * sizeof *items), *spare = malloc((table->n + 1) * sizeof *spare);
    uint32_t *order = malloc((table->n + 1) * sizeof *order);
    Group *groups = NULL;
    int failed = !items || !spare || !order;
    for (size_t i = 0; !failed && i < table->n; i++) items[i] = (Keyed){.number = (uint32_t)i};
    failed = failed || sort_strings(table, items, spare, &groups);
    for (size_t i = 0; !failed && i < table->n; i++) order[i] = items[i].number;
    free(items);
    free(spare);
    free(groups);
    if (!failed) return order;
    free(order);
    return NULL;
}

void rows_free(Rows *rows)
{
    free(rows->ids);
    free(rows->counts);
    free(rows->lengths);
    *rows = (Rows){0};
}

int counter_start(Counter *counter, uint64_t seed, uint64_t factor)
{
    *counter = (Counter){.row = 1};
    return table_start(&counter->terms, seed, factor) || table_start(&counter->stopped, seed, factor) ? -1 : 0;
}

void counter_finish(Counter *counter)
{
    Table terms = counter->terms;
    free(terms.places);
    terms.places = NULL;
    terms.n_places = 0;
    table_free(&counter->stopped);
    free(counter->chars.places);
    free(counter->line);
    free(counter->begins);
    free(counter->letters);
    free(counter->utf8);
    *counter = (Counter){.terms = terms};
}

void counter_free(Counter *counter)
{
    counter_finish(counter);
    table_free(&counter->terms);
}

int counter_pack(Counter *counter, Packed packed)
{
    Term *terms = calloc(packed.n + 1, sizeof *terms); /* + 1: calloc(0) may be NULL; untouched pages take no memory */
    if (!terms) return -1;
    free(counter->terms.terms);
    counter->terms.terms = terms;
    counter->terms.n = packed.n;
    counter->terms.room = packed.n + 1;
    counter->packed = packed;
    counter->closed = 1;
    return 0;
}

size_t write_utf8(unsigned char *to, const uint32_t *letters, size_t length)
{
    const unsigned char *begin = to;
    for (size_t i = 0; i < length; i++) {
        const uint32_t c = letters[i];
        if (c < 0x80) *to++ = (unsigned char)c;
        else if (c < 0x800) {
            *to++ = (unsigned char)(0xC0 | c >> 6);
            *to++ = (unsigned char)(0x80 | (c & 63));
        } else if (c < 0x10000) {
            *to++ = (unsigned char)(0xE0 | c >> 12);
            *to++ = (unsigned char)(0x80 | (c >> 6 & 63));
            *to++ = (unsigned char)(0x80 | (c & 63));
        } else {
            *to++ = (unsigned char)(0xF0 | c >> 18);
            *to++ = (unsigned char)(0x80 | (c >> 12 & 63));
            *to++ = (unsigned char)(0x80 | (c >> 6 & 63));
            *to++ = (unsigned char)(0x80 | (c & 63));
        }
    }
    return (size_t)(to - begin);
}

/* Counts one occurrence of a term. */
static int add_number(Counter *counter, Rows *rows, int64_t number)
{
    Term *term = &counter->terms.terms[number];
    if (term->seen_in == counter->row) {
        rows->counts[term->stands_at]++;
        return 0;
    }
    if (grown(&rows->ids, &rows->room, rows->n + 1, sizeof *rows->ids)
        || grown(&rows->counts, &rows->room_for_counts, rows->n + 1, sizeof *rows->counts)) return -1;
    term->seen_in = counter->row;
    term->stands_at = rows->n;
    rows->ids[rows->n] = (int32_t)number;
    rows->counts[rows->n++] = 1;
    return 0;
}

static int add_term(Counter *counter, Rows *rows, const Waiting *waiting)
{
    const uint32_t *letters = counter->letters + waiting->start;
    const int64_t found = number_of(&counter->terms, waiting->hash, letters, waiting->length, !counter->closed);
    return found >= 0 ? add_number(counter, rows, found) : found == -1 ? 0 : -1;
}

/* Fetches what the comparison of waiting terms with packed ones will read. */
static void fetch_packed(const Counter *counter)
{
    const Packed *packed = &counter->packed;
    size_t numbers[BLOCK];
    for (size_t k = 0; k < counter->n_waiting; k++) {
        const uint64_t hash = counter->waiting[k].hash;
        const size_t home = packed_home(packed, hash);
        const uint64_t place = home < packed->n_table ? packed->table[home] : 0;
        numbers[k] = place >> 32 == (uint32_t)hash ? (size_t)(place & 0xFFFFFFFFu) - 1 : SIZE_MAX;
        if (numbers[k] < packed->n) SOON(&packed->starts[numbers[k]]);
    }
    for (size_t k = 0; k < counter->n_waiting; k++)
        if (numbers[k] < packed->n && packed->starts[numbers[k]] < packed->n_bytes)
            SOON(&packed->bytes[packed->starts[numbers[k]]]);
}

static int add_waiting_packed(Counter *counter, Rows *rows)
{
    fetch_packed(counter);
    int failed = 0;
    for (size_t k = 0; !failed && k < counter->n_waiting; k++) {
        const Waiting *waiting = &counter->waiting[k];
        const int64_t number =
            packed_number(&counter->packed, waiting->hash, counter->utf8 + waiting->start, waiting->length);
        if (number >= 0) failed = add_number(counter, rows, number);
    }
    counter->n_waiting = counter->n_utf8 = 0;
    return failed;
}

/* Counts all waiting terms in their order. */
static int add_waiting(Counter *counter, Rows *rows)
{
    if (counter->packed.starts) return add_waiting_packed(counter, rows);
    const Table *table = &counter->terms;
    const Term *terms[BLOCK];
    for (size_t k = 0; k < counter->n_waiting; k++) {
        const uint64_t hash = counter->waiting[k].hash, place = table->places[hash & (table->n_places - 1)];
        terms[k] = place && (place ^ hash) >> 32 == 0 ? &table->terms[(place & 0xFFFFFFFFu) - 1] : NULL;
        if (terms[k]) SOON(terms[k]);
    }
    for (size_t k = 0; k < counter->n_waiting; k++)
        if (terms[k]) SOON(&table->letters[terms[k]->start]);
    int failed = 0;
    for (size_t k = 0; !failed && k < counter->n_waiting; k++) failed = add_term(counter, rows, &counter->waiting[k]);
    counter->n_waiting = counter->n_letters = 0;
    return failed;
}

/* Lets a term wait to be looked up among the packed ones. */
static int wait_packed(Counter *counter, const uint32_t *letters, size_t length)
{
    if (length > SIZE_MAX / 8 || grown(&counter->utf8, &counter->room_for_utf8, counter->n_utf8 + length * 4 + 1, 1)) return -1;
    unsigned char *bytes = counter->utf8 + counter->n_utf8;
    const size_t n = write_utf8(bytes, letters, length);
    const uint64_t hash = packed_hash(counter->packed.table[0], bytes, n);
    const size_t home = packed_home(&counter->packed, hash);
    if (home < counter->packed.n_table) SOON(&counter->packed.table[home]);
    counter->waiting[counter->n_waiting++] = (Waiting){.hash = hash, .start = counter->n_utf8, .length = n};
    counter->n_utf8 += n;
    return 0;
}

int counter_term(Counter *counter, Rows *rows, const uint32_t *letters, size_t length)
{
    if (counter->n_waiting == BLOCK && add_waiting(counter, rows)) return -1;
    if (counter->packed.starts) return wait_packed(counter, letters, length);
    /* + 1: the empty string needs an address too */
    if (grown(&counter->letters, &counter->room_for_letters, counter->n_letters + length + 1, sizeof *letters)) return -1;
    uint64_t hash = hash_of(&counter->terms, letters, length);
    SOON(&counter->terms.places[hash & (counter->terms.n_places - 1)]);
    counter->waiting[counter->n_waiting++] = (Waiting){.hash = hash, .start = counter->n_letters, .length = length};
    for (size_t i = 0; i < length; i++) counter->letters[counter->n_letters++] = letters[i]; /* few: memcpy would cost more */
    return 0;
}

/* N-grams of characters that wait to be counted, by key and hash. */
typedef struct {
    uint64_t keys[BLOCK], hashes[BLOCK];
    size_t n;
} WaitingChars;

static uint64_t hash_of_key(const Counter *counter, uint64_t key)
{
    uint64_t h = (key ^ counter->terms.seed) * counter->terms.factor;
    h = (h ^ h >> 29) * 0x9E3779B97F4A7C15u;
    return h ^ h >> 32;
}

/* The place of a key, or the free one where it belongs. */
static CharsPlace *chars_place(const CharsTable *chars, uint64_t key, uint64_t hash)
{
    size_t i = (size_t)hash & (chars->n_places - 1);
    while (chars->places[i].number && chars->places[i].key != key) i = (i + 1) & (chars->n_places - 1);
    return &chars->places[i];
}

static int chars_widen(Counter *counter)
{
    CharsTable wider = {.n = counter->chars.n, .n_places = counter->chars.n_places ? counter->chars.n_places * 2 : 1024};
    wider.places = calloc(wider.n_places, sizeof *wider.places);
    if (!wider.places) return -1;
    for (size_t i = 0; i < counter->chars.n_places; i++) {
        const CharsPlace place = counter->chars.places[i];
        if (place.number) *chars_place(&wider, place.key, hash_of_key(counter, place.key)) = place;
    }
    free(counter->chars.places);
    counter->chars = wider;
    return 0;
}

/* The number of the term "chars:..." of a key; a new one as in table_number. */
static int64_t number_of_chars(Counter *counter, uint64_t key, uint64_t hash)
{
    uint32_t letters[6 + MAX_CHARS] = {'c', 'h', 'a', 'r', 's', ':'};
    size_t length = 6;
    for (int i = MAX_CHARS - 1; i >= 0; i--) {
        const uint32_t letter = key >> i * BITS_PER_LETTER & ((1 << BITS_PER_LETTER) - 1);
        if (letter) letters[length++] = letter - 1;
    }
    int64_t number;
    if (counter->packed.starts) {
        unsigned char bytes[4 * (6 + MAX_CHARS)];
        const size_t n = write_utf8(bytes, letters, length);
        number = packed_number(&counter->packed, packed_hash(counter->packed.table[0], bytes, n), bytes, n);
    } else
        number = table_number(&counter->terms, letters, length, !counter->closed);
    if (number < 0) return number;
    if ((counter->chars.n + 1) * 2 > counter->chars.n_places && chars_widen(counter)) return -2;
    CharsPlace *place = chars_place(&counter->chars, key, hash);
    if (!place->number) counter->chars.n++;
    *place = (CharsPlace){.key = key, .number = (uint32_t)number + 1};
    return number;
}

static int add_waiting_chars(Counter *counter, Rows *rows, WaitingChars *waiting)
{
    int64_t numbers[BLOCK];
    for (size_t k = 0; k < waiting->n; k++) {
        numbers[k] = (int64_t)chars_place(&counter->chars, waiting->keys[k], waiting->hashes[k])->number - 1;
        if (numbers[k] >= 0) SOON(&counter->terms.terms[numbers[k]]);
    }
    for (size_t k = 0; k < waiting->n; k++) {
        if (numbers[k] < 0) numbers[k] = number_of_chars(counter, waiting->keys[k], waiting->hashes[k]);
        if (numbers[k] == -2 || (numbers[k] >= 0 && add_number(counter, rows, numbers[k]))) return -1;
    }
    waiting->n = 0;
    return 0;
}

/* Adds the n-grams with low <= n <= high that begin with the first of some letters. */
static int add_chars(Counter *counter, Rows *rows, WaitingChars *waiting, const uint32_t *letters, size_t low, size_t high)
{
    uint64_t key = 0;
    if (waiting->n + MAX_CHARS > BLOCK && add_waiting_chars(counter, rows, waiting)) return -1;
    for (size_t n = 1; n <= high; n++) {
        key |= (uint64_t)(letters[n - 1] + 1) << (MAX_CHARS - n) * BITS_PER_LETTER;
        if (n < low) continue;
        const uint64_t hash = hash_of_key(counter, key);
        SOON(&counter->chars.places[hash & (counter->chars.n_places - 1)]);
        waiting->keys[waiting->n] = key;
        waiting->hashes[waiting->n++] = hash;
    }
    return 0;
}

int counter_chars(Counter *counter, Rows *rows, const uint32_t *text, size_t length)
{
    WaitingChars waiting;
    waiting.n = 0;
    if (!counter->chars.n_places && chars_widen(counter)) return -1;
    for (size_t i = 0, end; i < length; i = end + 1) {
        for (end = i; end < length && !is_space(text[end]);) end++;
        const size_t low = end - i < counter->chars_low ? end - i : counter->chars_low;
        for (size_t k = i; k < end; k++) {
            const size_t high = end - k < counter->chars_high ? end - k : counter->chars_high;
            if (add_chars(counter, rows, &waiting, text + k, k == i ? low : counter->chars_low, high)) return -1;
        }
    }
    return add_waiting_chars(counter, rows, &waiting);
}

int counter_token(Counter *counter, Rows *rows, const uint32_t *letters, size_t length)
{
    size_t i = 0;
    while (i < length && is_space(letters[i])) i++;
    if (i == length) return 0;
    if (counter->stopped.n && table_number(&counter->stopped, letters, length, 0) >= 0) return 0;
    if (counter->high == 1) return counter_term(counter, rows, letters, length);
    if (grown(&counter->line, &counter->room_for_line, counter->n_line + length + 1, sizeof *letters)
        || grown(&counter->begins, &counter->room_for_begins, counter->n_tokens + 1, sizeof *counter->begins)) return -1;
    memcpy(counter->line + counter->n_line, letters, length * sizeof *letters);
    counter->begins[counter->n_tokens++] = counter->n_line;
    size_t end = counter->n_line + length;
    counter->line[end] = ' ';
    counter->n_line = end + 1;
    for (size_t n = counter->low; n <= counter->high && n <= counter->n_tokens; n++) {
        size_t begin = counter->begins[counter->n_tokens - n];
        if (counter_term(counter, rows, counter->line + begin, end - begin)) return -1;
    }
    return 0;
}

static void next_row(Counter *counter)
{
    counter->n_line = counter->n_tokens = counter->n_waiting = counter->n_letters = counter->n_utf8 = 0;
    if (++counter->row) return;
    for (size_t i = 0; i < counter->terms.n; i++) counter->terms.terms[i].seen_in = 0;
    counter->row = 1;
}

int counter_end_row(Counter *counter, Rows *rows)
{
    if (add_waiting(counter, rows)) return -1;
    if (grown(&rows->lengths, &rows->room_for_rows, rows->n_rows + 1, sizeof *rows->lengths)) return -1;
    rows->lengths[rows->n_rows++] = (int32_t)(rows->n - counter->row_start);
    counter->row_start = rows->n;
    next_row(counter);
    return 0;
}

void counter_abandon_row(Counter *counter)
{
    next_row(counter);
}
