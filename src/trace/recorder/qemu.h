// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the recorder uses of QEMU's plugin interface, version 1 (QEMU 6.0 to 8.1), declared here because Debian's
// package has no header. QEMU itself defines the functions; it finds the plugin by the two exported names.
#ifndef WEIR_TRACE_RECORDER_QEMU_H
#define WEIR_TRACE_RECORDER_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORTED __attribute__((visibility("default")))

enum { QEMU_INTERFACE = 1 };
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_RW = 3 };

struct qemu_info {
  const char *target_name;
  struct {
    int least, current;
  } version;
  bool system_emulation;
};

struct qemu_plugin_tb;
struct qemu_plugin_insn;

extern EXPORTED int qemu_plugin_version;
EXPORTED int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv);

void qemu_plugin_register_vcpu_init_cb(uint64_t id, void (*call)(uint64_t id, unsigned vcpu));
void qemu_plugin_register_vcpu_exit_cb(uint64_t id, void (*call)(uint64_t id, unsigned vcpu));
void qemu_plugin_register_atexit_cb(uint64_t id, void (*call)(uint64_t id, void *data), void *data);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*call)(uint64_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, void (*call)(unsigned vcpu, void *data),
                                            enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
                                      void (*call)(unsigned vcpu, uint32_t info, uint64_t address, void *data),
                                      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
unsigned qemu_plugin_mem_size_shift(uint32_t info);
bool qemu_plugin_mem_is_store(uint32_t info);

#endif
