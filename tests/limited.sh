#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# limited.sh SECONDS COMMAND…: runs the command, no process of which may use more than so many seconds of processor time. What a
# test may take is limited so, and not by the clock on the wall: it does not depend on what else the machine does.
ulimit -t "$1"
export WEIR_STORE= # weir compare keeps no runs: a test that runs again is one that runs
shift
exec "$@"
