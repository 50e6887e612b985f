# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# Debian packages (make deb): weir runs programs, weir-dev builds policies against its headers, python3-weir brings results into
# pandas. What each needs of other packages is read from what it links.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME weir)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "laboratory for GPU cache management")
set(CPACK_PACKAGE_CONTACT "the weir authors")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL weir dev python)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib/weir)
set(CPACK_STRIP_FILES ON)

set(CPACK_DEBIAN_WEIR_PACKAGE_NAME weir)
set(CPACK_DEBIAN_WEIR_PACKAGE_SECTION science)
set(CPACK_DEBIAN_WEIR_PACKAGE_RECOMMENDS "clang-19, libclc-19")
set(CPACK_DEBIAN_WEIR_PACKAGE_SUGGESTS "gnuplot-nox, python3-weir")
set(CPACK_DEBIAN_WEIR_DESCRIPTION "Runs GPU kernels (PTX) and unmodified CUDA and OpenCL programs on a modelled
chip, without a GPU, under published cache-management schemes, and says what
each load did to which cache.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME weir-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
  "weir (= ${PROJECT_VERSION}), libyaml-dev, libjansson-dev, libsqlite3-dev, libxxhash-dev, libelf-dev, libzstd-dev, liblz4-dev, liblzma-dev, zlib1g-dev")
set(CPACK_DEBIAN_DEV_DESCRIPTION "Headers and archive: what a cache policy outside of weir's tree, or a program
that embeds weir, is built against.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-weir)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3, python3-pandas, weir (>= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/debian/postinst ${CMAKE_CURRENT_LIST_DIR}/debian/prerm)
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "Python package: runs and results as pandas data frames.")
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON) # the Makefile builds what is packed, and no test
include(CPack)
