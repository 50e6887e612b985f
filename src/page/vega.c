// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "page/page.h"

// page.cmake says in which folder.
__asm__(".pushsection .rodata\n"
        "weir_page_vega_licence:\n"
        ".incbin \"" WEIR_VEGA "/LICENSE\"\n"
        ".byte 0\n"
        "weir_page_vega_scripts:\n"
        ".incbin \"" WEIR_VEGA "/vega.min.js\"\n"
        ".ascii \"\\n\"\n"
        ".incbin \"" WEIR_VEGA "/vega-lite.min.js\"\n"
        ".ascii \"\\n\"\n"
        ".incbin \"" WEIR_VEGA "/vega-embed.min.js\"\n"
        ".byte 0\n"
        ".popsection\n");
extern const char weir_page_vega_licence[] __attribute__((visibility("hidden")));
extern const char weir_page_vega_scripts[] __attribute__((visibility("hidden")));

void weir_page_vega(FILE *to) {
  fprintf(to, "<script>\n/* Vega, Vega-Lite and Vega-Embed:\n%s*/\n%s</script>\n", weir_page_vega_licence,
          weir_page_vega_scripts);
}
