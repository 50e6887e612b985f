// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// For front doors that are asked before the process ends without exit handlers.
#ifndef WEIR_DEVICE_ENDS_H
#define WEIR_DEVICE_ENDS_H

// Writes the run object as the process's last word, if it has a device. What it does with the device after that fails.
void weir_device_finish(void);

#endif
