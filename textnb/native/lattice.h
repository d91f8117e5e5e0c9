/* The cheapest path through a lattice of words: Janome's tokens, one by one, from flat arrays.
 *
 * A text is cut into chunks as Janome cuts it. At each position the words that begin there are found in a double
 * array (the user's words first, then the dictionary's) and unknown words are made from runs of one kind of character.
 * A node keeps its cheapest predecessor; equal costs are decided as Janome decides them:
 *   the first of the cheapest if it is an unknown word, otherwise, of the cheapest known words, the smallest number.
 *
 * Nothing here knows Python, allocates beyond its Path, or keeps state between calls. */
#ifndef TEXTNB_LATTICE_H
#define TEXTNB_LATTICE_H

#include <stddef.h>
#include <stdint.h>

/* One place of a double array. From place s, a character of code c leads to t = slots[s].base + c if
 * slots[t].check == s. `first` is the first entry of the surface that ends here, -1 if none does. */
typedef struct {
    int32_t base, check, first;
} Slot;

/* ids: left id (11 bits), right id (11 bits), and in the highest bit whether it is the last entry of its surface. */
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
    const int32_t *numbers; /* of each entry, in Janome's numbering */
    const uint16_t *codes;  /* of each character; 0 if no surface has it */
    int32_t n_slots, n_entries, n_codes;
} Lexicon;

typedef struct {
    Lexicon system, user;           /* user.n_slots is 0 if there is none */
    const int16_t *connections;     /* [left id][right id of the word before] */
    const uint16_t *own, *accepts;  /* categories of each character of the BMP, and those whose runs it may continue */
    const int32_t *limits;          /* how many characters may follow the first in an unknown word, by category */
    const uint8_t *always;          /* whether a category gives unknown words even where a known word begins */
    const int32_t *unknown_first;   /* n_categories + 1 */
    const Entry *unknowns;
    uint16_t own_beyond, accepts_beyond; /* the same for characters beyond the BMP */
    int32_t n_connections, n_categories, n_unknowns;
} Dictionary;

/* A token: where it ends, and which entry it is: the dictionary's from 0 on, the user's from system.n_entries on,
 * unknown words -1, -2, ... */
typedef struct {
    int32_t end, entry;
} Piece;

/* Memory for path_of, used again and again; zero it before the first use. */
typedef struct {
    Piece *pieces;
    size_t n_pieces, room_for_pieces;
    int32_t done; /* characters that they cover */
    struct Node *nodes;
    size_t n_nodes, room_for_nodes;
    struct Ways *ways;
} Path;

/* The pieces of a text, chunk by chunk, until `enough` characters are done or all are; -1 if memory ran out. */
int path_of(const Dictionary *dictionary, const uint32_t *text, int32_t length, int32_t enough, Path *path);
void path_free(Path *path);

/* Why arrays cannot be used, or NULL; after this no text can lead out of them. */
const char *fault_of_lexicon(const Lexicon *lexicon, int32_t n_connections);
const char *fault_of(const Dictionary *dictionary);

#endif
