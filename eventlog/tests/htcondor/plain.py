"""What the comparisons with HTCondor begin with: a value of its Python module as JSON has it."""

import classad2, htcondor2, json, sys
def plain(value):
    if isinstance(value, classad2.Value):
        return "/Expr(%s)/" % value.name.lower()
    if hasattr(value, "items"):
        return {name: plain(value[name]) for name in value.keys()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return value if isinstance(value, (str, int, float, bool)) else "/Expr(%s)/" % value
