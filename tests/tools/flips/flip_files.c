/*
 * Bit flips and cuts of the files that the program keeps, many thousands in one process:
 * each is noticed by an error or a note that names the file, or changes nothing that is
 * loaded.
 *
 *   flip_files checkpoint|run|tokens|shard|tokenizer flip|cut FOLDER FILE…
 *              [--seed S] [--first I] [--count N]
 *
 * The files are within the folder, and are damaged and mended in place: it must be a
 * copy. A case is what its seed and number make of it. The number of each case goes to
 * stderr before it is tried, so that a crash has a name. Exit code 1: "silent" and
 * "unnamed" cases are listed. tests/campaign/flips runs it.
 */
#include "damage.h"
#include "guard.h"
#include "load_files.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS_A_CASE = 20, MEMORY_MIB = 2048 };

static const struct {
    const char *name;
    load_files *load;
} kinds[] = {
    {"checkpoint", load_checkpoint}, {"run", load_run},
    {"tokens", load_tokens},         {"shard", load_shard},
    {"tokenizer", load_tokenizer},
};

struct flips {
    load_files *load;
    enum damage_kind damage;
    const char *folder;
    struct damage_file *file; /* (files) */
    size_t files, cap;
    uint64_t seed, first, count;
    struct content_hash *hasher;
    struct content_hash_text sound; /* of the undamaged files */
    char *notes;                    /* what log_line() said of a case */
    size_t notes_len;
    uint64_t noticed, same, broken;
};

static _Noreturn void stop(const char *what, const char *about)
{
    fprintf(stderr, "flip_files: %s %s\n", what, about);
    exit(2);
}

static load_files *find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, name))
            return kinds[i].load;
    stop("there is no kind", name);
}

static void read_arguments(struct flips *f, int argc, char **argv)
{
    if (argc < 5)
        stop("needs a kind, flip or cut, a folder and", "its files");
    f->load = find_kind(argv[1]);
    f->damage = !strcmp(argv[2], "cut") ? DAMAGE_CUT : DAMAGE_FLIP;
    f->folder = argv[3];
    for (int i = 4; i < argc; i++) {
        uint64_t *number = !strcmp(argv[i], "--seed")    ? &f->seed
                           : !strcmp(argv[i], "--first") ? &f->first
                           : !strcmp(argv[i], "--count") ? &f->count
                                                         : NULL;
        if (number && i + 1 < argc) {
            *number = strtoull(argv[++i], NULL, 10);
            continue;
        }
        vec_grow(f->file, f->cap, f->files + 1);
        damage_file_init(&f->file[f->files++], f->folder, argv[i]);
    }
    if (!f->files)
        stop("names no file of", f->folder);
}

static enum status load(struct flips *f, struct content_hash_text *hash, struct err *err)
{
    content_hash_reset(f->hasher);
    enum status st = f->load(f->hasher, f->folder, err);
    *hash = content_hash_text(f->hasher);
    return st;
}

/* The file by its name, or the checkpoint that it is a part of. */
static bool is_named(const char *message, const char *name)
{
    const char *slash = strrchr(name, '/');
    if (strstr(message, slash ? slash + 1 : name))
        return true;
    if (!slash)
        return false;
    char *folder = mem_strndup(name, (size_t)(slash - name));
    bool named = strstr(message, folder);
    mem_free(folder);
    return named;
}

static void list(struct flips *f, const char *what, uint64_t number,
                 const struct damage *d, const char *message)
{
    f->broken++;
    printf("%s %llu %s ", what, (unsigned long long)number, d->file->name);
    if (d->kind == DAMAGE_FLIP)
        printf("bit %d of byte %zu%s%s\n", d->bit, d->at, *message ? ": " : "", message);
    else
        printf("cut to %zu of %zu bytes%s%s\n", d->at, d->file->n, *message ? ": " : "",
               message);
    fflush(stdout);
}

static void try_case(struct flips *f, uint64_t number)
{
    struct damage d = damage_choose(f->file, f->files, f->damage, f->seed, number);
    struct content_hash_text hash;
    struct err err = ERR_INIT;
    dprintf(STDERR_FILENO, "case %llu\n", (unsigned long long)number);
    guard_begin(d.file->name, SECONDS_A_CASE);
    damage_do(&d);
    rewind(stderr);
    enum status st = load(f, &hash, &err);
    fflush(stderr);
    f->notes[f->notes_len] = '\0'; /* behind it, what an earlier case said */
    damage_undo(&d);
    guard_end();
    if (st && !is_named(err.text, d.file->name))
        list(f, "unnamed", number, &d, err.text);
    else if (st)
        f->noticed++;
    else if (!strcmp(hash.s, f->sound.s))
        f->same++;
    else if (is_named(f->notes, d.file->name))
        f->noticed++;
    else
        list(f, "silent", number, &d, "");
}

/* The undamaged files load, and always to the same. */
static void check_sound(struct flips *f, const char *when)
{
    struct content_hash_text hash;
    struct err err = ERR_INIT;
    if (load(f, &hash, &err))
        stop(err.text, when);
    if (*f->sound.s && strcmp(hash.s, f->sound.s) != 0)
        stop("undamaged files give other results", when);
    f->sound = hash;
}

int main(int argc, char **argv)
{
    struct flips f = {.seed = 1, .count = 1000};
    read_arguments(&f, argc, argv);
    f.hasher = content_hash_new();
    check_sound(&f, "at the beginning");
    check_sound(&f, "at the second load");
    stderr = open_memstream(&f.notes, &f.notes_len); /* sanitizers use the descriptor */
    guard_memory(MEMORY_MIB);
    for (uint64_t i = f.first; i < f.first + f.count; i++)
        try_case(&f, i);
    fclose(stderr);
    stderr = fdopen(STDERR_FILENO, "w");
    check_sound(&f, "at the end");
    printf("done noticed %llu same %llu\n", (unsigned long long)f.noticed,
           (unsigned long long)f.same);
    content_hash_free(f.hasher);
    for (size_t i = 0; i < f.files; i++)
        damage_file_release(&f.file[i]);
    mem_free(f.file);
    free(f.notes);
    return f.broken ? 1 : 0;
}
