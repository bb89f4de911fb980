"""Says what HTCondor's own evaluator makes of expressions.

usage: judge.py [AD-FILE] < expressions

One expression a line; one JSON array a line comes back: [type, text], or ["parse error"], or ["failure"], or ["not UTF-8"]: a value that
Python cannot show.
The first line is [version, now]. AD-FILE holds one ad in brackets.
"""

import datetime
import json
import sys
import time

import classad2
import htcondor2  # Makes MY and CurrentTime known, as in the daemons.

TYPES = {bool: "boolean", int: "integer", str: "string", list: "list", classad2.ClassAd: "classad"}


def text_of(expression, ad):
    return classad2.ExprTree(f"string(({expression}))").eval(ad)


def judge(expression, ad):
    try:
        tree = classad2.ExprTree(expression)
        # The module takes a prefix for the whole where a semicolon follows; inside parentheses it does not.
        classad2.ExprTree(f"({expression}\n)")
    except Exception:
        return ["parse error"]
    try:
        value = tree.eval(ad)
    except UnicodeDecodeError:
        return ["not UTF-8"]
    except Exception:
        # Python's times begin with the year 1 and end with 9999.
        try:
            if classad2.ExprTree(f"isAbstime(({expression}))").eval(ad) is True:
                return ["absolute time", text_of(expression, ad)]
        except Exception:
            pass
        return ["failure"]
    if isinstance(value, classad2.Value):
        return ["undefined" if value == classad2.Value.Undefined else "error", ""]
    if isinstance(value, float):
        length = classad2.ExprTree(f"isReltime(({expression}))").eval(ad)
        return ["relative time" if length is True else "real", value.hex()]
    if isinstance(value, datetime.datetime):
        return ["absolute time", text_of(expression, ad)]
    name = TYPES.get(type(value), type(value).__name__)
    if name == "string":
        return [name, value]
    return [name, text_of(expression, ad)]


def main():
    ad = classad2.ClassAd(open(sys.argv[1], encoding="utf-8").read()) if len(sys.argv) > 1 else classad2.ClassAd()
    print(json.dumps([htcondor2.version(), int(time.time())]))
    for line in sys.stdin:
        try:
            answer = judge(line.rstrip("\n"), ad)
        except Exception as error:
            answer = ["oracle failed", str(error)]
        answer.append(int(time.time()))
        # What is asked next may be its end.
        print(json.dumps(answer), flush=True)


main()
