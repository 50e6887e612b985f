// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "config/chip_file.h"

#include "base/alloc.h"
#include "base/bundled.h"

char *weir_chips_that_suit(bool (*suits)(const struct weir_chip_config *c, const void *context), const void *context) {
  char *list = NULL;
  unsigned count;
  char **names = weir_bundled_names("chips", &count);
  for (unsigned i = 0; i < count; i++) {
    struct weir_sink unheard = {0};
    struct weir_chip_config *c = weir_chip_read(names[i], &unheard);
    if (c && suits(c, context)) {
      char *longer = list ? weir_text_format("%s, %s", list, names[i]) : weir_text_copy(names[i]);
      weir_free(list);
      list = longer;
    }
    if (c) weir_chip_config_free(c);
    weir_sink_free(&unheard);
    weir_free(names[i]);
  }
  weir_free(names);
  return list ? list : weir_text_copy("none of those that come with weir");
}
