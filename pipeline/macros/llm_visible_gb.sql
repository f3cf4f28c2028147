-- title: GPU memory that programs see
-- description: The driver's total less what it keeps, else the size as sold. On the 21 GPUs whose nvidia-smi output is among the uploads it keeps 66 to
-- description: 869 MiB (fb_memory_usage/reserved), with a median of 0.5 GB.
-- description: Totals of drivers before 510, and those of AMD, may leave it out already; the figure is then 0.5 GB too low.
-- parameter: driver_memory_gb | GB | Total that the driver reports; empty where no reading is known
-- parameter: memory_gb | GB | Size as sold
-- returns: GB | Memory of one GPU
coalesce(driver_memory_gb - 0.5, memory_gb)
