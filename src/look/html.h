// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What was seen of a cache as a page to step through. Invariant: the page is one file that needs no other; what weir did not write itself
// is data in it, and put there as text.
#ifndef WEIR_LOOK_HTML_H
#define WEIR_LOOK_HTML_H

#include "look/look.h"

char *weir_look_html(const struct weir_look *l); // freed by weir_free

// look/page.c
extern const char weir_look_page_head[], weir_look_page_tail[];

#endif
