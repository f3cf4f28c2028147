"""What tables are built with: the connection, the parsed cache, labels of GPUs, SQL files, and records of finished builds."""
