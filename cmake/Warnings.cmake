# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# Assertions stay on in every build (they guard what only weir can get wrong), so none may define NDEBUG; line tables make
# profiles and sanitizer reports readable and cost no speed.
foreach(type RELEASE RELWITHDEBINFO MINSIZEREL)
  string(REPLACE "-DNDEBUG" "-g1" CMAKE_C_FLAGS_${type} "${CMAKE_C_FLAGS_${type}}")
endforeach()

add_compile_options(-Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes)
# Results must be the same bits from every compiler and at every level: no fused contraction behind our back,
# and no assumption that the rounding mode is the default one.
add_compile_options(-ffp-contract=off -fno-strict-aliasing)
if(WEIR_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
  if(NOT WEIR_SANITIZE) # edges alone: comparisons of values are half of the time
    add_compile_options(-fno-sanitize-coverage=trace-cmp)
  endif()
endif()
if(WEIR_SANITIZE)
  add_compile_options(-fsanitize=${WEIR_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${WEIR_SANITIZE})
endif()
