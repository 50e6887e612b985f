// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Pages of HTML that stand alone. Invariant: a page asks for nothing outside of itself, and no text that comes from a user's
// files is read by the browser as markup or as a script.
#ifndef WEIR_PAGE_PAGE_H
#define WEIR_PAGE_PAGE_H

#include <stdio.h>

// The head with the style that all pages share, and the start of the body. `title` and what follows are escaped; `style`: CSS
// of this page alone, NULL: none.
void weir_page_begin(FILE *to, const char *title, const char *style);
void weir_page_end(FILE *to);

void weir_page_text(FILE *to, const char *text); // escaped, in an element or an attribute in double quotes
void weir_page_bytes(FILE *to, const char *text, size_t length); // likewise; at most to its end

// JSON that a script reads by JSON.parse(document.getElementById(id).textContent).
void weir_page_data(FILE *to, const char *id, const char *json);

// A script of weir's own.
void weir_page_script(FILE *to, const char *script);

// Vega, Vega-Lite and Vega-Embed (third-party/vega) with their licence: charts by vegaEmbed(element, specification).
void weir_page_vega(FILE *to);

#endif
