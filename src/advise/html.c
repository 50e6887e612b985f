// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "advise/html.h"

#include "advise/mend.h"
#include "base/alloc.h"
#include "base/demangle.h"
#include "base/file.h"
#include "page/page.h"
#include "report/source.h"
#include "run/numbers.h"
#include "run/object.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 16 << 20 };

static const char style[] =
  ".line { white-space: pre; padding: 0 0.8em } .line b { color: #999; font-weight: normal }\n"
  ".note { background: #f6f6f6; border-left: 4px solid #d55e00; margin: 0.2em 0.8em 0.4em 5em; padding: 0.2em 0.8em }\n"
  ".gain { color: #007050; font-weight: bold } .mend { white-space: normal; font-family: sans-serif }\n";

// ---- what a line does -------------------------------------------------------------------------------------------------------

static void put_percent(FILE *to, double part, double whole) {
  if (whole > 0)
    fprintf(to, "<td>%.1f %%</td>", 100 * part / whole);
  else
    fputs("<td></td>", to);
}

static bool gains(const struct weir_advice *a, const struct weir_trial *best) {
  return best && weir_gain_counts(a, weir_gain(&a->base.outcome, &best->outcome));
}

static bool is_chosen(const struct weir_advice *a, const struct weir_trial *t) {
  for (unsigned i = 0; i < a->chosen_count; i++)
    if (&a->trials[a->chosen[i]] == t) return true;
  return false;
}

static void put_best(FILE *to, const struct weir_advice *a, unsigned site) {
  const struct weir_trial *best = weir_advice_best(a, site);
  fputs("<td>", to);
  if (site >= a->picked)
    fputs("not tried", to);
  else if (!gains(a, best))
    fputs("none gains", to);
  else
    fprintf(to, "<span class=\"gain\">%s: %.3f×</span>%s", best->hint, weir_gain(&a->base.outcome, &best->outcome),
            is_chosen(a, best) ? "" : ", not beside the others");
  fputs("</td>", to);
}

static void put_site(FILE *to, const struct weir_advice *a, unsigned site) {
  const struct weir_site *s = &a->sites.all[site];
  fputs("<tr><td>", to);
  weir_page_text(to, *s->shown ? s->shown : "?");
  fprintf(to, "</td><td>%s</td><td>%.0f</td><td>%.1f</td>", s->store ? "store" : "load", s->executions,
          weir_site_scatter(s));
  put_percent(to, s->hits + s->hits_on_miss, s->transactions);
  put_percent(to, s->fills, s->store ? 0 : a->sites.fills);
  put_percent(to, s->zero_reuse_fills, s->store ? 0 : s->lines);
  put_best(to, a, site);
  fputs("</tr>\n", to);
}

static void put_mend(FILE *to, const struct weir_advice *a, unsigned site) {
  const struct weir_site *s = &a->sites.all[site];
  char *text = site < a->picked ? weir_mend_site(s, a->setup.chip, gains(a, weir_advice_best(a, site))) : NULL;
  if (text) {
    fputs("<div class=\"mend\">", to);
    weir_page_text(to, *s->shown ? s->shown : "?");
    fputs(": ", to);
    weir_page_text(to, text);
    fputs("</div>\n", to);
  }
  weir_free(text);
}

static bool is_at(const struct weir_site *s, const struct weir_site *place) {
  return !strcmp(s->place, place->place) && !strcmp(s->source_file, place->source_file);
}

// Of all sites of the place.
static void put_note(FILE *to, const struct weir_advice *a, const struct weir_site *place) {
  fputs("<div class=\"note\"><table>\n<tr><th>array</th><th>kind</th><th>requests</th><th>trans/req</th><th>hit</th>"
        "<th>of fills</th><th>unused</th><th>best hint</th></tr>\n",
        to);
  for (unsigned i = 0; i < a->sites.count; i++)
    if (is_at(&a->sites.all[i], place)) put_site(to, a, i);
  fputs("</table>\n", to);
  for (unsigned i = 0; i < a->sites.count; i++)
    if (is_at(&a->sites.all[i], place)) put_mend(to, a, i);
  fputs("</div>\n", to);
}

// ---- the source -------------------------------------------------------------------------------------------------------------

static const struct weir_site *site_on(const struct weir_advice *a, const char *file, unsigned line) {
  for (unsigned i = 0; i < a->sites.count; i++)
    if (a->sites.all[i].line == line && !strcmp(a->sites.all[i].source_file, file)) return &a->sites.all[i];
  return NULL;
}

// The more a line matters, the darker it is.
static double weight_on(const struct weir_advice *a, const struct weir_site *place) {
  double weight = 0;
  for (unsigned i = 0; place && i < a->sites.count; i++)
    if (is_at(&a->sites.all[i], place)) weight += a->sites.all[i].weight;
  return weight > 1 ? 1 : weight;
}

static void put_source(FILE *to, const struct weir_advice *a, const char *file, const char *text) {
  unsigned number = 1;
  fputs("<div class=\"source\">\n", to);
  for (const char *line = text; *line; number++) {
    const size_t length = strcspn(line, "\n");
    const struct weir_site *site = site_on(a, file, number);
    fputs("<div class=\"line\"", to);
    if (site) fprintf(to, " style=\"background: rgba(213, 94, 0, %.2f)\"", 0.6 * weight_on(a, site));
    fprintf(to, "><b>%4u</b>  ", number);
    weir_page_bytes(to, line, length);
    fputs("</div>\n", to);
    if (site) put_note(to, a, site);
    line += length + (line[length] == '\n');
  }
  fputs("</div>\n", to);
}

static void put_file(FILE *to, const struct weir_advice *a, const struct weir_site *first) {
  struct weir_sink unheard = {0};
  size_t bytes;
  char *path = *first->source_file ? weir_source_path(first->source_file, weir_run_text(a->run, "program")) : NULL;
  char *text = path ? weir_file_read(path, MOST_BYTES, &bytes, &unheard) : NULL,
       *kernel = weir_demangle(first->function);
  fputs("<h2>", to);
  weir_page_text(to, text ? weir_path_name(first->source_file) : first->place);
  fputs("</h2>\n<p>", to);
  weir_page_text(to, kernel);
  fputs(text ? "</p>\n" : "; the source is not at hand</p>\n", to);
  if (text)
    put_source(to, a, first->source_file, text);
  else
    put_note(to, a, first);
  weir_sink_free(&unheard);
  weir_free(kernel);
  weir_free(text);
  weir_free(path);
}

// Each file once; where there is none, each place.
static bool is_first(const struct weir_advice *a, unsigned site) {
  const struct weir_site *s = &a->sites.all[site];
  for (unsigned i = 0; i < site; i++)
    if (*s->source_file ? !strcmp(a->sites.all[i].source_file, s->source_file) : is_at(&a->sites.all[i], s))
      return false;
  return true;
}

// ---- the rest ---------------------------------------------------------------------------------------------------------------

static void put_summary(FILE *to, const struct weir_advice *a) {
  fputs("<h1>", to);
  weir_page_text(to, weir_run_text(a->run, "program"));
  fputs(" on ", to);
  weir_page_text(to, weir_run_text(a->run, "chip"));
  fputs("</h1>\n<p>Under scheme ", to);
  weir_page_text(to, weir_run_text(a->run, "scheme"));
  fprintf(to, ": %.0f cycles. ", a->base.outcome.cycles);
  if (!a->chosen_count) {
    fputs("No hint helps.</p>\n", to);
    return;
  }
  char *hints = weir_advice_requests(a, "");
  fprintf(to, "With %u hint%s %.0f: <span class=\"gain\">%.3f×</span>. A gain within %.2f %% is none.</p>\n<pre>",
          a->chosen_count, a->chosen_count == 1 ? "" : "s", a->together.outcome.cycles,
          weir_gain(&a->base.outcome, &a->together.outcome), 100 * a->band);
  weir_page_text(to, hints);
  fputs("</pre>\n", to);
  weir_free(hints);
  if (a->patched.compiled.ran)
    fprintf(to, "<p>The patch, compiled: %.3f×; its hints without it: %.3f×.</p>\n",
            weir_gain(&a->base.outcome, &a->patched.compiled), weir_gain(&a->base.outcome, &a->patched.hinted));
}

static void put_remedies(FILE *to, const struct weir_advice *a) {
  if (!a->remedy_count) return;
  fputs("<h2>Beside hints</h2>\n<table>\n<tr><th>remedy</th><th>cycles</th><th>how</th></tr>\n", to);
  for (unsigned i = 0; i < a->remedy_count; i++) {
    const struct weir_remedy *r = &a->remedies[i];
    fputs("<tr><td>", to);
    weir_page_text(to, r->name);
    if (r->failure)
      fputs("</td><td></td><td>does not run", to);
    else
      fprintf(to, "</td><td>%.3f×</td><td>", weir_gain(&a->base.outcome, &r->outcome));
    if (!r->failure)
      weir_page_text(to, weir_gain_counts(a, weir_gain(&a->base.outcome, &r->outcome)) ? r->how : "no gain");
    fputs("</td></tr>\n", to);
  }
  fputs("</table>\n", to);
}

static void put_bound(FILE *to, const struct weir_advice *a) {
  const json_t *bound = a->bound ? weir_run_bound(a->bound, WEIR_FIRST_CACHE) : NULL;
  if (!bound) return;
  const struct weir_bound_numbers n = weir_bound_of(bound);
  fprintf(to,
          "<h2>The bound</h2>\n<p>Of %.0f loads that missed the first level, %.0f would have missed with the best of "
          "decisions; a run under opt has %.3f× the speed.</p>\n",
          n.load_misses, n.least_load_misses, weir_gain(&a->base.outcome, &a->opt));
}

static void put_chips(FILE *to, const struct weir_advice *a) {
  if (!a->chip_count) return;
  fputs("<h2>The same hints on other chips</h2>\n<table>\n<tr><th>chip</th><th>cycles</th></tr>\n", to);
  for (unsigned i = 0; i < a->chip_count; i++) {
    const struct weir_chip_answer *c = &a->chips[i];
    fputs("<tr><td>", to);
    weir_page_text(to, c->chip);
    if (c->failure)
      fputs("</td><td>does not run", to);
    else
      fprintf(to, "</td><td>%.3f×", weir_gain(&c->base, &c->together));
    fputs("</td></tr>\n", to);
  }
  fputs("</table>\n", to);
}

char *weir_advice_html(const struct weir_advice *a) {
  char *text = NULL, *program = weir_mend_program(a->run, a->setup.chip);
  size_t bytes;
  FILE *to = open_memstream(&text, &bytes);
  weir_page_begin(to, "weir advise", style);
  put_summary(to, a);
  for (unsigned i = 0; i < a->sites.count; i++)
    if (is_first(a, i)) put_file(to, a, &a->sites.all[i]);
  if (program) {
    fputs("<h2>What no hint mends</h2>\n<p>", to);
    weir_page_text(to, program);
    fputs("</p>\n", to);
  }
  put_remedies(to, a);
  put_bound(to, a);
  put_chips(to, a);
  weir_page_end(to);
  fclose(to);
  weir_free(program);
  return text;
}
