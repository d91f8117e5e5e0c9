/* Numbers and counts terms, which are strings of code points; no Python string is made.
 *
 * The tokens of a document are added one by one, each with the n-grams that end with it; its characters are added at
 * once. Terms are numbered in order of first occurrence. */
#ifndef TEXTNB_TERMS_H
#define TEXTNB_TERMS_H

#include <stddef.h>
#include <stdint.h>

/* Prefetches memory that will be read soon. */
#if defined(__GNUC__) || defined(__clang__)
#define SOON(address) __builtin_prefetch(address)
#else
#define SOON(address) ((void)(address))
#endif

typedef struct {
    size_t start;              /* of its letters in the table */
    uint32_t length;
    uint32_t seen_in;          /* the last row that has it, */
    size_t stands_at;          /* and the index of its count in Rows */
} Term;

/* A hash table from strings to numbers. */
typedef struct {
    uint32_t *letters; /* of all strings, concatenated */
    size_t n_letters, room_for_letters;
    Term *terms;
    size_t n, room;
    uint64_t *places;  /* high half of the hash, and number + 1 (0 if free) as the low half */
    size_t n_places;   /* a power of two */
    uint64_t seed, factor;
} Table;

int table_start(Table *table, uint64_t seed, uint64_t factor);
void table_free(Table *table);
/* The number of a string; a new string gets the next number if `open`, else -1. -2 if memory ran out. */
int64_t table_number(Table *table, const uint32_t *letters, size_t length, int open);
/* Numbers of all strings, sorted by code points, which the caller frees; NULL if memory ran out. */
uint32_t *table_sorted(const Table *table);

/* Distinct terms as UTF-8, numbered in their order, with a hash table: the memory of a model file, which may be damaged.
 *
 * Term i is bytes[starts[i]:starts[i + 1]]. table[0] is the seed of the hash, table[1] the number of homes h; then come
 * the places: 0 if free, else the low half of the hash as the high half, and number + 1. A term with hash x belongs at
 * the place (x >> 32) * h >> 32 or after it, with no free place between. */
typedef struct {
    const unsigned char *bytes;
    const uint32_t *starts;
    const uint64_t *table;
    size_t n_bytes, n, n_table;
} Packed;

/* The number of a term of `length` bytes with this hash, -1 if there is none; safe whatever the memory holds. */
int64_t packed_number(const Packed *packed, uint64_t hash, const unsigned char *bytes, size_t length);
uint64_t packed_hash(uint64_t seed, const unsigned char *bytes, size_t length);
/* Writes letters as UTF-8, 4 bytes each at most, and returns the number of bytes. */
size_t write_utf8(unsigned char *to, const uint32_t *letters, size_t length);

/* Rows of a count matrix. */
typedef struct {
    int32_t *ids, *counts, *lengths;
    size_t n, room, room_for_counts, n_rows, room_for_rows;
} Rows;

void rows_free(Rows *rows);

#define BLOCK 64

/* A term that waits to be looked up while its place in the table is prefetched. */
typedef struct {
    uint64_t hash;
    size_t start, length; /* of its letters in Counter.letters, or of its bytes in Counter.utf8 if terms are packed */
} Waiting;

#define MAX_CHARS 3

/* An n-gram of at most MAX_CHARS characters as one number, and that of its term + 1 (0 if free). */
typedef struct {
    uint64_t key;
    uint32_t number;
} CharsPlace;

/* A hash table from n-grams of characters to their terms: it saves a search in the table of terms. */
typedef struct {
    CharsPlace *places;
    size_t n, n_places; /* a power of two */
} CharsTable;

typedef struct {
    Table terms, stopped;
    CharsTable chars;
    size_t low, high;   /* low <= n <= high for n-grams of tokens; high 0: none */
    size_t chars_low, chars_high; /* n-grams of characters, at most MAX_CHARS; chars_high 0: none */
    int closed;         /* whether new terms are left out */
    Packed packed;      /* the known terms, if packed.starts is not NULL; terms.terms then has only their rows */
    /* the current document: */
    uint32_t *line;     /* its tokens, each followed by a space */
    size_t n_line, room_for_line;
    size_t *begins;     /* start of each token in line */
    size_t n_tokens, room_for_begins;
    size_t row_start;
    uint32_t row;       /* counted from 1 */
    Waiting waiting[BLOCK];
    size_t n_waiting;
    uint32_t *letters;  /* of the waiting terms */
    size_t n_letters, room_for_letters;
    unsigned char *utf8; /* of the waiting terms, if terms are packed */
    size_t n_utf8, room_for_utf8;
} Counter;

/* The table of terms and that of stop words are empty, and so are the ranges of n-grams. -1 if memory ran out. */
int counter_start(Counter *counter, uint64_t seed, uint64_t factor);
void counter_free(Counter *counter);
/* Frees what only counting needs; the terms stay. Nothing may be counted afterwards. */
void counter_finish(Counter *counter);
/* Counts only packed terms from now on. -1 if memory ran out. */
int counter_pack(Counter *counter, Packed packed);
/* These return 0, or -1 if memory ran out. */
int counter_token(Counter *counter, Rows *rows, const uint32_t *letters, size_t length);
int counter_term(Counter *counter, Rows *rows, const uint32_t *letters, size_t length); /* no n-grams, no stop words */
/* The n-grams of characters of a text as terms "chars:...", within each stretch between white space. A stretch shorter
 * than chars_low is one term. */
int counter_chars(Counter *counter, Rows *rows, const uint32_t *text, size_t length);
int counter_end_row(Counter *counter, Rows *rows);
void counter_abandon_row(Counter *counter); /* after a failure: forgets the unfinished row */

/* Whether str.isspace() is true. */
int is_space(uint32_t c);

/* Makes room for `needed` items of `size` bytes; items: the address of the pointer to them. -1 if memory ran out. */
int grown(void *items, size_t *room, size_t needed, size_t size);

#endif
