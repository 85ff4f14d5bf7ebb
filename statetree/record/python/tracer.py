"""The tracing core: what sys.settrace reports, written down as trace records.

It is put in front of run.py (one program, one trace), worker.py (many programs,
one process) or follow.py (a command, a trace for each thread). Python 3.9 or
later, standard library only; modules that a run may not need are imported when
it does, since every process of a command pays for them. The records are described
in the Go package's documentation; nothing here interprets what the program did.
"""

import builtins
import os
import sys
import types

# What the functions below find built in, whatever a program makes of its builtins.
__builtins__ = dict(vars(builtins))

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

# Classes of the program may have other attributes of these names.
name_of = type.__dict__["__name__"].__get__
traceback_of = BaseException.__dict__["__traceback__"].__get__

MISSING = object()

# Why a recording ends early, besides limits.
TOO_DEEP = "the program reached the recursion limit"
REPLACED = "the program replaced the trace function"
INTERRUPTED = "a signal handler raised while a state was recorded"


class Failure(Exception):
    """The program cannot be recorded; the message is one line for the user."""


class Ended(Exception):
    """The recording ends here; the message says why, unless that is known."""


def escape(text):
    """Makes text one field of a record."""
    if text.isprintable() and "\\" not in text:
        return text
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


def need_room():
    """Raises RecursionError when the stack lacks the room that an event needs."""
    _need_more()


def _need_more():
    pass


def use_stack(frames):
    """Raises RecursionError when the stack does not take some more frames."""
    if frames:
        use_stack(frames - 1)


def is_from_signal(error):
    """Tells whether a signal handler raised an exception: it is the program's,
    whatever it interrupted."""
    signal = sys.modules.get("signal")
    if signal is None:
        return False
    handlers = set()
    for number in signal.valid_signals():
        handlers.add(getattr(signal.getsignal(number), "__code__", None))
    step = traceback_of(error)
    while step is not None:
        if step.tb_frame.f_code in handlers:
            return True
        step = step.tb_next
    return False


def raising_instruction():
    """Returns the opcode of a raise statement."""
    try:
        raise Failure
    except Failure as error:
        step = error.__traceback__
        return step.tb_frame.f_code.co_code[step.tb_lasti]


RAISE = raising_instruction()


def is_raised(error):
    """Tells whether a raise statement made an exception. An interrupt, or what a
    thread throws into another, comes at any other instruction."""
    step = traceback_of(error)
    while step.tb_next is not None:
        step = step.tb_next
    return step.tb_frame.f_code.co_code[step.tb_lasti] == RAISE


class Describer:
    """Turns values into reprs that are safe to write down.

    The trace functions call repr themselves, since it is what they do most.
    """

    def __init__(self, limit, keep_addresses):
        self.limit = limit
        self.keep_addresses = keep_addresses

    def repr(self, value):
        try:
            return repr(value)
        except BaseException as error:
            return self.failed(value, error)

    def failed(self, value, error):
        """Returns what stands for the repr of value, which raised error."""
        if isinstance(error, RecursionError):
            # Either the program is deep in a recursion of its own, and there is
            # no truth to be had here, or this __repr__ never ends.
            use_stack(40)
        elif is_from_signal(error):
            raise error
        elif not isinstance(error, (Exception, SystemExit, GeneratorExit)) and not is_raised(error):
            raise error
        return "<unrepresentable %s: %s>" % (name_of(type(value)), name_of(type(error)))

    def field(self, value, text):
        """Returns a repr as a field, and the mark of one that was cut, or ""."""
        if type(value) not in FROZEN:
            if type(text) is not str:
                text = str.__str__(text)
            if " at 0x" in text and not self.keep_addresses:
                text = without_addresses(text)
        if len(text) > self.limit:
            return escape(text[: self.limit]) + "\u2026", "~"
        return escape(text), ""


def without_addresses(text):
    import re

    return re.sub(r" at 0x[0-9a-fA-F]+(?=[>,;])", "", text)


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
        import ast

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
        if type(name) is str
        and name.isidentifier()
        and not (name.startswith("__") and name.endswith("__"))
        and not is_definition(value)
    }


def is_definition(value):
    # isinstance would run a __class__ property of the program's.
    return issubclass(type(value), DEFINITIONS)


def written(names):
    """Returns the names of a function that its source has: pytest adds others to
    the asserts that it rewrites."""
    return {name: value for name, value in names.items() if name.isidentifier()}


class Tracer:
    """Writes down what one thread goes through.

    put(data) takes a record in UTF-8 and raises ValueError when it has no room for
    it; write(text), which takes whole records, then makes some. locate(filename) returns a path and a source
    text for files to record, or None. stop(reason) is called when write has raised
    Ended, or there were too many events; the thread is then left alone.
    """

    def __init__(self, put, write, locate, stop, events, describer):
        self.put = put
        self.write = write
        self.locate = locate
        self.stop = stop
        self.lost = None
        self.files = {}
        self.codes = {}
        self.seen = []
        self.recorded = 0
        self.trace = self._tracing(events, describer)

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
            elif filename.startswith("<"):
                return None  # code that a program makes as it runs may be without end
            self.files[filename] = found
        return found

    def enter(self, code):
        """Returns what there is to know about a code object, or None to leave it
        alone: its number, its line, the line of a call that does not resume a
        generator (None: any is), what selects the names to show (None: all are),
        and the offsets of its inlined comprehensions.

        The answer is kept by identity, since code objects are compared by content.
        """
        file = self.file(code.co_filename)
        if file is None and code.co_filename.startswith("<"):
            return None
        self.seen.append(code)  # so that its identity stays its own
        if file is None or code.co_name in FOLDED:
            self.codes[id(code)] = None
            return None
        line = code.co_firstlineno
        name = getattr(code, "co_qualname", None)
        if code.co_name == "<module>":
            line, name = 0, "<module>"
        elif name is None or file.lines[line - 1 : line] and file.lines[line - 1].lstrip()[:1] == "@":
            line, name = file.definition(code) or (line, name or code.co_name)
        first, select = code.co_firstlineno, None
        if not code.co_flags & 1:  # a module or a class body
            first, select = None, visible
        elif any(not name.isidentifier() for name in code.co_varnames):
            select = written
        number = self.recorded
        self.recorded += 1
        self.write("K\t%d\t%d\t%s\t%d\n" % (number, file.number, escape(name), line))
        entry = number, line, first, select, inlined_offsets(code, file)
        self.codes[id(code)] = entry
        return entry

    def _tracing(self, events, describer):
        failed = describer.failed
        repr_of = describer.repr
        field_of = describer.field
        limit = describer.limit
        codes = self.codes
        put = self.put
        write = self.write
        activations = 0
        count = 0
        ended = False

        def leave_alone():
            """Records nothing more, even if it is called."""
            nonlocal ended
            ended = True

        self.leave_alone = leave_alone

        def lose(error):
            """Ends the recording; raises what is the program's own."""
            sys_settrace(None)
            if isinstance(error, Ended):
                self.lost = self.lost or str(error)
                self.stop(self.lost)
            elif isinstance(error, Exception) and not is_from_signal(error):
                self.lost = self.lost or "recording failed: " + describe_error(error)
            else:
                self.lost = self.lost or INTERRUPTED
                raise error

        def on_call(frame, event, arg):
            nonlocal activations, count, ended
            code = frame.f_code
            try:
                entry = codes.get(id(code), MISSING)
                if entry is None or ended:
                    return None
                need_room()
                if entry is MISSING:
                    entry = self.enter(code)
                    if entry is None:
                        return None
                number, line, first, select, inlined = entry
                count += 1
                if count > events:
                    raise Ended("the limit of %d events" % events)
                activation = activations
                activations += 1
                names = frame.f_locals
                if select is not None:
                    names = select(names)
                if first is not None and frame.f_lineno != first:
                    line = frame.f_lineno
                # The names, in order; by name, either the last value, if it is one
                # that cannot change, or the last repr.
                order = list(names)
                frozen = {}
                reprs = {}
                middle = f"\t{activation}\t"
                record = f"C{middle}{number}\t{line}"
                for name, value in names.items():
                    try:
                        text = repr(value)
                    except BaseException as error:
                        text = failed(value, error)
                    if type(value) in FROZEN:
                        frozen[name] = value
                        if "\\" not in text and len(text) <= limit:
                            record += f"\t{name}\t{text}"
                            continue
                    else:
                        reprs[name] = text
                    text, cut = field_of(value, text)
                    record += f"\t{cut}{name}\t{text}"
                record += "\n"
                try:
                    put(record.encode())
                except ValueError:
                    write(record)
            except RecursionError:
                ended = True
                self.lost = self.lost or TOO_DEEP
                try:
                    sys_settrace(None)
                except RecursionError:
                    pass  # not even for this is there room
                return None
            except BaseException as error:
                ended = True
                lose(error)
                return None

            def on_event(frame, event, arg):
                nonlocal count, ended, order
                if ended:
                    return None
                try:
                    if event != "line":
                        if event == "return":
                            kind = "R"
                        elif event == "exception":
                            kind, arg = "E", arg[1]
                        else:
                            return on_event
                        count += 1
                        if count > events:
                            raise Ended("the limit of %d events" % events)
                        try:
                            text = repr(arg)
                        except BaseException as error:
                            text = failed(arg, error)
                        cut = ""
                        if type(arg) not in FROZEN or "\\" in text or len(text) > limit:
                            text, cut = field_of(arg, text)
                            if cut:
                                cut = "\t~"
                        record = f"{kind}{middle}{frame.f_lineno}\t{text}{cut}\n"
                        try:
                            put(record.encode())
                        except ValueError:
                            write(record)
                        return on_event
                    if inlined is not None and frame.f_lasti in inlined:
                        return on_event
                    count += 1
                    if count > events:
                        raise Ended("the limit of %d events" % events)
                    names = frame.f_locals
                    if select is not None:
                        names = select(names)
                    changes = ""
                    new = len(names) != len(order)
                    for name, value in names.items():
                        if name in frozen:
                            if frozen[name] is value:
                                continue
                            if type(value) in FROZEN:
                                frozen[name] = value
                                try:
                                    text = repr(value)
                                except BaseException as error:
                                    text = failed(value, error)
                                if "\\" in text or len(text) > limit:
                                    text, cut = field_of(value, text)
                                    changes += f"\t{cut}{name}\t{text}"
                                else:
                                    changes += f"\t{name}\t{text}"
                                continue
                            del frozen[name]
                            reprs[name] = None
                        try:
                            text = repr(value)
                        except BaseException as error:
                            text = failed(value, error)
                        if name not in reprs:
                            new = True
                        elif reprs[name] == text:
                            continue
                        if type(value) in FROZEN:
                            frozen[name] = value
                            reprs.pop(name, None)
                        else:
                            reprs[name] = text
                        text, cut = field_of(value, text)
                        changes += f"\t{cut}{name}\t{text}"
                    kind = "L"
                    if new:
                        before = order
                        order = list(names)
                        if order[: len(before)] != before:
                            # A name vanished, or came in between: say all.
                            kind = "M"
                            for name in before:
                                if name not in names:
                                    frozen.pop(name, None)
                                    reprs.pop(name, None)
                            changes = ""
                            for name, value in names.items():
                                text = reprs[name] if name in reprs else repr_of(value)
                                text, cut = field_of(value, text)
                                changes += f"\t{cut}{name}\t{text}"
                    record = f"{kind}{middle}{frame.f_lineno}{changes}\n"
                    try:
                        put(record.encode())
                    except ValueError:
                        write(record)
                    return on_event
                except RecursionError:
                    ended = True
                    self.lost = self.lost or TOO_DEEP
                    try:
                        sys_settrace(None)
                    except RecursionError:
                        pass
                except BaseException as error:
                    ended = True
                    lose(error)
                return None

            return on_event

        return on_call

    def end(self, error):
        """Writes how the run ended; error is what nobody caught, or None."""
        if self.lost is not None:
            self.write("Z\t%s\n" % escape(self.lost))
        elif error is None or (type(error) is SystemExit and error.code in (0, None)):
            self.write("X\tnormal\n")
        else:
            self.write("X\terror\n")


# What the names below stood for before a program could change them.
sys_settrace = sys.settrace
sys_gettrace = sys.gettrace


def is_own(function):
    """Tells whether a trace function is the recorder's."""
    return getattr(function, "__globals__", None) is globals()


def hide_tracing(replaced):
    """Has the program find no trace function, as long as it sets none itself.

    When it sets one, replaced() ends the recording of the thread.
    """

    def settrace(function):
        """Set the global debug tracing function."""
        if function is None and is_own(sys_gettrace()):
            return
        if not is_own(function):
            sys.settrace, sys.gettrace = sys_settrace, sys_gettrace
            replaced()
        sys_settrace(function)

    def gettrace():
        """Return the global debug tracing function set with sys.settrace."""
        return None

    sys.settrace, sys.gettrace = settrace, gettrace


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
    return meta_record(meta)


def meta_record(meta):
    """Returns the record that a trace begins with."""
    return "P\t%s\n" % escape(to_json(dict(meta, python="%d.%d.%d" % sys.version_info[:3])))


def to_json(value):
    """Returns JSON for strings, numbers, lists and dicts.

    The json module would take longer to import than most of this file to run.
    """
    if isinstance(value, str):
        text = value.encode("utf-8", "backslashreplace").decode("utf-8")
        return '"%s"' % "".join(c if c >= " " and c not in '"\\' else "\\u%04x" % ord(c) for c in text)
    if isinstance(value, list):
        return "[%s]" % ", ".join(map(to_json, value))
    if isinstance(value, dict):
        return "{%s}" % ", ".join(to_json(k) + ": " + to_json(v) for k, v in value.items())
    return str(value)


def read_source(path):
    """Returns a file's bytes, and its text as the compiler sees it."""
    with open(path, "rb") as file:
        data = file.read()
    first = data.split(b"\n", 2)[:2]
    if data.isascii() and not any(b"coding" in line for line in first):
        return data, data.decode().replace("\r\n", "\n").replace("\r", "\n")
    import io
    import tokenize

    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return data, io.TextIOWrapper(io.BytesIO(data), encoding, newline=None).read()


def compile_file(source, path, shown):
    """Compiles a file; shown is its path for messages."""
    try:
        return compile(source, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise Failure("%s, line %s: %s" % (shown, error.lineno, error.msg))
    except (ValueError, RecursionError, MemoryError) as error:
        raise Failure("%s: %s" % (shown, error))


def describe_error(error):
    """Returns an exception as the last line of a traceback has it."""
    try:
        text = str(error)
    except Exception:
        text = ""
    return name_of(type(error)) + (": " + text if text else "")
