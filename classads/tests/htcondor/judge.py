"""Says what HTCondor's own evaluator makes of expressions and of ads.

usage: judge.py AD-FILE TARGET-FILE < questions

One question a line, one JSON array or object a line comes back. A question is an expression, evaluated on the ad in
AD-FILE (one ad in brackets), behind the control character RS (30) in a match with the ad in TARGET-FILE: [type, text], or ["parse error"], or ["failure"], or
["not UTF-8"] (a value that Python cannot show), and the time.

A line that begins with the control character US (31) holds a question about ads as a JSON object: `form` ("long",
"new" or "json") and `text` of the ads; `target`, the other ad of a match, and `expressions`, evaluated on each ad. The
answer has `now`, `error` (why reading ended early, or null) and `ads`: for each its `attributes` (name, [type, text],
printed in the new syntax on one line, and on several or null where that is the same), `expressions` ([type, text], and
the value printed) and the whole ad printed: `old`, `json`, `new`.

Behind GS (29) stands an expression whose references are asked for: [external, internal], each null where HTCondor cannot tell;
behind FS (28) two ads in brackets with a tab between them: [whether the first matches the second, the reverse, both].

The first line is [version, now].
"""

import datetime
import json
import sys
import time

import classad2
import htcondor2  # Makes MY and CurrentTime known, as in the daemons.

TYPES = {str: "string", list: "list", classad2.ClassAd: "classad"}
PARSERS = {"long": classad2.Parser.Old, "new": classad2.Parser.New, "json": classad2.Parser.JSON}
FS, GS, RS, US = "\x1c", "\x1d", "\x1e", "\x1f"


def text_of(expression, ad, target=None):
    return classad2.ExprTree(f"string(({expression}))").eval(ad, target)


def judge(expression, ad, target=None):
    try:
        tree = classad2.ExprTree(expression)
        # The module takes a prefix for the whole where a semicolon follows; inside parentheses it does not.
        classad2.ExprTree(f"({expression}\n)")
    except Exception:
        return ["parse error"]
    return judge_tree(tree, expression, ad, target)


def judge_tree(tree, expression, ad, target=None):
    try:
        value = tree.eval(ad, target)
    except UnicodeDecodeError:
        return ["not UTF-8"]
    except Exception:
        # Python's times begin with the year 1 and end with 9999.
        for is_type, name in (("isAbstime", "absolute time"), ("isList", "list")):
            try:
                if classad2.ExprTree(f"{is_type}(({expression}))").eval(ad, target) is True:
                    return [name, text_of(expression, ad, target)]
            except Exception:
                pass
        return ["failure"]
    if isinstance(value, classad2.Value):
        return ["undefined" if value == classad2.Value.Undefined else "error", ""]
    if isinstance(value, bool):
        return ["boolean", "true" if value else "false"]
    if isinstance(value, int):
        return ["integer", str(value)]
    if isinstance(value, float):
        length = classad2.ExprTree(f"isReltime(({expression}))").eval(ad, target)
        return ["relative time" if length is True else "real", value.hex()]
    if isinstance(value, datetime.datetime):
        return ["absolute time", text_of(expression, ad, target)]
    name = TYPES.get(type(value), type(value).__name__)
    if name == "string":
        return [name, value]
    return [name, text_of(expression, ad, target)]


def quoted(name):
    escaped = name.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def json_objects(text):
    """The texts of the objects: the module itself reads no array."""
    decoder, at = json.JSONDecoder(), 0
    while (at := text.find("{", at)) >= 0:
        start = at
        _, at = decoder.raw_decode(text, start)
        yield text[start:at]


def read(form, text):
    """The ads, and why there are no more."""
    ads = []
    try:
        for piece in json_objects(text) if form == "json" else [text]:
            for ad in classad2.parseAds(piece, PARSERS[form]):
                ads.append(ad)
    except Exception as error:
        return ads, str(error)
    return ads, None


def printed(tree, ad, target):
    try:
        return repr(tree.simplify(ad, target))
    except Exception:
        return ""


def about(ad, target, expressions):
    attributes = []
    for name in ad.keys():
        tree = ad.lookup(name)
        new, lines = repr(tree), str(tree)
        lines = None if lines == new else lines
        attributes.append([name, judge_tree(tree, quoted(name), ad, target), new, lines])
    answers = []
    for expression in expressions:
        answer = judge(expression, ad, target)
        text = printed(classad2.ExprTree(expression), ad, target) if answer != ["parse error"] else ""
        answers.append([answer, text])
    return {
        "attributes": attributes,
        "expressions": answers,
        "old": ad.printOld(),
        "json": ad.printJson(),
        "new": repr(ad),
    }


def answer_about_ads(question):
    ads, error = read(question["form"], question["text"])
    target = question.get("target")
    target = None if target is None else classad2.ClassAd(target)
    about_ads = [about(ad, target, question.get("expressions", [])) for ad in ads]
    return {"now": int(time.time()), "error": error, "ads": about_ads}


def references(expression, ad):
    try:
        tree = classad2.ExprTree(expression)
    except Exception:
        return ["parse error"]
    found = []
    for names_of in (ad.externalRefs, ad.internalRefs):
        try:
            found.append([name for name in names_of(tree) if name])
        except Exception:
            found.append(None)
    return found


def match(texts):
    first, second = (classad2.ClassAd(text) for text in texts.split("\t"))
    found = []
    for question in (lambda: first.matches(second), lambda: second.matches(first), lambda: first.symmetricMatch(second)):
        try:
            found.append(question())
        except Exception:
            # What cannot be evaluated is no match.
            found.append(False)
    return found


def answer(question, ad, target):
    kind, rest = question[:1], question[1:]
    if kind == US:
        return answer_about_ads(json.loads(rest))
    if kind == GS:
        return references(rest, ad)
    if kind == FS:
        return match(rest)
    try:
        said = judge(rest, ad, target) if kind == RS else judge(question, ad)
    except Exception as error:
        said = ["oracle failed", str(error)]
    return said + [int(time.time())]


def main():
    ad, target = (classad2.ClassAd(open(path, encoding="utf-8").read()) for path in sys.argv[1:])
    print(json.dumps([htcondor2.version(), int(time.time())]))
    for line in sys.stdin:
        # What is asked next may be its end.
        print(json.dumps(answer(line.rstrip("\n"), ad, target)), flush=True)


main()
