/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For compilers without libFuzzer: hands each file of the given directories to a fuzz target, as it is, and some times
 * with bytes changed at random, more of them each time. REGRAD_TEST_SEED repeats the changes of a run.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { N_CHANGED = 10, MOST_CHANGES = 8 };

static void choose_seed(void)
{
    const char *text = getenv("REGRAD_TEST_SEED");
    const unsigned seed = text != NULL ? (unsigned)strtoul(text, NULL, 10) : (unsigned)time(NULL);
    printf("seed %u\n", seed);
    fflush(stdout); /* before anything can go wrong */
    srand(seed);
}

static void change(uint8_t *data, size_t size)
{
    for (int n = 1 + rand() % MOST_CHANGES; n > 0 && size > 0; n--)
        data[(size_t)rand() % size] = (uint8_t)rand();
}

/* The target gets memory of exactly the file's size, so that checkers see a read past its end. */
static void replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    const long size = ftell(file);
    rewind(file);
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
    if (data == NULL || fread(data, 1, (size_t)size, file) != (size_t)size) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    fclose(file);
    LLVMFuzzerTestOneInput(data, (size_t)size);
    for (int k = 0; k < N_CHANGED; k++) {
        change(data, (size_t)size);
        LLVMFuzzerTestOneInput(data, (size_t)size);
    }
    free(data);
}

static int replay_directory(const char *directory)
{
    DIR *entries = opendir(directory);
    if (entries == NULL) {
        perror(directory);
        exit(EXIT_FAILURE);
    }
    int n_files = 0;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        char path[4096];
        snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
        replay_file(path);
        n_files++;
    }
    closedir(entries);
    return n_files;
}

int main(int argc, char **argv)
{
    int n_files = 0;
    choose_seed();
    for (int k = 1; k < argc; k++)
        n_files += replay_directory(argv[k]);
    printf("%d files replayed\n", n_files);
    return n_files > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
