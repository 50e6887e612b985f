// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The text of source lines, where the source is at hand: where the debug information says, beside the program, or (of a bundled
// workload) in its folder.
#ifndef WEIR_REPORT_SOURCE_H
#define WEIR_REPORT_SOURCE_H

// Where the file is; to be freed by weir_free. NULL: it is not there. `program`: of the run object, or a file beside which to look.
char *weir_source_path(const char *file, const char *program);

// Without the white space around it; to be freed by weir_free. NULL: the file, or the line, is not there. `program`: of the run object.
char *weir_source_line(const char *file, unsigned line, const char *program);

#endif
