#include "lattice.h"
#include "terms.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK 500      /* least length of a chunk that is not the last */
#define LONGEST 1024   /* greatest length of a chunk */
#define LOOK_AHEAD 50  /* characters of the text that Janome looks up at a time */
#define IDS 2048
#define CATEGORIES 16
#define MOST_NODES (INT32_MAX / 2) /* per chunk; only an absurd dictionary needs more */

typedef struct Node {
    int32_t cost; /* of the cheapest path from the start of the chunk, including this word */
    int32_t back; /* the node of the word before */
    int32_t next; /* the next node that ends at the same position */
    int32_t entry;
    int16_t start;
    uint16_t right;
} Node;

/* The nodes that end at one position and may be a best predecessor. */
typedef struct {
    int32_t n;
    int32_t *cost, *node;
    uint16_t *right;
} Ends;

typedef struct Ways {
    int32_t first[LONGEST + 1], last[LONGEST + 1]; /* nodes by end position */
    int32_t run_end[CATEGORIES];
    /* by right id: least cost of the nodes that end here */
    uint32_t right_seen[IDS];
    int32_t right_cost[IDS];
    /* by left id: the best predecessor */
    uint32_t left_seen[IDS];
    int32_t left_cost[IDS], left_node[IDS];
    uint32_t now;
    int32_t room;
    Ends ends;
} Ways;

#define BEGINNING INT32_MIN /* entry of the first node of a chunk */

static int is_punctuation(uint32_t c)
{
    return c == 0x3001 || c == 0x3002 || c == ',' || c == '.' || c == 0xFF1F || c == '?' || c == 0xFF01 || c == '!';
}

/* Whether Janome ends a chunk before text[at]; at >= 4. */
static int ends_chunk(const uint32_t *text, int32_t at)
{
    if (is_punctuation(text[at - 1])) return 1;
    if (text[at - 1] != '\n') return 0;
    return text[at - 2] == '\n' || (text[at - 2] == '\r' && text[at - 3] == '\n' && text[at - 4] == '\r');
}

static int32_t number_of(const Dictionary *d, int32_t entry)
{
    return entry < d->system.n_entries ? d->system.numbers[entry] : d->user.numbers[entry - d->system.n_entries];
}

static int32_t best_before(const Dictionary *d, const Node *nodes, const Ends *ends, uint32_t left, int32_t *cost)
{
    const int16_t *row = d->connections + (size_t)left * (size_t)d->n_connections;
    int32_t least = ends->cost[0] + row[ends->right[0]], best = 0;
    for (int32_t i = 1; i < ends->n; i++) {
        int32_t c = ends->cost[i] + row[ends->right[i]];
        if (c < least) {
            least = c;
            best = i;
        } else if (c == least) {
            int32_t a = nodes[ends->node[best]].entry, b = nodes[ends->node[i]].entry;
            if (a >= 0 && b >= 0 && number_of(d, b) < number_of(d, a)) best = i;
        }
    }
    *cost = least;
    return ends->node[best];
}

static int room_for_ends(Ways *ways, int32_t n)
{
    if (n <= ways->room) return 0;
    int32_t room = ways->room ? ways->room : 64;
    while (room < n) room *= 2;
    Ends *ends = &ways->ends;
    void *cost = realloc(ends->cost, (size_t)room * sizeof *ends->cost);
    if (cost) ends->cost = cost;
    void *node = realloc(ends->node, (size_t)room * sizeof *ends->node);
    if (node) ends->node = node;
    void *right = realloc(ends->right, (size_t)room * sizeof *ends->right);
    if (right) ends->right = right;
    if (!cost || !node || !right) return -1;
    ways->room = room;
    return 0;
}

static void tick(Ways *ways)
{
    if (++ways->now) return;
    memset(ways->right_seen, 0, sizeof ways->right_seen);
    memset(ways->left_seen, 0, sizeof ways->left_seen);
    ways->now = 1;
}

/* Gathers the nodes that end at `at`, without those for which a cheaper one has the same right id. */
static int gather(const Path *path, Ways *ways, int32_t at)
{
    const Node *nodes = path->nodes;
    int32_t n = 0;
    tick(ways);
    for (int32_t i = ways->first[at]; i >= 0; i = nodes[i].next, n++) {
        uint16_t right = nodes[i].right;
        if (ways->right_seen[right] != ways->now || nodes[i].cost < ways->right_cost[right]) {
            ways->right_seen[right] = ways->now;
            ways->right_cost[right] = nodes[i].cost;
        }
    }
    if (room_for_ends(ways, n)) return -1;
    Ends *ends = &ways->ends;
    ends->n = 0;
    for (int32_t i = ways->first[at]; i >= 0; i = nodes[i].next) {
        uint16_t right = nodes[i].right;
        if (nodes[i].cost > ways->right_cost[right]) continue;
        ends->cost[ends->n] = nodes[i].cost;
        ends->right[ends->n] = right;
        ends->node[ends->n++] = i;
    }
    return 0;
}

static int add(const Dictionary *d, Path *path, Ways *ways, Entry entry, int32_t number, int32_t start, int32_t end)
{
    uint32_t left = LEFT(entry);
    if (ways->left_seen[left] != ways->now) {
        ways->left_seen[left] = ways->now;
        ways->left_node[left] = best_before(d, path->nodes, &ways->ends, left, &ways->left_cost[left]);
    }
    if (path->n_nodes >= MOST_NODES
        || grown(&path->nodes, &path->room_for_nodes, path->n_nodes + 1, sizeof *path->nodes)) return -1;
    int32_t i = (int32_t)path->n_nodes++;
    path->nodes[i] = (Node){ways->left_cost[left] + entry.cost, ways->left_node[left], -1, number,
                            (int16_t)start, (uint16_t)RIGHT(entry)};
    if (ways->first[end] < 0) ways->first[end] = i;
    else path->nodes[ways->last[end]].next = i;
    ways->last[end] = i;
    return 0;
}

/* Adds the words of a lexicon that begin at `at`; 1 if there are any, -1 if memory ran out. */
static int add_known(const Dictionary *d, const Lexicon *lexicon, int32_t offset, const uint32_t *text, int32_t at,
                     int32_t chunk, Path *path, Ways *ways)
{
    int found = 0;
    int32_t place = 0, end = chunk - at > LOOK_AHEAD ? at + LOOK_AHEAD : chunk;
    for (int32_t i = at; i < end; i++) {
        if (text[i] >= (uint32_t)lexicon->n_codes) break;
        uint16_t code = lexicon->codes[text[i]];
        if (!code) break;
        int32_t next = lexicon->slots[place].base + code;
        if (next >= lexicon->n_slots || lexicon->slots[next].check != place) break;
        place = next;
        int32_t e = lexicon->slots[place].first;
        if (e < 0) continue;
        do {
            if (add(d, path, ways, lexicon->entries[e], offset + e, at, i + 1)) return -1;
            found = 1;
        } while (!IS_LAST(lexicon->entries[e++]));
    }
    return found;
}

static int add_unknown(const Dictionary *d, int found, const uint32_t *text, int32_t at, int32_t chunk, Path *path,
                       Ways *ways)
{
    uint16_t own = text[at] < 0x10000 ? d->own[text[at]] : d->own_beyond;
    for (int32_t k = 0; own >> k; k++) {
        if (!(own >> k & 1) || (found && !d->always[k])) continue;
        int32_t end = at + 1, limit = chunk - end > d->limits[k] ? end + d->limits[k] : chunk;
        if (ways->run_end[k] > at && d->limits[k] >= LONGEST) {
            end = ways->run_end[k];
        } else {
            while (end < limit && ((text[end] < 0x10000 ? d->accepts[text[end]] : d->accepts_beyond) >> k & 1)) end++;
            ways->run_end[k] = end;
        }
        for (int32_t u = d->unknown_first[k]; u < d->unknown_first[k + 1]; u++)
            if (add(d, path, ways, d->unknowns[u], -1 - u, at, end)) return -1;
    }
    return 0;
}

/* Appends the tokens of the path that ends with node `last` at text position `base` + `end`. */
static int append_path(Path *path, int32_t last, int32_t base, int32_t end)
{
    size_t n = 0;
    for (int32_t i = last; path->nodes[i].entry != BEGINNING; i = path->nodes[i].back) n++;
    if (grown(&path->pieces, &path->room_for_pieces, path->n_pieces + n, sizeof *path->pieces)) return -1;
    Piece *piece = path->pieces + path->n_pieces + n;
    for (int32_t i = last; path->nodes[i].entry != BEGINNING; i = path->nodes[i].back) {
        *--piece = (Piece){base + end, path->nodes[i].entry};
        end = path->nodes[i].start;
    }
    path->n_pieces += n;
    return 0;
}

/* Appends the tokens of the first chunk and returns its length; -1 if memory ran out. */
static int32_t add_chunk(const Dictionary *d, const uint32_t *text, int32_t length, int32_t base, Path *path)
{
    Ways *ways = path->ways;
    int32_t chunk = length < LONGEST ? length : LONGEST, at = 0, cost;
    for (int32_t i = 0; i <= chunk; i++) ways->first[i] = -1;
    memset(ways->run_end, 0, sizeof ways->run_end);
    path->n_nodes = 1;
    path->nodes[0] = (Node){0, -1, -1, BEGINNING, 0, 0};
    ways->first[0] = ways->last[0] = 0;
    while (at < chunk && (at < CHUNK || !ends_chunk(text, at))) {
        if (gather(path, ways, at)) return -1;
        if (d->user.n_slots && add_known(d, &d->user, d->system.n_entries, text, at, chunk, path, ways) < 0) return -1;
        int found = add_known(d, &d->system, 0, text, at, chunk, path, ways);
        if (found < 0 || add_unknown(d, found, text, at, chunk, path, ways)) return -1;
        do at++; while (ways->first[at] < 0);
    }
    if (gather(path, ways, at)) return -1;
    if (append_path(path, best_before(d, path->nodes, &ways->ends, 0, &cost), base, at)) return -1;
    return at;
}

int path_of(const Dictionary *d, const uint32_t *text, int32_t length, int32_t enough, Path *path)
{
    path->n_pieces = 0;
    path->done = 0;
    if (grown(&path->nodes, &path->room_for_nodes, 1, sizeof *path->nodes)) return -1;
    if (!path->ways && !(path->ways = calloc(1, sizeof *path->ways))) return -1;
    while (path->done < length && path->done < enough) {
        int32_t chunk = add_chunk(d, text + path->done, length - path->done, path->done, path);
        if (chunk < 0) return -1;
        path->done += chunk;
    }
    return 0;
}

void path_free(Path *path)
{
    if (path->ways) {
        free(path->ways->ends.cost);
        free(path->ways->ends.node);
        free(path->ways->ends.right);
    }
    free(path->ways);
    free(path->nodes);
    free(path->pieces);
    *path = (Path){0};
}

static int ids_fit(const Entry *entry, int32_t n_connections)
{
    return LEFT(*entry) < (uint32_t)n_connections && RIGHT(*entry) < (uint32_t)n_connections
        && entry->cost > -1000000 && entry->cost < 1000000; /* so that the costs of a chunk fit 31 bits */
}

const char *fault_of_lexicon(const Lexicon *lexicon, int32_t n_connections)
{
    if (lexicon->n_slots < 1 || lexicon->n_entries < 1) return "a lexicon is empty";
    for (int32_t i = 0; i < lexicon->n_slots; i++) {
        const Slot *slot = lexicon->slots + i;
        if (slot->base < 0 || slot->base > INT32_MAX - UINT16_MAX) return "a base is out of range";
        if (slot->first < -1 || slot->first >= lexicon->n_entries) return "a first entry is out of range";
    }
    for (int32_t i = 0; i < lexicon->n_entries; i++)
        if (!ids_fit(lexicon->entries + i, n_connections)) return "an entry is out of range";
    if (!IS_LAST(lexicon->entries[lexicon->n_entries - 1])) return "the last entry is not marked so";
    return NULL;
}

const char *fault_of(const Dictionary *d)
{
    if (d->n_connections < 1 || d->n_connections > IDS) return "the number of connections is out of range";
    if (d->n_categories < 1 || d->n_categories > CATEGORIES) return "the number of categories is out of range";
    uint32_t every = d->n_categories == CATEGORIES ? 0xFFFFu : (1u << d->n_categories) - 1;
    for (int32_t c = 0; c <= 0x10000; c++) {
        uint16_t own = c < 0x10000 ? d->own[c] : d->own_beyond;
        if (!own || own & ~every) return "a character has no category, or an unknown one";
    }
    if (d->unknown_first[0]) return "unknown words do not begin at 0";
    for (int32_t k = 0; k < d->n_categories; k++) {
        if (d->unknown_first[k + 1] <= d->unknown_first[k]) return "a category has no unknown words";
        if (d->limits[k] < 0) return "a limit is negative";
    }
    if (d->unknown_first[d->n_categories] != d->n_unknowns) return "unknown words are missing";
    if ((int64_t)d->system.n_entries + d->user.n_entries + d->n_unknowns > INT32_MAX) return "it has too many entries";
    for (int32_t u = 0; u < d->n_unknowns; u++)
        if (!ids_fit(d->unknowns + u, d->n_connections)) return "an unknown word is out of range";
    const char *fault = fault_of_lexicon(&d->system, d->n_connections);
    return fault || !d->user.n_slots ? fault : fault_of_lexicon(&d->user, d->n_connections);
}
