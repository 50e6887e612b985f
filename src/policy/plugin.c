// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Policies from shared objects. An object is taken whole or not at all, and stays loaded as long as the process lives.
#include "policy/host.h"
#include "policy/registry.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_PATH_BYTES = 4096 };

// Whether an earlier entry of the same plugin, or a known policy, has the kind and name of plugin[index].
static bool is_taken(const struct weir_policy *const *plugin, unsigned index) {
  const struct weir_policy *p = plugin[index];
  for (unsigned i = 0; i < index; i++)
    if (plugin[i]->kind == p->kind && !strcmp(plugin[i]->name, p->name)) return true;
  return weir_policy_find(p->kind, p->name);
}

// False, and a message, if the plugin cannot be taken.
static bool check(const struct weir_policy *const *plugin, char *message, size_t size) {
  unsigned known, count = 0;
  weir_policies(&known);
  for (; plugin[count]; count++) {
    const struct weir_policy *p = plugin[count];
    if (p->abi != WEIR_POLICY_ABI) { // which also says where the name is: not to be looked for
      snprintf(
        message, size,
        "policy %u was built for version %d of the policy contract, and this weir has version %d: build it again "
        "with this weir's headers (docs/WRITING-A-POLICY.md)",
        count + 1, p->abi, WEIR_POLICY_ABI);
      return false;
    }
    const char *flaw = weir_policy_flaw(p);
    if (flaw) {
      snprintf(message, size, "policy %u ('%s') is flawed: %s", count + 1, p->name ? p->name : "?", flaw);
      return false;
    }
    if (is_taken(plugin, count)) {
      snprintf(message, size, "there is already a %s policy called '%s'", weir_policy_kind_name(p->kind), p->name);
      return false;
    }
  }
  if (!count)
    snprintf(message, size, "its weir_plugin lists no policy");
  else if (known + count > WEIR_MAX_POLICIES)
    snprintf(message, size, "there would be more than %d policies", WEIR_MAX_POLICIES);
  else
    return true;
  return false;
}

// Whether the file ends before what its program headers say is in it: the loader would map that and die of SIGBUS. Anything
// else that is wrong with the file, the loader says.
static bool is_cut_off(const char *path) {
  struct stat st;
  Elf64_Ehdr head;
  Elf64_Phdr part;
  FILE *f = fopen(path, "rb");
  if (!f) return false;
  bool other = fstat(fileno(f), &st) || fread(&head, sizeof head, 1, f) != 1 || memcmp(head.e_ident, ELFMAG, SELFMAG) ||
    head.e_ident[EI_CLASS] != ELFCLASS64 || fseek(f, (long)head.e_phoff, SEEK_SET);
  bool cut = false;
  for (unsigned i = 0; !other && !cut && i < head.e_phnum; i++)
    cut = fread(&part, sizeof part, 1, f) != 1 ||
      (part.p_type == PT_LOAD && part.p_offset + part.p_filesz > (uint64_t)st.st_size);
  fclose(f);
  return cut;
}

const char *weir_policy_load(const char *path, char *message, size_t size) {
  // A bare name would be searched in the system's library folders; the user means a file here.
  char full[MAX_PATH_BYTES];
  snprintf(full, sizeof full, "%s%s", strchr(path, '/') ? "" : "./", path);
  if (is_cut_off(full)) {
    snprintf(message, size, "it is cut off: the file is shorter than its own headers say");
    return message;
  }
  void *object = dlopen(full, RTLD_NOW | RTLD_LOCAL);
  if (!object) {
    snprintf(message, size, "it cannot be loaded: %s", dlerror());
    return message;
  }
  const struct weir_policy *const *plugin = dlsym(object, "weir_plugin");
  if (!plugin) snprintf(message, size, "it does not export 'weir_plugin', an array of policies that ends with NULL");
  if (!plugin || !check(plugin, message, size)) {
    dlclose(object);
    return message;
  }
  for (; *plugin; plugin++) weir_policy_register(*plugin);
  return NULL;
}
