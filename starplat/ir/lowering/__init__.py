"""From the checked tree to the intermediate form: `program` drives, `hosts` and `kernels` lower the two worlds."""
