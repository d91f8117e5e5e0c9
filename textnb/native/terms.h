/* Terms and how often each document has them: strings of code points to numbers, without a Python string in between.
 *
 * A document's tokens are added one after the other, and with each the n-grams that end there. Terms are numbered in
 * the order of their first appearance. */
#ifndef TEXTNB_TERMS_H
#define TEXTNB_TERMS_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    size_t start;              /* of its letters */
    uint32_t length;
    uint32_t seen_in;          /* the row in which it was last seen, */
    size_t stands_at;          /* and where in it its count stands */
} Term;

/* Strings and their numbers. */
typedef struct {
    uint32_t *letters; /* of all strings, one after the other */
    size_t n_letters, room_for_letters;
    Term *terms;
    size_t n, room;
    uint64_t *places;  /* high half: of the hash; low half: number + 1, 0 if free */
    size_t n_places;   /* a power of two */
    uint64_t seed, factor;
} Table;

int table_start(Table *table, uint64_t seed, uint64_t factor);
void table_free(Table *table);
/* The number of a string, -1 if it has none (it is given one if `open`), -2 if memory ran out. */
int64_t table_number(Table *table, const uint32_t *letters, size_t length, int open);

/* Rows of a count matrix. */
typedef struct {
    int32_t *ids, *counts, *lengths;
    size_t n, room, room_for_counts, n_rows, room_for_rows;
} Rows;

void rows_free(Rows *rows);

#define BLOCK 64

/* A term that waits to be looked up: while others are gathered, its place in the table comes from far memory. */
typedef struct {
    uint64_t hash;
    size_t start, length; /* of its letters among those that wait */
} Waiting;

typedef struct {
    Table terms, stopped;
    size_t low, high;   /* n of the n-grams */
    int closed;         /* whether terms that have no number are left out */
    /* the document at hand */
    uint32_t *line;     /* its tokens, a space after each */
    size_t n_line, room_for_line;
    size_t *begins;     /* of the tokens in the line */
    size_t n_tokens, room_for_begins;
    size_t row_start;
    uint32_t row;       /* from 1 on */
    Waiting waiting[BLOCK];
    size_t n_waiting;
    uint32_t *letters;  /* of those that wait */
    size_t n_letters, room_for_letters;
} Counter;

int counter_start(Counter *counter, uint64_t seed, uint64_t factor, size_t low, size_t high);
void counter_free(Counter *counter);
/* All return 0, or -1 if memory ran out. */
int counter_token(Counter *counter, Rows *rows, const uint32_t *letters, size_t length);
int counter_term(Counter *counter, Rows *rows, const uint32_t *letters, size_t length); /* no n-grams, no stop words */
int counter_end_row(Counter *counter, Rows *rows);
void counter_abandon_row(Counter *counter); /* after a failure */

int is_space(uint32_t c);

/* Makes room for `needed` things of a size; items: the address of the pointer to them. 0, or -1 without memory. */
int grown(void *items, size_t *room, size_t needed, size_t size);

#endif
