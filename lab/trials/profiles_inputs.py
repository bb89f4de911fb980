#!/usr/bin/env python3
"""Makes the input of a measured script: the same for the same words.

    profiles_inputs.py KIND COUNT [FILE [LENGTH]]

KIND: fasta (LENGTH letters a sequence, 400 without), genome, fastq, xml, ps (pages), words, csv or
air (flights, and 20000 of them in test.csv). Standard output without FILE.
"""

import random
import string
import sys

AMINO = "ACDEFGHIKLMNPQRSTVWY"


def fasta(rows, count, out, length):
    base = "".join(rows.choice(AMINO) for _ in range(length))
    for k in range(count):
        letters = (c if rows.random() > 0.2 else rows.choice(AMINO) for c in base)
        out.write(f">s{k}\n{''.join(letters)}\n")


def genome(rows, count, out, _):
    out.write(">g\n" + "".join(rows.choices("ACGT", k=count)) + "\n")


def fastq(rows, count, out, _):
    letters = "".join(rows.choices("ACGT", k=5000000))
    for k in range(count):
        at = rows.randrange(4999800)
        out.write(f"@r{k}\n{letters[at : at + 150]}\n+\n{'I' * 150}\n")


def xml(_, count, out, __):
    out.write("<xml><table>")
    for k in range(count):
        fields = f"<numField>{k % 997}</numField><stringField>String Value {k}</stringField>"
        out.write(f'<rec id="{k}">{fields}</rec>\n')
    out.write("</table></xml>\n")


def ps(rows, count, out, _):
    out.write("%!PS-Adobe-3.0\n/Helvetica findfont 9 scalefont setfont\n")
    for page in range(count):
        for line in range(75):
            words = f"line {line} of page {page} {'x' * rows.randrange(40)}"
            out.write(f"40 {800 - 10 * line} moveto ({words}) show\n")
        out.write("showpage\n")


def words(rows, count, out, _):
    for _ in range(count):
        out.write("".join(rows.choices(string.ascii_lowercase, k=rows.randrange(3, 10))) + "\n")


def csv(rows, count, out, _):
    out.write("id,grp,x,y,z\n")
    for k in range(count):
        figures = ",".join(f"{rows.random():.6f}" for _ in "xyz")
        out.write(f"{k},g{k % 1000},{figures}\n")


def flights(rows, count, out):
    out.write("Month,DayofMonth,DayOfWeek,DepTime,UniqueCarrier,Origin,Dest,Distance,")
    out.write("dep_delayed_15min\n")
    for _ in range(count):
        time = rows.randrange(2400)
        date = f"c-{rows.randrange(1, 13)},c-{rows.randrange(1, 29)},c-{rows.randrange(1, 8)}"
        way = f"U{rows.randrange(22)},A{rows.randrange(200)},B{rows.randrange(200)}"
        distance = rows.randrange(50, 2500)
        late = "Y" if rows.random() < time / 6000 else "N"
        out.write(f"{date},{time},{way},{distance},{late}\n")


def air(rows, count, out, _):
    flights(rows, count, out)
    with open("test.csv", "w") as test:
        flights(rows, 20000, test)


def main():
    kind, count = sys.argv[1], int(sys.argv[2])
    length = int(sys.argv[4]) if len(sys.argv) > 4 else 400
    with open(sys.argv[3], "w") if len(sys.argv) > 3 else sys.stdout as out:
        globals()[kind](random.Random(3 if kind == "air" else 7), count, out, length)


if __name__ == "__main__":
    main()
