"""WGSL, the kernel language of WebGPU: how legal kernels are printed in it."""
