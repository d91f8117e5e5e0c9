/* The cheapest path through a lattice of words, from flat arrays: exactly Janome's tokens.
 *
 * A text is split into chunks as Janome does. At each position a double array gives the words that begin there (the
 * user's words first, then the dictionary's), and runs of one kind of character give unknown words. A node keeps its
 * cheapest predecessor; equal costs are decided as Janome does:
 *   the first of the cheapest if it is an unknown word, otherwise the cheapest known word with the smallest number.
 *
 * Nothing here knows Python, allocates beyond its Path, or keeps state between calls. */
#ifndef TEXTNB_LATTICE_H
#define TEXTNB_LATTICE_H

#include <stddef.h>
#include <stdint.h>

/* One slot of a double array. From slot s, a character of code c leads to t = slots[s].base + c if
 * slots[t].check == s. `first` is the first entry of the surface that ends here, -1 if none does. */
typedef struct {
    int32_t base, check, first;
} Slot;

/* ids: left id (11 bits), right id (11 bits); the highest bit marks the last entry of a surface. */
typedef struct {
    int32_t cost;
    uint32_t ids;
} Entry;

#define LEFT(entry) ((entry).ids & 2047u)
#define RIGHT(entry) ((entry).ids >> 11 & 2047u)
#define IS_LAST(entry) ((entry).ids >> 31)

typedef struct {
    const Slot *slots;
    const Entry *entries;
    const int32_t *numbers; /* Janome's number of each entry */
    const uint16_t *codes;  /* code of each character; 0 if no surface has it */
    int32_t n_slots, n_entries, n_codes;
} Lexicon;

typedef struct {
    Lexicon system, user;           /* user.n_slots is 0 if there is none */
    const int16_t *connections;     /* [left id][right id of the word before] */
    const uint16_t *own, *accepts;  /* per character of the BMP: its categories, and those whose runs it continues */
    const int32_t *limits;          /* per category: how many characters may follow the first of an unknown word */
    const uint8_t *always;          /* per category: whether it gives unknown words even where a known word begins */
    const int32_t *unknown_first;   /* n_categories + 1 */
    const Entry *unknowns;
    uint16_t own_beyond, accepts_beyond; /* own and accepts of characters beyond the BMP */
    int32_t n_connections, n_categories, n_unknowns;
} Dictionary;

/* A token: its end, and its entry: the dictionary's count from 0, the user's from system.n_entries, unknown words are
 * -1, -2, ... */
typedef struct {
    int32_t end, entry;
} Piece;

/* Memory of path_of, reused by every call; zero it before the first. */
typedef struct {
    Piece *pieces;
    size_t n_pieces, room_for_pieces;
    int32_t done; /* number of characters that the pieces cover */
    struct Node *nodes;
    size_t n_nodes, room_for_nodes;
    struct Ways *ways;
} Path;

/* Finds the pieces of a text, chunk by chunk, until `enough` characters or all are done; -1 if memory ran out. */
int path_of(const Dictionary *dictionary, const uint32_t *text, int32_t length, int32_t enough, Path *path);
void path_free(Path *path);

/* What is wrong with the arrays, or NULL; if NULL, no text can lead to an index out of range. */
const char *fault_of_lexicon(const Lexicon *lexicon, int32_t n_connections);
const char *fault_of(const Dictionary *dictionary);

#endif
