/* Reads the files in waves: the given ones, those they import, those that these import. */
#ifdef GAIT_TREE_SITTER
#include "source/source_project.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "source/python_tree.h"
#include "source/source_match.h"
#include "source/source_requirements.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct wave {
    struct source_project *project;
    const struct source_input *inputs; /* of the given units */
    size_t n_inputs;
    atomic_size_t next;
    size_t end;
    pthread_mutex_t lock; /* of the project's text */
};

static void fail(struct wave *w, struct source_unit *u, const struct err *err)
{
    pthread_mutex_lock(&w->lock);
    u->failure = arena_strdup(&w->project->text, err->text);
    pthread_mutex_unlock(&w->lock);
    u->status = err->status;
}

static void read_unit(struct wave *w, size_t row)
{
    struct source_unit *u = &w->project->units[row];
    struct err err = ERR_INIT;
    const char *text = row < w->n_inputs ? w->inputs[row].text : NULL;
    size_t len = text ? w->inputs[row].len : 0;
    char *own = NULL;
    enum status st = STATUS_OK;
    if (!text) {
        st = file_read(&own, &len, u->path, SOURCE_FILE_BYTES_MAX, &err);
        text = own;
    }
    if (!st)
        st = source_file_read(&u->file, w->project->query, text, len, u->path, &err);
    if (st)
        fail(w, u, &err);
    if (own)
        mem_free(own);
}

static void *work(void *context)
{
    struct wave *w = context;
    for (size_t i; (i = atomic_fetch_add(&w->next, 1)) < w->end;)
        read_unit(w, i);
    return NULL;
}

static void read_wave(struct wave *w, size_t begin, int threads)
{
    enum { THREADS_MAX = 64 };
    pthread_t thread[THREADS_MAX];
    int n = 0, most = threads < THREADS_MAX ? threads : THREADS_MAX;
    atomic_store(&w->next, begin);
    w->end = w->project->n;
    if (w->end - begin < (size_t)most)
        most = (int)(w->end - begin);
    while (n < most - 1 && !pthread_create(&thread[n], NULL, work, w))
        n++;
    work(w);
    while (n)
        pthread_join(thread[--n], NULL);
}

/* The absolute folder of a path; asked of the system once for each folder. */
static const char *real_folder(struct source_project *p, const char *path)
{
    char *folder = path_folder(path);
    size_t known = p->folders.n;
    name_id id = names_add_z(&p->folders, folder);
    if (p->folders.n > known) {
        char *real = realpath(folder, NULL);
        vec_grow(p->real, p->cap_real, p->folders.n);
        p->real[id] = arena_strdup(&p->text, real ? real : folder);
        free(real);
    }
    mem_free(folder);
    return p->real[id];
}

static int32_t *unit_of_path(struct source_project *p, const char *folder,
                             const char *file)
{
    char *path = path_join(folder, file);
    size_t known = p->paths.n;
    name_id id = names_add_z(&p->paths, path);
    mem_free(path);
    vec_grow(p->unit_of_path, p->cap_paths, p->paths.n);
    if (p->paths.n > known)
        p->unit_of_path[id] = -2; /* not asked yet */
    return &p->unit_of_path[id];
}

static int32_t add_unit(struct source_project *p, const char *path, const char *folder,
                        bool given)
{
    vec_grow(p->units, p->cap, p->n + 1);
    p->units[p->n] = (struct source_unit){
        .path = arena_strdup(&p->text, path), .folder = folder, .given = given};
    source_facts_init(&p->units[p->n].file.facts);
    return (int32_t)p->n++;
}

/* The unit of FOLDER/FILE, -1 where there is no such file. */
static int32_t unit_at(struct source_project *p, const char *folder, const char *file,
                       bool add)
{
    int32_t *unit = unit_of_path(p, folder, file);
    if (*unit != -2 || !add)
        return *unit < 0 ? -1 : *unit;
    char *path = path_join(folder, file);
    bool is = file_exists(path) && !file_is_dir(path);
    if (!is)
        *unit = -1;
    else
        *unit = add_unit(p, path, real_folder(p, path), false);
    int32_t found = *unit;
    mem_free(path);
    return found;
}

/* a/b.py or a/b/__init__.py below a folder, for module "a.b". */
static int32_t module_below(struct source_project *p, const char *folder,
                            const char *module, bool add)
{
    enum { MODULE_MAX = 200 };
    char file[MODULE_MAX + 16];
    size_t n = strlen(module);
    if (!n || n > MODULE_MAX)
        return -1;
    for (size_t i = 0; i <= n; i++)
        file[i] = module[i] == '.' ? '/' : module[i];
    strcpy(file + n, ".py");
    int32_t unit = unit_at(p, folder, file, add);
    if (unit >= 0)
        return unit;
    strcpy(file + n, "/__init__.py");
    return unit_at(p, folder, file, add);
}

/* Up one folder, in place; false at the top. */
static bool go_up(char *folder)
{
    char *slash = strrchr(folder, '/');
    if (!slash || !slash[1])
        return false;
    slash[slash == folder] = '\0';
    return true;
}

/* Above such a folder there is no more of the project. */
static bool is_top(const char *folder)
{
    static const char *const marks[] = {".git", "pyproject.toml", "setup.py"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        char *path = path_join(folder, marks[i]);
        bool there = file_exists(path);
        mem_free(path);
        if (there)
            return true;
    }
    return false;
}

int32_t source_module_find(struct source_project *p, int32_t unit, const char *module,
                           bool add)
{
    enum { LEVELS_MAX = 6 };
    char *folder = mem_strdup(p->units[unit].folder);
    bool relative = *module == '.';
    int32_t found = -1;
    while (relative && *++module == '.')
        if (!go_up(folder))
            break;
    found = module_below(p, folder, module, add);
    for (int i = 0; i < LEVELS_MAX && found < 0 && !relative; i++) {
        if ((add && is_top(folder)) || !go_up(folder))
            break;
        found = module_below(p, folder, module, add);
    }
    mem_free(folder);
    return found;
}

static int compare_ints(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* "a.b.f" is f of a.b, and "a" only the folder of a.b. */
static bool is_part_of_another(const struct source_facts *f, size_t module,
                               const bool *found)
{
    const char *name = f->modules[module];
    size_t n = strlen(name);
    for (size_t i = 0; i < f->n_modules; i++) {
        const char *other = f->modules[i];
        size_t m = strlen(other), common = m < n ? m : n;
        bool dots = strspn(other, ".") == common || strspn(name, ".") == common;
        if (found[i] && !strncmp(name, other, common) &&
            (m == n || dots || (m > n ? other[n] : name[m]) == '.'))
            return true;
    }
    return false;
}

static void note_open(struct source_facts *f, const bool *found)
{
    enum {
        IMPORTS_MAX = 400
    }; /* more than people write: the program may hold anything */
    f->is_open = f->n_modules > IMPORTS_MAX;
    for (size_t i = 0; i < f->n_modules && !f->is_open; i++)
        f->is_open = !found[i] && !source_library_is_passive(f->modules[i]) &&
                     !is_part_of_another(f, i, found);
}

/* The units that a unit imports, each once; they may be new. */
static int32_t *units_imported(struct source_project *p, int32_t unit, size_t *kept)
{
    /* Not &p->units[unit]: a new unit may move them all. */
    const struct source_facts facts = p->units[unit].file.facts;
    size_t n = 0;
    int32_t *found = mem_zalloc(facts.n_modules + 1, sizeof *found);
    bool *is_there = mem_zalloc(facts.n_modules + 1, sizeof *is_there);
    for (size_t i = 0; i < facts.n_modules; i++) {
        bool add = p->n < SOURCE_IMPORTED_MAX || p->units[unit].given;
        int32_t u = source_module_find(p, unit, facts.modules[i], add);
        is_there[i] = u >= 0;
        if (u >= 0 && u != unit)
            found[n++] = u;
    }
    note_open(&p->units[unit].file.facts, is_there);
    mem_free(is_there);
    qsort(found, n, sizeof *found, compare_ints);
    *kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!*kept || found[*kept - 1] != found[i])
            found[(*kept)++] = found[i];
    return found;
}

static void resolve_imports(struct source_project *p, int32_t unit)
{
    size_t n;
    int32_t *found = units_imported(p, unit, &n);
    struct source_unit *u = &p->units[unit];
    u->imports = arena_alloc(&p->text, (n + 1) * sizeof *found);
    memcpy(u->imports, found, n * sizeof *found);
    u->n_imports = (int32_t)n;
    for (size_t i = 0; i < n; i++)
        p->units[found[i]].imported = true;
    mem_free(found);
}

/* What the project of a folder asks for. */
static enum torch_age torch_age_of(const char *folder)
{
    enum { LEVELS_MAX = 6 };
    char *up = mem_strdup(folder);
    enum torch_age age = requirements_torch_age(up);
    for (int i = 0; i < LEVELS_MAX && age == TORCH_ANY && !is_top(up) && go_up(up); i++)
        age = requirements_torch_age(up);
    mem_free(up);
    return age;
}

/* Asked once for each folder. */
struct torch_ages {
    struct names folders;
    enum torch_age *ages; /* (folders) */
    size_t cap;
};

static enum torch_age torch_age_known(struct torch_ages *a, const char *folder)
{
    size_t known = a->folders.n;
    name_id id = names_add_z(&a->folders, folder);
    vec_grow(a->ages, a->cap, a->folders.n);
    if (a->folders.n > known)
        a->ages[id] = torch_age_of(folder);
    return a->ages[id];
}

/* test_train.py, conftest.py, bench.py, and what lies in tests/ or benchmarks/ itself */
static bool is_trial(const char *path)
{
    static const char *const folders[] = {"tests", "test", "benchmarks", "benchmark"};
    const char *file = path_name(path);
    size_t stem = strcspn(file, ".");
    bool named = !strncmp(file, "test_", 5) || !strcmp(file, "conftest.py") ||
                 !strncmp(file, "bench_", 6) || !strncmp(file, "benchmark_", 10) ||
                 (stem == 5 && !strncmp(file, "bench", 5)) ||
                 (stem == 9 && !strncmp(file, "benchmark", 9));
    char *folder = path_folder(path);
    const char *within = path_name(folder);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        named |= !strcmp(within, folders[i]);
    mem_free(folder);
    return named;
}

static bool has_folder(const char *path, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = path; (at = strstr(at, name)); at += n)
        if (at[n] == '/' && (at == path || at[-1] == '/'))
            return true;
    return false;
}

static bool takes_steps(const struct source_facts *f)
{
    for (size_t i = 0; i < f->n_places; i++)
        if (f->places[i].backward || f->places[i].step)
            return true;
    return false;
}

/* Of a folder of what uses trained models, and takes no step itself. */
static bool is_for_inference(const struct source_unit *u)
{
    return (has_folder(u->path, "inference") || has_folder(u->path, "demo")) &&
           !takes_steps(&u->file.facts);
}

/* What the other files and those beside them say of each. */
static void note_surroundings(struct source_project *p)
{
    struct torch_ages ages = {0};
    names_init(&ages.folders);
    for (size_t u = 0; u < p->n; u++) {
        enum torch_age age = torch_age_known(&ages, p->units[u].folder);
        struct source_facts *f = &p->units[u].file.facts;
        f->imported = p->units[u].imported;
        f->is_trial = is_trial(p->units[u].path) || is_for_inference(&p->units[u]);
        f->old_torch |= age == TORCH_OLD;
        f->recent_torch |= age == TORCH_RECENT;
    }
    mem_free(ages.ages);
    names_release(&ages.folders);
}

void source_project_read(struct source_project *p, const struct source_query *q,
                         const struct source_input *inputs, size_t n, int threads)
{
    *p = (struct source_project){.query = q};
    arena_init(&p->text);
    names_init(&p->folders);
    names_init(&p->paths);
    vec_grow(p->real, p->cap_real, 1);
    vec_grow(p->unit_of_path, p->cap_paths, 1);
    p->real[0] = "";
    p->unit_of_path[0] = -1;
    struct wave w = {.project = p, .inputs = inputs, .n_inputs = n};
    pthread_mutex_init(&w.lock, NULL);
    for (size_t i = 0; i < n; i++) {
        const char *folder = real_folder(p, inputs[i].path);
        int32_t unit = add_unit(p, inputs[i].path, folder, true);
        *unit_of_path(p, folder, path_name(inputs[i].path)) = unit;
    }
    for (size_t begin = 0; begin < p->n;) {
        size_t end = p->n;
        read_wave(&w, begin, threads);
        for (; begin < end; begin++)
            resolve_imports(p, (int32_t)begin);
    }
    pthread_mutex_destroy(&w.lock);
    note_surroundings(p);
    source_link(p);
}

void source_project_release(struct source_project *p)
{
    for (size_t i = 0; i < p->n; i++)
        source_file_release(&p->units[i].file);
    mem_free(p->units);
    names_release(&p->folders);
    names_release(&p->paths);
    mem_free(p->real);
    mem_free(p->unit_of_path);
    arena_release(&p->text);
}
#endif
