// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// ELF programs made by hand with libelf: only the tables that say what a program needs. Header of tests only.
#ifndef WEIR_TESTS_150_PROGRAM_H
#define WEIR_TESTS_150_PROGRAM_H

#include "container.h"

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

struct made {
  const char *needed[4], *imports[8], *defined[4]; // up to a NULL
  const void *fatbin, *relfatbin;
  size_t fatbin_bytes, relfatbin_bytes;
  bool is_32bit;
};

struct names {
  char text[1024];
  size_t size;
};

static inline unsigned name_in(struct names *n, const char *name) {
  const size_t at = n->size;
  strcpy(n->text + at, name);
  n->size += strlen(name) + 1;
  return (unsigned)at;
}

struct maker {
  Elf *elf;
  struct names section_names, names;
  GElf_Dyn dynamic[8];
  GElf_Sym dynamic_symbols[16], symbols[16];
};

static inline size_t add_section(struct maker *m, const char *name, unsigned type, Elf_Type kind, const void *bytes,
                                 size_t size, size_t entry, size_t link) {
  Elf_Scn *section = elf_newscn(m->elf);
  Elf_Data *data = elf_newdata(section);
  data->d_buf = (void *)bytes, data->d_size = size, data->d_type = kind, data->d_align = 8;
  data->d_version = EV_CURRENT;
  GElf_Shdr header;
  gelf_getshdr(section, &header);
  header.sh_name = name_in(&m->section_names, name);
  header.sh_type = type, header.sh_entsize = entry, header.sh_link = (GElf_Word)link;
  gelf_update_shdr(section, &header);
  return elf_ndxscn(section);
}

static inline void make_tables(struct maker *m, const struct made *made) {
  size_t needed = 0, imports = 1, defined = 1;
  const size_t strings = add_section(m, ".dynstr", SHT_STRTAB, ELF_T_BYTE, m->names.text, sizeof m->names.text, 0, 0);
  m->names.size = 1;
  for (; needed < 4 && made->needed[needed]; needed++)
    m->dynamic[needed] = (GElf_Dyn){.d_tag = DT_NEEDED, .d_un.d_val = name_in(&m->names, made->needed[needed])};
  for (; imports <= 8 && made->imports[imports - 1]; imports++)
    m->dynamic_symbols[imports] = (GElf_Sym){.st_name = name_in(&m->names, made->imports[imports - 1])};
  for (; defined <= 4 && made->defined[defined - 1]; defined++)
    m->symbols[defined] = (GElf_Sym){.st_name = name_in(&m->names, made->defined[defined - 1]), .st_shndx = 1};
  if (needed || imports > 1)
    add_section(m, ".dynamic", SHT_DYNAMIC, ELF_T_DYN, m->dynamic, (needed + 1) * sizeof(GElf_Dyn), sizeof(GElf_Dyn),
                strings);
  if (imports > 1)
    add_section(m, ".dynsym", SHT_DYNSYM, ELF_T_SYM, m->dynamic_symbols, imports * sizeof(GElf_Sym), sizeof(GElf_Sym),
                strings);
  if (defined > 1)
    add_section(m, ".symtab", SHT_SYMTAB, ELF_T_SYM, m->symbols, defined * sizeof(GElf_Sym), sizeof(GElf_Sym), strings);
}

// Writes the program to `path`, which is a template of mkstemp. (A 32-bit one has no tables: their entries differ.)
static inline void make_program(char *path, const struct made *made) {
  struct maker m = {.section_names.size = 1};
  const int file = mkstemp(path);
  assert_true(file >= 0);
  elf_version(EV_CURRENT);
  m.elf = elf_begin(file, ELF_C_WRITE, NULL);
  gelf_newehdr(m.elf, made->is_32bit ? ELFCLASS32 : ELFCLASS64);
  GElf_Ehdr header;
  gelf_getehdr(m.elf, &header);
  header.e_ident[EI_DATA] = ELFDATA2LSB, header.e_type = ET_DYN, header.e_machine = EM_X86_64;
  if (!made->is_32bit) make_tables(&m, made);
  if (made->fatbin) add_section(&m, ".nv_fatbin", SHT_PROGBITS, ELF_T_BYTE, made->fatbin, made->fatbin_bytes, 0, 0);
  if (made->relfatbin)
    add_section(&m, "__nv_relfatbin", SHT_PROGBITS, ELF_T_BYTE, made->relfatbin, made->relfatbin_bytes, 0, 0);
  header.e_shstrndx = (GElf_Half)add_section(&m, ".shstrtab", SHT_STRTAB, ELF_T_BYTE, m.section_names.text,
                                             sizeof m.section_names.text, 0, 0);
  gelf_update_ehdr(m.elf, &header);
  assert_true(elf_update(m.elf, ELF_C_WRITE) > 0);
  elf_end(m.elf);
  close(file);
}

#endif
