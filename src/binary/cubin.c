// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "binary/cubin.h"

#include "base/alloc.h"

#include <gelf.h>
#include <string.h>

// .nv.info is a list of attributes: a byte that gives the form, a byte that names it, then 16 bits. Of form SIZED these are
// the number of bytes that follow, of the others the value itself.
enum { FORM_SIZED = 4, ATTRIBUTE_REGISTERS = 0x2f };
enum { ATTRIBUTE_BYTES = 4, REGISTERS_BYTES = 8 }; // of REGISTERS: a symbol's index, and its registers
enum { MOST_REGISTERS = 65535 };

struct reader {
  Elf *elf;
  struct weir_place place;
  struct weir_sink *sink;
  struct weir_cubin_kernel *kernels;
  unsigned count, capacity;
};

static uint32_t number(const uint8_t *bytes, size_t count) {
  uint32_t value = 0;
  for (size_t k = 0; k < count; k++) value |= (uint32_t)bytes[k] << (8 * k);
  return value;
}

static Elf_Scn *section_of_type(Elf *elf, uint32_t type, GElf_Shdr *header) {
  for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));)
    if (gelf_getshdr(s, header) && header->sh_type == type) return s;
  return NULL;
}

static const char *symbol_name(struct reader *r, uint32_t index) {
  GElf_Shdr header;
  GElf_Sym symbol;
  Elf_Scn *section = section_of_type(r->elf, SHT_SYMTAB, &header);
  Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
  if (!data || index > INT32_MAX || !gelf_getsym(data, (int)index, &symbol)) return NULL;
  return elf_strptr(r->elf, header.sh_link, symbol.st_name);
}

static bool add(struct reader *r, uint32_t symbol, uint32_t registers) {
  const char *name = symbol_name(r, symbol);
  if (!name) return weir_fail(r->sink, r->place, "machine code: .nv.info names symbol %u, which is not there", symbol);
  if (!registers || registers > MOST_REGISTERS)
    return weir_fail(r->sink, r->place, "machine code: .nv.info gives '%s' %u registers", name, registers);
  *weir_push(r->kernels, r->count, r->capacity) = (struct weir_cubin_kernel){weir_text_copy(name), registers};
  return true;
}

static bool read_attributes(struct reader *r, const uint8_t *at, size_t left) {
  while (left >= ATTRIBUTE_BYTES) {
    const uint32_t value = number(at + 2, 2);
    const size_t bytes = ATTRIBUTE_BYTES + (at[0] == FORM_SIZED ? value : 0);
    if (bytes > left) return weir_fail(r->sink, r->place, "machine code: .nv.info ends within an attribute");
    const bool counts = at[0] == FORM_SIZED && at[1] == ATTRIBUTE_REGISTERS && value >= REGISTERS_BYTES;
    if (counts && !add(r, number(at + 4, 4), number(at + 8, 4))) return false;
    at += bytes;
    left -= bytes;
  }
  return true;
}

static bool read_all(struct reader *r) {
  size_t names;
  if (elf_kind(r->elf) != ELF_K_ELF || elf_getshdrstrndx(r->elf, &names))
    return weir_fail(r->sink, r->place, "the fat binary's machine code is no ELF file");
  for (Elf_Scn *s = NULL; (s = elf_nextscn(r->elf, s));) {
    GElf_Shdr header;
    const char *name = gelf_getshdr(s, &header) ? elf_strptr(r->elf, names, header.sh_name) : NULL;
    Elf_Data *data = name && !strcmp(name, ".nv.info") ? elf_rawdata(s, NULL) : NULL;
    if (data && data->d_buf) return read_attributes(r, data->d_buf, data->d_size);
  }
  return true;
}

struct weir_cubin_kernel *weir_cubin_kernels(const void *data, size_t bytes, struct weir_place place, unsigned *count,
                                             struct weir_sink *sink) {
  elf_version(EV_CURRENT);
  struct reader r = {
    .place = place, .sink = sink, .kernels = weir_new_array(struct weir_cubin_kernel, 1), .capacity = 1};
  char *own = weir_alloc(bytes ? bytes : 1); // libelf wants memory that it may write
  memcpy(own, data, bytes);
  r.elf = elf_memory(own, bytes);
  const bool ok = r.elf ? read_all(&r) : weir_fail(sink, place, "the fat binary's machine code is no ELF file");
  if (r.elf) elf_end(r.elf);
  weir_free(own);
  *count = ok ? r.count : 0;
  if (ok) return r.kernels;
  weir_cubin_free(r.kernels, r.count);
  return NULL;
}

void weir_cubin_free(struct weir_cubin_kernel *kernels, unsigned count) {
  for (unsigned k = 0; k < count; k++) weir_free(kernels[k].name);
  weir_free(kernels);
}
