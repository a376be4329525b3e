"""What the benchmarks of run time share: the graphs, the rows of the table, the judges of answers, the processes."""
