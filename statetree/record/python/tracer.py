"""The tracing core: what sys.settrace reports, written down as trace records.

It is put in front of run.py (one program, one trace) or worker.py (many
programs, one process) and passed to the interpreter with -c. Python 3.9 or
later, standard library only. The records are described in the Go package's
documentation; nothing here interprets what the program did.
"""

import ast
import builtins
import json
import os
import re
import sys
import types

if sys.version_info < (3, 9):
    raise SystemExit(2)  # no header: the Go side says what is needed

DRIVER_FILE = "<entry>"

# Frames folded into the line that holds them. Nothing else that begins with
# "<" is: lambdas and modules are recorded.
FOLDED = frozenset(("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"))

# Types whose values never change and whose repr runs no user code, so that the
# same object has the same repr. Everything else is asked again at every event.
FROZEN = frozenset((int, str, bool, float, complex, bytes, type(None), range))

# Names of modules and class bodies that say nothing about the program's state.
DEFINITIONS = (
    types.ModuleType,
    types.FunctionType,
    types.BuiltinFunctionType,
    type,
    classmethod,
    staticmethod,
    property,
)

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+(?=[>,;])")
MISSING = object()

LOST = "the program reached the recursion limit or replaced the trace function"


class Failure(Exception):
    """The program cannot be recorded; the message is one line for the user."""


class TraceLost(Exception):
    """There is no room left on the stack to look at a value."""


def escape(text):
    """Makes text one field of a record."""
    if not text.isascii():
        # A lone surrogate cannot be written; it is shown as Python shows it.
        text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    if "\\" in text:
        text = text.replace("\\", "\\\\")
    if "\n" in text:
        text = text.replace("\n", "\\n")
    if "\t" in text:
        text = text.replace("\t", "\\t")
    return text


def has_room(frames):
    """Tells whether the stack takes some more frames."""
    try:
        return frames == 0 or has_room(frames - 1)
    except RecursionError:
        return False


class Describer:
    """Turns values into reprs that are safe to write down."""

    def __init__(self, limit, keep_addresses):
        self.limit = limit
        self.keep_addresses = keep_addresses

    def describe(self, value):
        """Returns the repr of value as (text, whether it was cut)."""
        try:
            text = repr(value)
            if type(text) is not str:
                text = str.__str__(text)
        except RecursionError as error:
            # Either the program is deep in a recursion of its own, and there
            # is no truth to be had here, or this __repr__ never ends.
            if not has_room(40):
                raise TraceLost from None
            text = unrepresentable(value, error)
        except (Exception, SystemExit, GeneratorExit) as error:
            text = unrepresentable(value, error)
        if not self.keep_addresses and " at 0x" in text and type(value) not in FROZEN:
            text = ADDRESS.sub("", text)
        if len(text) > self.limit:
            return text[: self.limit] + "\u2026", True
        return text, False


def unrepresentable(value, error):
    return "<unrepresentable %s: %s>" % (type(value).__name__, type(error).__name__)


class File:
    """One source file, with what its syntax tree says when that is needed."""

    def __init__(self, number, path, source):
        self.number = number
        self.path = path
        self.lines = source.split("\n")
        self.source = source
        self._definitions = None
        self._comprehensions = None

    def definition(self, code):
        """Returns (line of def or class, qualified name) of a code object, or None."""
        if self._definitions is None:
            self._read_tree()
        return self._definitions.get((code.co_firstlineno, code.co_name))

    def comprehensions(self):
        """Returns (whole span, span of the outermost iterable) of every comprehension."""
        if self._comprehensions is None:
            self._read_tree()
        return self._comprehensions

    def _read_tree(self):
        self._definitions = {}
        self._comprehensions = []
        try:
            tree = ast.parse(self.source)
        except (SyntaxError, ValueError, RecursionError):
            return
        pending = [(tree, "")]
        while pending:
            node, prefix = pending.pop()
            inner = prefix
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                name = prefix + node.name
                first = min([node.lineno] + [d.lineno for d in node.decorator_list])
                self._definitions[(first, node.name)] = (node.lineno, name)
                inner = name + ("." if isinstance(node, ast.ClassDef) else ".<locals>.")
            elif isinstance(node, ast.Lambda):
                name = prefix + "<lambda>"
                self._definitions[(node.lineno, "<lambda>")] = (node.lineno, name)
                inner = name + ".<locals>."
            elif isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp)):
                self._comprehensions.append((span(node), span(node.generators[0].iter)))
            for child in ast.iter_child_nodes(node):
                pending.append((child, inner))


def span(node):
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def inlined_offsets(code, file):
    """Returns the offsets of the instructions that belong to an inlined comprehension.

    Python 3.12 and later run comprehensions in the frame that holds them. Such
    code begins where the loop's names are put aside and goes on to where they
    are put back; what the outermost iterable's expression does before is the
    frame's own, as it was in earlier versions.
    """
    if sys.version_info < (3, 12):
        return None
    import dis

    put_aside = "LOAD_FAST_AND_CLEAR"
    instructions = list(dis.get_instructions(code))
    if not any(i.opname == put_aside for i in instructions):
        return None
    spans = file.comprehensions()
    offsets = set()
    # The comprehensions that are open here, outermost first: where each is, and
    # its names that are put aside.
    open_ones = []
    for i in instructions:
        start = i.positions.lineno, i.positions.col_offset
        end = i.positions.end_lineno, i.positions.end_col_offset
        placed = None not in start + end
        if i.opname == put_aside:
            if not open_ones or open_ones[-1][0] != (start, end):
                open_ones.append(((start, end), set()))
            open_ones[-1][1].add(i.argval)
        if open_ones:
            offsets.add(i.offset)
            whole, names = open_ones[-1]
            # The loop's own stores are at its targets. Putting back may share
            # an instruction, or change places, with the store that follows.
            if i.opname.startswith("STORE_FAST") and (
                (start, end) == whole or not (placed and contains(whole, start, end))
            ):
                names.difference_update(i.argval if isinstance(i.argval, tuple) else (i.argval,))
                if not names:
                    open_ones.pop()
            continue
        # The handlers that put the names back are at the code's end.
        for whole, iterable in spans:
            if placed and contains(whole, start, end) and not contains(iterable, start, end):
                offsets.add(i.offset)
    return offsets


def contains(outer, start, end):
    return outer[0] <= start and end <= outer[1]


def visible(names):
    """Returns the names of a module or class body that are part of its state."""
    return {
        name: value
        for name, value in names.items()
        if not (name.startswith("__") and name.endswith("__"))
        and not is_definition(value)
    }


def is_definition(value):
    # isinstance would run a __class__ property of the program's.
    return issubclass(type(value), DEFINITIONS)


class Tracer:
    """Writes one run down.

    write(text) takes whole records. locate(filename) returns a path and a
    source text for files to record, or None. stop(reason) is called when a
    limit is reached and must not return.
    """

    def __init__(self, write, locate, stop, events, describer):
        self.write = write
        self.locate = locate
        self.lost = None
        self.files = {}
        self.codes = {}
        self.recorded = 0
        self.trace = self._tracing(stop, events, describer.describe)

    def file(self, filename):
        """Returns the File of a filename, or None when it is not recorded."""
        found = self.files.get(filename, MISSING)
        if found is MISSING:
            located = self.locate(filename)
            found = None
            if located is not None:
                path, source = located
                number = sum(1 for f in self.files.values() if f is not None)
                found = File(number, path, source)
                self.write("F\t%d\t%s\t%s\n" % (number, escape(path), escape(source)))
            self.files[filename] = found
        return found

    def enter(self, code):
        """Returns what is to know about a code object, or None to leave it alone.

        The answer is kept by identity (code objects are compared by content)
        and holds the code, so that its identity stays its own.
        """
        file = self.file(code.co_filename)
        if file is None or code.co_name in FOLDED:
            self.codes[id(code)] = None, code
            return None
        line = code.co_firstlineno
        optimized = code.co_flags & 1
        name = getattr(code, "co_qualname", None)
        if code.co_name == "<module>":
            line, name = 0, "<module>"
        elif name is None or file.lines[line - 1 : line] and file.lines[line - 1].lstrip()[:1] == "@":
            line, name = file.definition(code) or (line, name or code.co_name)
        number = self.recorded
        self.recorded += 1
        self.write("K\t%d\t%d\t%s\n" % (number, file.number, escape(name)))
        entry = (number, line, optimized, inlined_offsets(code, file))
        self.codes[id(code)] = entry, code
        return entry

    def _tracing(self, stop, events, describe):
        codes = self.codes
        activations = 0
        count = 0
        write = self.write

        def lose(frame):
            # The program is about to meet the recursion limit by itself.
            self.lost = LOST
            sys.settrace(None)
            frame.f_trace = None

        def on_call(frame, event, arg):
            nonlocal activations, count
            code = frame.f_code
            try:
                known = codes.get(id(code))
                entry = self.enter(code) if known is None else known[0]
                if entry is None:
                    return None
                number, line, optimized, inlined = entry
                count += 1
                if count > events:
                    stop("the limit of %d events" % events)
                activation = activations
                activations += 1
                frozen = {}
                reprs = {}
                shortened = set()
                names = frame.f_locals
                if not optimized:
                    names = visible(names)
                # A generator that goes on is where it yielded.
                if frame.f_lineno != code.co_firstlineno and optimized:
                    line = frame.f_lineno
                record = "C\t%d\t%d\t%d" % (activation, number, line)
                for name, value in names.items():
                    if type(value) in FROZEN:
                        frozen[name] = value
                    text, cut = describe(value)
                    reprs[name] = text
                    if cut:
                        shortened.add(name)
                    record += ("\t~%s\t%s" if cut else "\t%s\t%s") % (name, escape(text))
                write(record + "\n")
            except (RecursionError, TraceLost):
                lose(frame)
                return None

            def on_event(frame, event, arg):
                nonlocal count
                if event == "line":
                    if inlined is not None and frame.f_lasti in inlined:
                        return on_event
                elif event == "opcode":
                    return on_event
                count += 1
                if count > events:
                    stop("the limit of %d events" % events)
                try:
                    if event != "line":
                        if event == "exception":
                            kind, arg = "E", arg[1]
                        else:
                            kind = "R"
                        text, cut = describe(arg)
                        write(
                            "%s\t%d\t%d\t%s%s\n"
                            % (kind, activation, frame.f_lineno, escape(text), "\t~" if cut else "")
                        )
                        return on_event
                    names = frame.f_locals
                    if not optimized:
                        names = visible(names)
                    record = "L\t%d\t%d" % (activation, frame.f_lineno)
                    before = len(reprs)
                    for name, value in names.items():
                        if frozen.get(name, MISSING) is value:
                            continue
                        if type(value) in FROZEN:
                            frozen[name] = value
                        elif name in frozen:
                            del frozen[name]
                        text, cut = describe(value)
                        if reprs.get(name) != text:
                            reprs[name] = text
                            if cut:
                                shortened.add(name)
                            elif shortened:
                                shortened.discard(name)
                            record += ("\t~%s\t%s" if cut else "\t%s\t%s") % (name, escape(text))
                    if len(reprs) != before or len(names) != before:
                        order = list(names)
                        if order != list(reprs):
                            # A name vanished, or came in between: say all.
                            record = "M\t%d\t%d" % (activation, frame.f_lineno)
                            kept = {name: reprs[name] for name in order}
                            reprs.clear()
                            reprs.update(kept)
                            for name in [n for n in frozen if n not in kept]:
                                del frozen[name]
                            for name, text in kept.items():
                                cut = name in shortened
                                record += ("\t~%s\t%s" if cut else "\t%s\t%s") % (name, escape(text))
                    write(record + "\n")
                except (RecursionError, TraceLost):
                    lose(frame)
                    return None
                return on_event

            return on_event

        return on_call

    def run(self, function, *arguments):
        """Calls function under the trace function; returns what it returns."""
        sys.settrace(self.trace)
        try:
            return function(*arguments)
        finally:
            if sys.gettrace() is not self.trace and self.lost is None:
                self.lost = LOST
            sys.settrace(None)

    def end(self, error):
        """Writes how the run ended; error is what nobody caught, or None."""
        if self.lost is not None:
            self.write("Z\t%s\n" % escape(self.lost))
        elif error is None or (type(error) is SystemExit and error.code in (0, None)):
            self.write("X\tnormal\n")
        else:
            self.write("X\terror\n")


def find_target(entry, names):
    """Returns the function that an entry calls, after the module body ran.

    A driver is defined beside the module's names, not among them.
    """
    if not entry["driver"]:
        return names["main"]
    own = {}
    exec(compile(entry["driver_source"], DRIVER_FILE, "exec"), names, own)
    return own[entry["driver"]]


def entry_record(entry):
    """Returns the record that says what runs, and in which Python."""
    meta = {key: entry[key] for key in ("kind", "text", "function", "driver")}
    meta["python"] = "%d.%d.%d" % sys.version_info[:3]
    return "P\t%s\n" % escape(json.dumps(meta))


def compile_file(source, path):
    try:
        return compile(source, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise Failure("%s, line %s: %s" % (path, error.lineno, error.msg))
    except (ValueError, RecursionError, MemoryError) as error:
        raise Failure("%s: %s" % (path, error))


def describe_error(error):
    """Returns an exception as the last line of a traceback has it."""
    try:
        text = str(error)
    except Exception:
        text = ""
    return type(error).__name__ + (": " + text if text else "")
