-- title: GPU memory that programs see
-- description: The driver's total less what it keeps, else the size as sold. It keeps 66 to 869 MiB, 0.6 GB on most of the 26 GPUs whose nvidia-smi
-- description: output is among the uploads (fb_memory_usage/reserved).
-- parameter: driver_memory_gb | GB | Total that the driver reports; empty where no reading is known
-- parameter: memory_gb | GB | Size as sold
-- returns: GB | Memory of one GPU
coalesce(driver_memory_gb - 0.6, memory_gb)
