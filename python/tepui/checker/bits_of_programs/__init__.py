"""What programs do to the bits of their variables, as decision diagrams: what the check of
`programs.bits_certificate` computes with. `diagrams` are functions of bits, `numbers` are numbers
whose bits are such functions, and `expression_bits` says what expressions evaluate to; `state_bits`
says which bits a state has, and `small_steps` what one edge does to them."""
