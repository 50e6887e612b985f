# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# There are hundreds of programs of tests to link: gold takes half of the time of the default linker, lld half of gold's. Holds for the folder that
# includes this and those below it.
include(CheckLinkerFlag)
check_linker_flag(C -fuse-ld=lld WEIR_LLD)
check_linker_flag(C -fuse-ld=gold WEIR_GOLD)
if(WEIR_LLD)
  add_link_options(-fuse-ld=lld -Wl,--threads=1)
elseif(WEIR_GOLD)
  add_link_options(-fuse-ld=gold)
endif()
