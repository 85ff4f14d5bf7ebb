"""Records one program: run as `python -c tracer+run SETTINGS [ARGUMENT...]`.

SETTINGS is a JSON object (see settings in run.go). The trace goes to the file
descriptor it names; everything else about the process is the program's own.
"""

import io
import tokenize


class TraceFile:
    """Writes records to a descriptor, at once, so that nothing is lost however
    the program ends."""

    def __init__(self, descriptor, limit):
        self.descriptor = descriptor
        self.limit = limit
        self.room = limit
        self.closed = False
        # Neither programs that this one runs nor forked children write here.
        os.set_inheritable(descriptor, False)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.leave)

    def write(self, text):
        data = memoryview(text.encode("utf-8"))
        self.room -= len(data)
        if self.room < 0:
            self.room = float("inf")
            self.stop("the limit of %d bytes" % self.limit)
        try:
            while data:
                data = data[os.write(self.descriptor, data) :]
        except OSError:
            self.closed = True
            sys.settrace(None)

    def stop(self, reason):
        """Ends the trace and the program with it."""
        self.write("Z\t%s\n" % escape(reason))
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                pass
        os._exit(1)

    def leave(self):
        sys.settrace(None)
        frame = sys._getframe()
        while frame is not None:
            frame.f_trace = None
            frame = frame.f_back
        self.close()

    def close(self):
        try:
            os.close(self.descriptor)
        except OSError:
            pass


class Sources:
    """Knows which files are recorded, under which path, and their text."""

    def __init__(self, path, files):
        self.shown = {os.path.realpath(p): p for p in [path] + files}
        self.folders = [(os.path.realpath(p) + os.sep, p) for p in files if os.path.isdir(p)]
        self.read = {}

    def locate(self, filename):
        """Returns (path, text) of the file a code object names, or None."""
        if filename in self.read:
            return self.read[filename]
        if filename.startswith("<"):
            return None
        place = os.path.realpath(filename)
        shown = self.shown.get(place)
        for folder, path in self.folders:
            if shown is None and place.startswith(folder):
                shown = os.path.join(path, place[len(folder) :])
        if shown is None:
            return None
        try:
            return shown, read_source(place)[1]
        except (OSError, SyntaxError, UnicodeError):
            return None


def read_source(path):
    """Returns a file's bytes, and its text as the compiler sees it."""
    with open(path, "rb") as file:
        data = file.read()
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return data, io.TextIOWrapper(io.BytesIO(data), encoding, newline=None).read()


def prepare(path, entry, sources):
    """Returns what to call, with which arguments, to run the program."""
    try:
        data, text = read_source(path)
    except OSError as error:
        raise Failure("%s: %s" % (path, error.strerror))
    except (SyntaxError, UnicodeError) as error:
        raise Failure("%s: %s" % (path, error))
    sources.read[path] = path, text
    code = compile_file(data, path)

    sys.path[0] = os.path.dirname(os.path.realpath(path))
    name = os.path.splitext(os.path.basename(path))[0] if entry["text"] else "__main__"
    module = types.ModuleType(name)
    names = module.__dict__
    names.update(__file__=path, __builtins__=builtins, __cached__=None)
    sys.modules[name] = module
    if not entry["text"]:
        return exec, (code, names)
    try:
        exec(code, names)
    except BaseException as error:
        raise Failure("%s ended before the entry could be called: %s" % (path, describe_error(error)))
    sources.read[DRIVER_FILE] = DRIVER_FILE, entry["driver_source"]
    return find_target(entry, names), ()


def leave(error):
    """Ends the process as the program would have ended it by itself."""
    if isinstance(error, (SystemExit, KeyboardInterrupt)):
        raise error
    # The traceback is the program's own, without the recorder's frames.
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == "<string>":
        trace = trace.tb_next
    error.__traceback__ = trace
    sys.excepthook(type(error), error, trace)
    raise SystemExit(1)


def main():
    settings = json.loads(sys.argv[1])
    path, entry = settings["file"], settings["entry"]
    sys.argv[:] = [path] + sys.argv[2:]
    trace = TraceFile(settings["descriptor"], settings["bytes"])
    sources = Sources(path, settings["files"])
    describer = Describer(settings["repr"], settings["keep_addresses"])
    tracer = Tracer(trace.write, sources.locate, trace.stop, settings["events"], describer)

    trace.write("neuraldbg-trace 1\n")
    try:
        target, arguments = prepare(path, entry, sources)
    except Failure as failure:
        trace.write("!\t%s\n" % escape(str(failure)))
        os._exit(2)
    trace.write(entry_record(entry))
    tracer.file(path)
    error = None
    try:
        tracer.run(target, *arguments)
    except BaseException as caught:
        error = caught
    if not trace.closed:
        tracer.end(error)
    trace.close()
    if error is not None:
        leave(error)


main()
