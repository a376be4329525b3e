"""Files of an emitted program: headers, kernels, the program itself, a library."""
