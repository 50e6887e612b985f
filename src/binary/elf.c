// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "binary/elf.h"

#include "base/alloc.h"
#include "base/file.h"
#include "binary/fatbin.h"

#include <ctype.h>
#include <gelf.h>
#include <string.h>

struct reader {
  struct weir_binary *b;
  Elf *elf;
  struct weir_place place;
  struct weir_sink *sink;
  bool defines_cudart; // a function of the CUDA runtime is in its symbol table
};

static bool starts(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

static void add_name(char ***names, unsigned *count, unsigned *capacity, const char *name) {
  *weir_push(*names, *count, *capacity) = weir_text_copy(name);
}

static void read_dynamic(struct reader *r, Elf_Data *data, const GElf_Shdr *header) {
  struct weir_binary *b = r->b;
  GElf_Dyn entry;
  bool rpath = false, runpath = false;
  for (int k = 0; gelf_getdyn(data, k, &entry) && entry.d_tag != DT_NULL; k++) {
    const char *name = entry.d_tag == DT_NEEDED ? elf_strptr(r->elf, header->sh_link, (size_t)entry.d_un.d_val) : NULL;
    if (name) add_name(&b->needed, &b->needed_count, &b->needed_capacity, name);
    rpath |= entry.d_tag == DT_RPATH;
    runpath |= entry.d_tag == DT_RUNPATH;
  }
  b->fixed_paths = rpath && !runpath;
}

static void read_symbols(struct reader *r, Elf_Data *data, const GElf_Shdr *header) {
  struct weir_binary *b = r->b;
  GElf_Sym symbol;
  for (int k = 0; gelf_getsym(data, k, &symbol); k++) {
    const char *name = elf_strptr(r->elf, header->sh_link, symbol.st_name);
    if (!name || !*name) continue;
    const bool undefined = symbol.st_shndx == SHN_UNDEF;
    if (undefined && header->sh_type == SHT_DYNSYM) add_name(&b->imports, &b->import_count, &b->import_capacity, name);
    if (!undefined && strcmp(name, "cudaMalloc") == 0) r->defines_cudart = true;
  }
}

// Containers, each aligned to 8 bytes, with nothing or zeros between them.
static bool read_images(struct reader *r, const uint8_t *bytes, size_t size, bool relocatable) {
  for (size_t at = 0; size - at >= 16;) {
    size_t whole = weir_fatbin_size(bytes + at);
    if (whole) {
      unsigned count;
      struct weir_fatbin_entry *entries = weir_fatbin_entries(bytes + at, size - at, r->place, &count, r->sink);
      if (!entries) return false;
      struct weir_binary *b = r->b;
      *weir_push(b->images, b->image_count, b->image_capacity) =
        (struct weir_binary_image){bytes + at, whole, relocatable};
      b->has_ptx |= weir_fatbin_best(entries, count, 0) != NULL;
      weir_free(entries);
    }
    whole = whole ? (whole + 7) & ~(size_t)7 : 8;
    if (whole > size - at) return true;
    at += whole;
  }
  return true;
}

// The section's bytes in the file: they are read where they lie, so that they must be there.
static bool read_device_code(struct reader *r, const GElf_Shdr *header, bool relocatable, size_t file_bytes) {
  if (header->sh_type == SHT_NOBITS) return true;
  if (header->sh_offset > file_bytes || header->sh_size > file_bytes - header->sh_offset)
    return weir_fail(r->sink, r->place, "its device code lies past the end of the file");
  r->b->has_fatbin = true;
  return read_images(r, (const uint8_t *)r->b->file + header->sh_offset, (size_t)header->sh_size, relocatable);
}

static bool read_section(struct reader *r, Elf_Scn *section, size_t names, size_t file_bytes) {
  GElf_Shdr header;
  if (!gelf_getshdr(section, &header)) return true;
  const char *name = elf_strptr(r->elf, names, header.sh_name);
  if (name && strcmp(name, ".nv_fatbin") == 0) return read_device_code(r, &header, false, file_bytes);
  if (name && strcmp(name, "__nv_relfatbin") == 0) return read_device_code(r, &header, true, file_bytes);
  const bool dynamic = header.sh_type == SHT_DYNAMIC;
  const bool symbols = header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB;
  Elf_Data *data = dynamic || symbols ? elf_getdata(section, NULL) : NULL;
  if (data && dynamic) read_dynamic(r, data, &header);
  if (data && symbols) read_symbols(r, data, &header);
  return true;
}

// cuInit, but not cublasCreate; of these, one that weir has not.
static bool is_driver_call(const char *name) {
  static const char *const provided[] = {
#define X(name) #name,
#include "binary/driver_calls.def"
#undef X
  };
  for (unsigned k = 0; k < sizeof provided / sizeof *provided; k++)
    if (!strcmp(name, provided[k])) return false;
  return name[0] == 'c' && name[1] == 'u' && isupper((unsigned char)name[2]);
}

static bool needs(const struct weir_binary *b, const char *library) {
  for (unsigned k = 0; k < b->needed_count; k++)
    if (starts(b->needed[k], library)) return true;
  return false;
}

static bool is_registration(const char *name) {
  static const char *const calls[] = {"Function", "Var", "HostVar", "ManagedVar", "Texture", "Surface"};
  if (!starts(name, "__cudaRegister")) return false;
  for (unsigned k = 0; k < sizeof calls / sizeof *calls; k++)
    if (!strcmp(name + strlen("__cudaRegister"), calls[k])) return true;
  return false;
}

static void conclude(struct reader *r) {
  struct weir_binary *b = r->b;
  b->is_static = b->needed_count == 0;
  for (unsigned k = 0; k < b->import_count; k++) {
    b->driver_api |= is_driver_call(b->imports[k]);
    b->needs_device_code |= is_registration(b->imports[k]);
  }
  // Device code has to be registered with a runtime. Where that is not imported, it is inside: true of stripped programs.
  const bool imported = needs(b, "libcudart.so") || weir_binary_imports(b, "__cudaRegisterFatBinary");
  b->static_cudart = r->defines_cudart || (b->has_fatbin && !imported && !b->driver_api);
}

static bool read_elf(struct reader *r, size_t bytes) {
  size_t names;
  r->b->is_32bit = gelf_getclass(r->elf) == ELFCLASS32;
  if (elf_getshdrstrndx(r->elf, &names))
    return weir_fail(r->sink, r->place, "it has no table of sections, which say what is in it");
  for (Elf_Scn *section = NULL; (section = elf_nextscn(r->elf, section));)
    if (!read_section(r, section, names, bytes)) return false;
  conclude(r);
  return true;
}

bool weir_binary_read(struct weir_binary *b, const char *path, struct weir_sink *sink) {
  struct reader r = {.b = b, .place = {.file = path}, .sink = sink};
  size_t bytes;
  *b = (struct weir_binary){0};
  b->file = weir_file_read(path, 0, &bytes, sink);
  if (!b->file) return false;
  b->is_script = starts(b->file, "#!");
  if (b->is_script) return true;
  elf_version(EV_CURRENT);
  r.elf = elf_memory(b->file, bytes);
  const bool ok = r.elf && elf_kind(r.elf) == ELF_K_ELF ? read_elf(&r, bytes)
                                                        : weir_fail(sink, r.place, "neither an ELF file nor a script");
  elf_end(r.elf);
  if (!ok) weir_binary_free(b);
  return ok;
}

static void free_names(char **names, unsigned count) {
  for (unsigned k = 0; k < count; k++) weir_free(names[k]);
  weir_free(names);
}

void weir_binary_free(struct weir_binary *b) {
  free_names(b->needed, b->needed_count);
  free_names(b->imports, b->import_count);
  weir_free(b->images);
  weir_free(b->file);
  *b = (struct weir_binary){0};
}

bool weir_binary_imports(const struct weir_binary *b, const char *name) {
  for (unsigned k = 0; k < b->import_count; k++)
    if (strcmp(b->imports[k], name) == 0) return true;
  return false;
}

bool weir_binary_check(const struct weir_binary *b, const char *path, struct weir_sink *sink) {
  const struct weir_place place = {.file = path};
  if (b->is_script) return true;
  const size_t errors = sink->errors;
  if (b->is_32bit) return weir_fail(sink, place, "it is a 32-bit program; weir's libraries are 64-bit ones");
  if (b->is_static)
    weir_fail(sink, place,
              "it is linked statically, so that no library can be put in front of it; link it without -static");
  else if (b->static_cudart)
    weir_fail(sink, place,
              "the CUDA runtime is linked into it; relink it with 'nvcc -cudart shared' (clang: -lcudart, not "
              "-lcudart_static), so that weir's runtime can take its place");
  if (b->needs_device_code && b->has_fatbin && !b->has_ptx)
    weir_fail(sink, place,
              "it has device code as machine code only; compile it with PTX too: "
              "-gencode arch=compute_75,code=compute_75 (clang: --cuda-include-ptx=all)");
  if (b->driver_api)
    weir_fail(sink, place,
              "it calls CUDA's driver API (cu… functions); weir runs programs of the CUDA runtime API and of OpenCL");
  return sink->errors == errors;
}

static const struct {
  const char *file, *name;
} kernel_libraries[] = {
  {"libcublas.so", "cuBLAS"},  {"libcublasLt.so", "cuBLAS"}, {"libcusparse.so", "cuSPARSE"}, {"libcudnn", "cuDNN"},
  {"libcufft", "cuFFT"},       {"libcurand.so", "cuRAND"},   {"libcusolver", "cuSOLVER"},    {"libnpp", "NPP"},
  {"libcutensor", "cuTENSOR"}, {"libnccl.so", "NCCL"},       {"libnvjpeg.so", "nvJPEG"},
};

static const char *kernel_library(const char *needed) {
  for (unsigned k = 0; k < sizeof kernel_libraries / sizeof *kernel_libraries; k++)
    if (!strncmp(needed, kernel_libraries[k].file, strlen(kernel_libraries[k].file))) return kernel_libraries[k].name;
  return NULL;
}

void weir_binary_report_libraries(const struct weir_binary *b, const char *path, enum weir_severity severity,
                                  const char *what, struct weir_sink *sink) {
  for (unsigned k = 0; k < b->needed_count; k++) {
    const char *library = kernel_library(b->needed[k]);
    if (library)
      weir_report(sink, severity, (struct weir_place){.file = path}, "it is linked against %s (%s), %s", library,
                  b->needed[k], what);
  }
}
