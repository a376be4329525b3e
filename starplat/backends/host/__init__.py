"""Host functions in C++."""
