"""What tables are built with: connection, parsed cache, labels of GPUs, SQL files, records of builds; and the recommendation."""
