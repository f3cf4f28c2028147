"""The connection, parsed cache, labels of GPUs, SQL files and records that tables are built with."""
