// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Advice as a page: the source with what its lines do to the caches, and what helps them. Invariant: the page is one file that needs no
// other, and every text that weir did not write itself is escaped.
#ifndef WEIR_ADVISE_HTML_H
#define WEIR_ADVISE_HTML_H

#include "advise/advise.h"

char *weir_advice_html(const struct weir_advice *a); // to be freed

#endif
