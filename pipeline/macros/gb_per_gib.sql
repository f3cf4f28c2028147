-- title: GB in a GiB
-- description: Clouds state the main memory of their machines in GiB, some under the name GB. Tables have it in GB, like the memory of GPUs.
-- returns: GB | 2^30 bytes
1.073741824
