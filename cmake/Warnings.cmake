# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors
add_compile_options(-Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes)
# Results must be the same bits from every compiler and at every level: no fused contraction behind our back,
# and no assumption that the rounding mode is the default one.
add_compile_options(-ffp-contract=off -fno-strict-aliasing)
if(WEIR_SANITIZE)
  add_compile_options(-fsanitize=${WEIR_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${WEIR_SANITIZE})
endif()
