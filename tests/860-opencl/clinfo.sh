# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# clinfo asks for everything that there is to ask; what it shows of the chip is what the chip's file says.
command -v clinfo >/dev/null || exit 77
shown=$(clinfo --raw) || { echo "clinfo: exit status $?"; exit 1; }
failed=0
while read -r key value; do
  echo "$shown" | grep -qE "$key +$value\$" || { echo "no line '$key $value'"; failed=1; }
done <<END
CL_PLATFORM_NAME weir
CL_DEVICE_TYPE CL_DEVICE_TYPE_GPU
CL_DEVICE_MAX_COMPUTE_UNITS 15
CL_DEVICE_MAX_CLOCK_FREQUENCY 700
CL_DEVICE_LOCAL_MEM_SIZE 49152
CL_DEVICE_GLOBAL_MEM_CACHE_SIZE 786432
CL_DEVICE_IMAGE2D_MAX_WIDTH 16384
END
if echo "$shown" | grep -E 'CL_INVALID|CL_OUT_OF|<.*error|unknown'; then
  echo "clinfo shows an error"
  failed=1
fi
exit $failed
