// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "page/page.h"

#include <stdint.h>
#include <string.h>

static const char style_of_all[] =
  "body { font: 15px/1.5 sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; color: #222; background: #fff }\n"
  "table { border-collapse: collapse; margin: 0.5em 0 } td, th { padding: 0.1em 0.8em 0.1em 0; text-align: right }\n"
  "th { font-weight: normal; color: #666; border-bottom: 1px solid #ccc } td:first-child, th:first-child { text-align: left }\n"
  "pre, code, .source { font: 13px/1.45 monospace } .source { border: 1px solid #ddd; overflow-x: auto; padding: 0.5em 0 }\n";

void weir_page_bytes(FILE *to, const char *text, size_t length) {
  for (size_t i = 0; i < length && text[i]; i++) switch (text[i]) {
    case '<': fputs("&lt;", to); break;
    case '>': fputs("&gt;", to); break;
    case '&': fputs("&amp;", to); break;
    case '"': fputs("&quot;", to); break;
    case '\r': break;
    default: fputc(text[i], to);
    }
}

void weir_page_text(FILE *to, const char *text) {
  weir_page_bytes(to, text, strlen(text));
}

void weir_page_begin(FILE *to, const char *title, const char *style) {
  fputs(
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n<title>",
    to);
  weir_page_text(to, title);
  fprintf(to, "</title>\n<style>\n%s%s</style>\n</head>\n<body>\n", style_of_all, style ? style : "");
}

void weir_page_end(FILE *to) {
  fputs("</body>\n</html>\n", to);
}

void weir_page_data(FILE *to, const char *id, const char *json) {
  fprintf(to, "<script type=\"application/json\" id=\"%s\">", id);
  for (; *json; json++) // in JSON it stands in strings alone
    if (*json == '<')
      fputs("\\u003c", to);
    else
      fputc(*json, to);
  fputs("</script>\n", to);
}

void weir_page_script(FILE *to, const char *script) {
  fprintf(to, "<script>\n%s</script>\n", script);
}
