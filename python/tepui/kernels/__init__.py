"""The untrusted side: the compiled kernels, and how systems and programs are passed to them."""
