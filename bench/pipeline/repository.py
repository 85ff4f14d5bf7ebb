"""Calls functions of the standard library that are written in Python, as a
repository's tests would."""

import colorsys
import difflib
import fnmatch
import fractions
import graphlib
import html
import posixpath
import shlex
import statistics
import textwrap
import urllib.parse


def words(n):
    return ["".join(chr(97 + (i * j) % 26) for j in range(1, 3 + i % 7)) for i in range(n)]


def texts(n):
    text = " ".join(words(12 + n % 9))
    textwrap.shorten(text, 20 + n % 30)
    textwrap.dedent("    " + text + "\n    " + text)
    textwrap.indent(textwrap.fill(text, 16 + n % 20), "> ")
    shlex.split("run --name '" + text + "' " + text)
    shlex.quote(text)
    html.unescape("&lt;" + text + "&amp;" + "&#%d;" % (65 + n % 20))
    html.escape("<" + text + ">")


def sequences(n):
    a, b = words(5 + n % 4), words(6)
    difflib.get_close_matches(a[-1], b)
    list(difflib.unified_diff(a, b, lineterm=""))
    difflib.SequenceMatcher(None, a[-1], b[-1]).ratio()
    fnmatch.filter(a + b, "*%s*" % chr(97 + n % 26))
    fnmatch.translate("[!%s]*.p?" % chr(97 + n % 26))


def paths(n):
    a, b = "/".join(words(3 + n % 3)), "/".join(words(4))
    posixpath.relpath("/" + a, "/" + b)
    posixpath.normpath(a + "/../" + b + "/.")
    posixpath.commonpath([a, a + "/x"])
    posixpath.splitext(a + ".py")
    parts = urllib.parse.urlsplit("https://%s.org/%s?q=%s#top" % (words(4)[-1], a, n))
    urllib.parse.urlunsplit(parts)
    urllib.parse.urljoin("https://a.org/" + a, "../" + b)
    urllib.parse.quote(a + " " + b)
    urllib.parse.parse_qs("a=%d&b=%s&a=2" % (n, b))
    urllib.parse.urlencode({"a": n, "b": a})


def numbers(n):
    data = [(i * n) % 17 for i in range(1, 7 + n % 4)]
    statistics.mean(data)
    statistics.median(data)
    statistics.pvariance(data)
    statistics.quantiles(data, n=4)
    fractions.Fraction(n, 7) + fractions.Fraction(3, n + 1)
    fractions.Fraction("%d/%d" % (n, n + 2)).limit_denominator(9)
    colorsys.rgb_to_hsv((n % 10) / 10, 0.3, 0.5)
    colorsys.hls_to_rgb((n % 10) / 10, 0.5, 0.4)
    list(graphlib.TopologicalSorter({i: [i // 2, i // 3] for i in range(2, 5 + n % 5)}).static_order())


def main():
    for n in range(1, 120):
        texts(n)
        sequences(n)
        paths(n)
        numbers(n)


main()
