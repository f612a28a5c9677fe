"""The fast checker: certificates that list states are checked by the crate `tepui-checker`.

It is trusted, as the rest of `tepui.checker` is, and depends on no kernel. The plain checker in
Python is its reference: what the fast one cannot tell, the reference decides, and tests compare the
two. `crate_door` alone calls the crate.
"""
