#include "scan.h"

enum { HIRAGANA = 4, DIGIT = 16, BEGINS = 63, MARK = 64, TAIL = 128 };
enum { LETTER = 1, WORD_MARK = 2, APOSTROPHE = 4 };

int count_runs(const uint8_t *kinds, const uint32_t *text, size_t length, Counter *counter, Rows *rows)
{
    for (size_t i = 0; i < length;) {
        unsigned begins = kinds[text[i]] & BEGINS, kind = begins & (~begins + 1);
        size_t end = i + 1;
        if (kind) {
            unsigned more = kind | (kind == DIGIT ? 0 : MARK) | (kind == HIRAGANA ? TAIL : 0);
            while (end < length && kinds[text[end]] & more) end++;
            if (counter_token(counter, rows, text + i, end - i)) return -1;
        }
        i = end;
    }
    return 0;
}

int count_words(const uint8_t *kinds, const uint32_t *text, size_t length, Counter *counter, Rows *rows)
{
    for (size_t i = 0; i < length;) {
        size_t end = i + 1;
        if (kinds[text[i]] & LETTER) {
            while (end < length
                   && (kinds[text[end]] & (LETTER | WORD_MARK)
                       || (kinds[text[end]] & APOSTROPHE && end + 1 < length && kinds[text[end + 1]] & LETTER)))
                end++;
            if (counter_token(counter, rows, text + i, end - i)) return -1;
        }
        i = end;
    }
    return 0;
}

static int count_stretch(size_t low, size_t high, const uint32_t *text, size_t length, Counter *counter, Rows *rows)
{
    if (length && length < low) return counter_token(counter, rows, text, length);
    for (size_t n = low; n <= high && n <= length; n++)
        for (size_t i = 0; i + n <= length; i++)
            if (counter_token(counter, rows, text + i, n)) return -1;
    return 0;
}

int count_grams(size_t low, size_t high, const uint32_t *text, size_t length, Counter *counter, Rows *rows)
{
    for (size_t i = 0; i < length;) {
        size_t end = i;
        while (end < length && !is_space(text[end])) end++;
        if (count_stretch(low, high, text + i, end - i, counter, rows)) return -1;
        i = end + 1;
    }
    return 0;
}
