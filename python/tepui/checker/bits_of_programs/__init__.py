"""What programs do to the bits of their variables, as decision diagrams: what the check of
`programs.bits_certificate` computes with. `diagrams` are functions of bits, `numbers` are numbers
whose bits are such functions, and `evaluation` says what expressions evaluate to; `states` says
which bits a state has, and `small_steps` what one edge does to them."""
