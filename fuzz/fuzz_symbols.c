/* SPDX-License-Identifier: Apache-2.0 */
/* What a symboliser prints, whatever it is: the first byte says whether it prints columns, the rest is its answer to
 * two addresses of one module. What becomes known of a place holds together, and no place is lost. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbol_program.h"
#include "symbolise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t *answer;
static size_t answer_size;

static void require(int condition)
{
    if (!condition)
        abort();
}

/* In the place of symbol_program.c. */
struct symbol_answer symbol_program_ask(int which, const char *module, const char *addresses, size_t size,
                                        double most_seconds)
{
    require(which >= 0 && which < SYMBOL_PROGRAMS && module != NULL && strlen(addresses) == size && most_seconds > 0);
    char *text = malloc(answer_size);
    require(text != NULL);
    memcpy(text, answer + 1, answer_size - 1);
    text[answer_size - 1] = '\0';
    return (struct symbol_answer){.text = text, .has_column = answer[0] % 2};
}

static struct finding *make_finding(void)
{
    static const char line[] = "{\"finding\": \"a\", \"at\": [{\"text\": \"t\", \"module\": \"/bin/sh\", \"address\": "
                               "\"0x10\"}], \"objects\": [{\"what\": \"w\", \"at\": [{\"text\": \"t\", \"module\": "
                               "\"/bin/sh\", \"address\": \"0x20\", \"exact\": true}]}]}";
    int is_out_of_memory = 0;
    cJSON *json = json_read(line);
    struct finding *finding = finding_read(json, &is_out_of_memory);
    cJSON_Delete(json);
    require(finding != NULL && !is_out_of_memory);
    return finding;
}

static void check_places(const struct finding_place *place)
{
    require(place != NULL);
    for (; place != NULL; place = place->next) {
        require(place->text != NULL && place->module != NULL && place->address != NULL);
        require((place->file != NULL) == (place->line > 0));
        require(place->file != NULL || place->column == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct symbols symbols = {0};
    struct finding *finding = make_finding();
    answer = data;
    answer_size = size;
    symbolise(&symbols, finding, 1);
    check_places(finding->places);
    check_places(finding->objects->places);
    finding_free(finding);
    symbols_free(&symbols);
    return 0;
}
