// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The two kernels of Rodinia's b+tree: a query per work-group, which compares all keys of a node side by side. The way
// down is kept in global memory, one element per query, and is read again at every use.
enum { ORDER = 256 };

struct node {
  int is_leaf;
  int child[ORDER + 1]; // nodes; of a leaf: records
  int key[ORDER + 1];   // ascending: child i holds the keys from key[i] to below key[i + 1]; unused ones are INT_MAX
};

// The record of every key; `answer` stays as it is where there is none. `current` and `next` are the root's number.
__kernel void find_key(int levels, __global const struct node *nodes, __global const int *records,
                       __global int *current, __global int *next, __global const int *keys, __global int *answer) {
  const int query = get_group_id(0);
  const int place = get_local_id(0);
  for (int level = 0; level < levels; level++) {
    if (nodes[current[query]].key[place] <= keys[query] && nodes[current[query]].key[place + 1] > keys[query])
      next[query] = nodes[current[query]].child[place];
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (place == 0) current[query] = next[query];
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
  if (nodes[current[query]].key[place] == keys[query]) answer[query] = records[nodes[current[query]].child[place]];
}

// Where the records from a key to another one lie, both of which exist: their first and their number.
__kernel void find_range(int levels, __global const struct node *nodes, __global int *current, __global int *next,
                         __global int *last_current, __global int *last_next, __global const int *from,
                         __global const int *to, __global int *first, __global int *length) {
  const int query = get_group_id(0);
  const int place = get_local_id(0);
  for (int level = 0; level < levels; level++) {
    if (nodes[current[query]].key[place] <= from[query] && nodes[current[query]].key[place + 1] > from[query])
      next[query] = nodes[current[query]].child[place];
    if (nodes[last_current[query]].key[place] <= to[query] && nodes[last_current[query]].key[place + 1] > to[query])
      last_next[query] = nodes[last_current[query]].child[place];
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (place == 0) {
      current[query] = next[query];
      last_current[query] = last_next[query];
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
  if (nodes[current[query]].key[place] == from[query]) first[query] = nodes[current[query]].child[place];
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (nodes[last_current[query]].key[place] == to[query])
    length[query] = nodes[last_current[query]].child[place] - first[query] + 1;
}
