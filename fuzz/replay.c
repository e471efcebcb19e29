/* SPDX-License-Identifier: Apache-2.0 */
/* Hands each file of the given directories to a fuzz target, once: for compilers without libFuzzer. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
    for (int k = 1; k < argc; k++)
        n_files += replay_directory(argv[k]);
    printf("%d files replayed\n", n_files);
    return n_files > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
