// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which programs a text names, and what they are to execute.
#include "run/mix.h"

#include "base/alloc.h"
#include "trace/programs.h"

#include <string.h>
#include <unistd.h>

// ---- names ----------------------------------------------------------------------------------------------------------

static char *trace_of(const char *program) { // freed by weir_free; NULL: no CPU program
  return weir_workload_find(program) ? NULL : weir_cpu_program_path(program);
}

bool weir_mix_is(const char *program) {
  if (strchr(program, '+') && access(program, F_OK)) return true;
  char *path = trace_of(program);
  bool cpu = path || (!weir_workload_find(program) && weir_cpu_program_find(program));
  weir_free(path);
  return cpu;
}

static const char *nearest_program(const char *name) {
  unsigned workload_count, cpu_count, count = 0;
  const struct weir_workload *const *workloads = weir_workloads(&workload_count);
  const struct weir_cpu_program *cpus = weir_cpu_programs(&cpu_count);
  const char **names = weir_new_array(const char *, workload_count + cpu_count);
  for (unsigned i = 0; i < workload_count; i++) names[count++] = workloads[i]->name;
  for (unsigned i = 0; i < cpu_count; i++) names[count++] = cpus[i].name;
  const char *nearest = weir_nearest(name, names, count);
  weir_free(names);
  return nearest;
}

static bool refuse_unknown(const char *program, const char *name, struct weir_sink *sink) {
  const char *nearest = nearest_program(name);
  char *of = strcmp(program, name) ? weir_text_format(" of '%s'", program) : weir_text_copy("");
  if (nearest)
    weir_fail_plain(sink, "no workload, CPU program or file '%s'%s; did you mean '%s'?", name, of, nearest);
  else
    weir_fail_plain(sink,
                    "no workload, CPU program or file '%s'%s (weir list workloads and weir list cpu-programs name "
                    "them)",
                    name, of);
  weir_free(of);
  return false;
}

static bool refuse_unrecorded(const char *name, struct weir_sink *sink) {
  return weir_fail_plain(
    sink,
    "no trace of the CPU program '%s' is here: neither workloads/cpu/traces/%s.wtrace of weir's data, "
    "nor one in the folder that WEIR_CPU_TRACES names (docs/TRACES.md)",
    name, name);
}

static bool add_cpu(struct weir_mix *m, const char *program, const char *name, char *path, struct weir_sink *sink) {
  if (m->cpus == WEIR_MIX_CPUS) {
    weir_free(path);
    return weir_fail_plain(sink, "'%s' has more than %d CPU programs", program, (int)WEIR_MIX_CPUS);
  }
  m->names[m->cpus] = weir_text_copy(name);
  m->paths[m->cpus++] = path;
  return true;
}

static bool add_gpu(struct weir_mix *m, const char *program, const char *name, struct weir_sink *sink) {
  if (m->gpu)
    return weir_fail_plain(sink, "'%s' has two programs for the GPU, '%s' and '%s': it runs one at a time", program,
                           m->gpu, name);
  m->gpu = weir_text_copy(name);
  return true;
}

static bool add(struct weir_mix *m, const char *program, const char *name, struct weir_sink *sink) {
  if (!*name) return weir_fail_plain(sink, "'%s' names no program on one side of a '+'", program);
  char *path = trace_of(name);
  if (path) return add_cpu(m, program, name, path, sink);
  if (weir_workload_find(name)) return add_gpu(m, program, name, sink);
  if (weir_cpu_program_find(name)) return refuse_unrecorded(name, sink);
  return access(name, R_OK) ? refuse_unknown(program, name, sink) : add_gpu(m, program, name, sink);
}

bool weir_mix_read(struct weir_mix *m, const char *program, struct weir_sink *sink) {
  *m = (struct weir_mix){0};
  bool ok = true, whole = !access(program, F_OK); // a path, whatever is in it
  char *copy = weir_text_copy(program), *rest = copy;
  if (whole) ok = add(m, program, program, sink);
  for (char *name; !whole && (name = strsep(&rest, "+"));) ok &= add(m, program, name, sink);
  weir_free(copy);
  if (!ok) weir_mix_release(m);
  return ok;
}

void weir_mix_release(struct weir_mix *m) {
  for (unsigned i = 0; i < m->cpus; i++) {
    weir_free(m->names[i]);
    weir_free(m->paths[i]);
  }
  weir_free(m->gpu);
  *m = (struct weir_mix){0};
}

// ---- counts ---------------------------------------------------------------------------------------------------------

// Holey et al., section 4, has 500 million of each CPU program and 150 million of the GPU's; a small mix has a little
// less than a hundredth of that, so that a run takes seconds, but is warmed up, as it would otherwise be its caches'
// first fills alone.
static const struct weir_mix_counts defaults[] = {
  [WEIR_SIZE_SMALL] = {.cpu = 4000000, .gpu = 1200000, .warmup = 8000000},
  [WEIR_SIZE_PAPER] = {.cpu = 500000000, .gpu = 150000000, .warmup = 0},
};

struct weir_mix_counts weir_mix_counts_of(const struct weir_mix_counts *asked, enum weir_size size, bool alone) {
  const struct weir_mix_counts *d = &defaults[size];
  return (struct weir_mix_counts){
    .cpu = asked->cpu ? asked->cpu : d->cpu,
    .gpu = asked->gpu ? asked->gpu
      : alone         ? 0
                      : d->gpu,
    .warmup = asked->warmup == WEIR_NO_WARMUP ? 0
      : asked->warmup                         ? asked->warmup
                                              : d->warmup,
  };
}

bool weir_mix_counts_given(const struct weir_mix_counts *asked) {
  return asked->cpu || asked->gpu || asked->warmup;
}

bool weir_mix_counts_meant(const struct weir_mix_counts *asked, const char *const *programs, unsigned count,
                           const struct weir_chip_config *chip, struct weir_sink *sink) {
  bool cpu = false, gpu = false, cores = chip && weir_chip_cpu_cores(chip);
  for (unsigned i = 0; i < count; i++) {
    struct weir_mix m;
    if (!weir_mix_read(&m, programs[i], sink)) return false;
    cpu |= m.cpus;
    gpu |= m.gpu && cores;
    weir_mix_release(&m);
  }
  const char *beside = asked->gpu && !gpu ? "--gpu-instructions"
    : asked->cpu && !cpu                  ? "--cpu-instructions"
    : asked->warmup && !cpu               ? "--warmup"
                                          : NULL;
  return !beside ||
    weir_fail_plain(sink, "%s has no meaning for %s: it is for programs of %s (docs/MIXES.md)", beside,
                    count == 1 ? programs[0] : "any of the programs",
                    beside[2] == 'g' ? "the GPU on a chip with CPU cores" : "CPU cores");
}
