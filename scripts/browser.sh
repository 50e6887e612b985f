#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# scripts/browser.sh: prints the path of a browser that takes Chromium's options; 1: there is none.
for name in chromium-headless-shell chromium chromium-browser google-chrome; do
  command -v $name && exit
done
exit 1
