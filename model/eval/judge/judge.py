"""Judges predictions about a Python program by running it, in a sandbox.

Reads jobs from standard input, one a line of JSON, and writes for each candidate of
a job a verdict as a line of JSON to the file descriptor that the argument names;
then a line that ends the job. Each job has a process of its own, which can write no
file, start no process and reach no network, and whose time and memory are limited.
See judge.go for what the fields mean.
"""

import ast
import collections
import json
import os
import signal
import sys


class OutOfTime(BaseException):
    """Is no Exception, so that a program does not catch it by accident."""


# What a program may do besides computing. All other events that the interpreter
# audits are refused: writing, processes, sockets, foreign code.
ALLOWED = {
    "import", "compile", "exec", "marshal.loads", "marshal.load",
    "object.__getattr__", "object.__setattr__", "object.__delattr__",
    "os.listdir", "os.scandir", "sys._getframe", "sys._current_frames",
    "sys.excepthook", "sys.unraisablehook", "sys.set_asyncgen_hooks",
    "builtins.id", "array.__new__", "function.__new__", "time.sleep",
    "gc.get_objects", "gc.get_referrers", "gc.get_referents", "pickle.find_class",
    "glob.glob", "glob.glob/2", "cpython._PySys_ClearAuditHooks",
}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def refuse(event, arguments):
    if event in ALLOWED:
        return
    if event == "open":
        _, mode, flags = arguments
        if not (flags or 0) & WRITING and not set(mode or "r") & set("wax+"):
            return
    raise PermissionError(event + " is not allowed here")


def confine(memory, seconds):
    try:
        import resource
    except ImportError:  # not Unix: the audit hook and the caller's clock remain
        pass
    else:
        for limit, value in (
            ("RLIMIT_AS", memory), ("RLIMIT_CPU", seconds), ("RLIMIT_FSIZE", 0),
            ("RLIMIT_NPROC", 0), ("RLIMIT_CORE", 0),
        ):
            try:
                resource.setrlimit(getattr(resource, limit), (value, value))
            except (AttributeError, ValueError, OSError):
                pass  # a limit that this system does not have, or has lower
    sys.addaudithook(refuse)


def namespace(source):
    """The module that a program makes."""
    names = {"__name__": "program"}
    exec(compile(source, "program.py", "exec"), names)
    return names


# Names that reprs use and that a program may not have imported.
REPR_NAMES = {
    "inf": float("inf"), "nan": float("nan"), "deque": collections.deque,
    "Counter": collections.Counter, "OrderedDict": collections.OrderedDict,
    "defaultdict": collections.defaultdict,
}


def value(text, names):
    """The value whose repr a text is."""
    try:
        return ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return eval(text, {**REPR_NAMES, **names})


# Flags of code objects (importing inspect for them would double the time that a
# process takes to start).
CO_VARARGS, CO_VARKEYWORDS = 4, 8


def call(names, function, given):
    """Calls a function with values for its parameters by name."""
    target = names[function.split(".")[0]]
    for part in function.split(".")[1:]:
        target = getattr(target, part)
    plain = target
    while hasattr(plain, "__wrapped__"):
        plain = plain.__wrapped__
    code = plain.__code__
    count = code.co_argcount
    variables = code.co_varnames
    positional = [given.pop(name) for name in variables[:count]]
    keywords = {name: given.pop(name) for name in variables[count:count + code.co_kwonlyargcount]}
    rest = count + code.co_kwonlyargcount
    if code.co_flags & CO_VARARGS:
        positional.extend(given.pop(variables[rest]))
        rest += 1
    if code.co_flags & CO_VARKEYWORDS:
        keywords.update(given.pop(variables[rest]))
    if given:
        raise TypeError("no parameter " + next(iter(given)))
    return target(*positional, **keywords)


def returned(names, source, line, locals):
    """The value of the return statement at a line."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Return) and node.lineno == line:
            if node.value is None:
                return None
            code = compile(ast.Expression(node.value), "program.py", "eval")
            # One dictionary, since a comprehension sees no locals of an eval.
            return eval(code, {**names, **locals})
    raise ValueError("line %d has no return statement" % line)


def recorded_arguments(job, names):
    """The values, by parameter, with which the recorded call is made."""
    import inspect

    entry = ast.parse(job["entry"], mode="eval").body
    take = "__arguments__"
    call = ast.Call(ast.Name(take, ast.Load()), entry.args, entry.keywords)
    arguments = eval(
        compile(ast.fix_missing_locations(ast.Expression(call)), "<entry>", "eval"),
        {**names, take: lambda *a, **k: (a, k)})
    target = eval(compile(ast.Expression(entry.func), "<entry>", "eval"), names)
    bound = inspect.signature(target).bind(*arguments[0], **arguments[1])
    bound.apply_defaults()
    return bound.arguments


def argument(job, names, name, text):
    """The value of a name of a candidate."""
    try:
        return value(text, names)
    except Exception:
        # The repr of a function, say, is no expression. It stands for what was
        # recorded under it.
        if job["entry"] and text == dict(job["arguments"]).get(name):
            return recorded_arguments(job, names)[name]
        raise


def judge(job, candidate):
    names = namespace(job["source"])
    given = {name: argument(job, names, name, text) for name, text in candidate}
    if job["function"]:
        result = call(names, job["function"], given)
    else:
        result = returned(names, job["source"], job["line"], given)
    passed = bool(result == value(job["output"], names)) or repr(result) == job["output"]
    return passed, "" if passed else "gives " + repr(result)[:200]


def work(job, verdicts):
    """Judges the candidates of a job, in a process that only does that."""
    late = False

    def out_of_time(*_):
        nonlocal late
        if late:  # the program has caught OutOfTime
            os._exit(1)
        late = True
        raise OutOfTime()

    signal.signal(signal.SIGALRM, out_of_time)
    seconds, count = job["seconds"], len(job["candidates"])
    confine(job["memory"], int(seconds * count) + 2)
    for candidate in job["candidates"]:
        late = False
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
            try:
                passed, reason = judge(job, candidate)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except OutOfTime:
            passed, reason = False, "takes too long"
        except MemoryError:
            passed, reason = False, "takes too much memory"
        except BaseException as error:  # SystemExit too: it is no result
            passed, reason = False, "raises " + type(error).__name__ + ": " + str(error)[:200]
        print(json.dumps({"passed": passed, "reason": reason}), file=verdicts, flush=True)


def main():
    """Forks a process for every job, which is faster than to start one."""
    verdicts = os.fdopen(int(sys.argv[1]), "w", encoding="utf-8")
    for line in sys.stdin:
        job = json.loads(line)
        child = os.fork()
        if child == 0:
            try:
                sys.stdin.close()
                work(job, verdicts)
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        print("{\"end\": true}", file=verdicts, flush=True)


main()
