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
# Nobody puts a function of his own in front of one of weir's, so that a file may inline what it exports.
add_compile_options(-fno-semantic-interposition)
if(WEIR_PROFILE STREQUAL "generate")
  add_compile_options(-fprofile-generate -fprofile-update=single)
  add_link_options(-fprofile-generate)
elseif(WEIR_PROFILE STREQUAL "use")
  # What the profile's programs do not reach is optimised as ever; files that changed since, too.
  add_compile_options(-fprofile-use -fprofile-partial-training -Wno-missing-profile -Wno-coverage-mismatch)
  add_link_options(-fprofile-use)
endif()
if(WEIR_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
  if(NOT WEIR_SANITIZE) # edges alone: comparisons of values are half of the time
    add_compile_options(-fno-sanitize-coverage=trace-cmp)
  endif()
endif()
if(WEIR_SANITIZE)
  add_compile_options(-fsanitize=${WEIR_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${WEIR_SANITIZE})
  # AddressSanitizer stops at each use of a null or wrapped pointer and behind each object's end, so that these checks, which
  # are a third of a sanitized build, find nothing more.
  if(WEIR_SANITIZE MATCHES "address" AND WEIR_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize=null,pointer-overflow,object-size)
  endif()
endif()
