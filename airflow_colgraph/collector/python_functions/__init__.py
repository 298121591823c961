"""What the columns that a Python function gives depend on: an abstract interpreter. Pure.

A function's syntax tree is interpreted with values that say what they depend on. What is not known
makes the values that it touches depend on all that goes in; what is not followed at all, such as
`global` or `try`, makes the function opaque: all of its columns then depend on all of its inputs.
"""
