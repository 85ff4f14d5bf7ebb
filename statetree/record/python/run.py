"""Records one program: run with SETTINGS [ARGUMENT...] as sys.argv[2:].

SETTINGS is JSON that is a Python expression too (see settings in run.go). The trace
goes to the path that it names; everything else about the process is the program's
own.
"""

class Sources:
    """Knows which files are recorded, under which path, and their text."""

    def __init__(self, path, files):
        self.shown = {os.path.realpath(p): p for p in [path] + files}
        self.folders = [(os.path.realpath(p) + os.sep, p) for p in files if os.path.isdir(p)]
        self.read = {}
        self.start = os.getcwd()

    def locate(self, filename):
        """Returns (path, text) of the file a code object names, or None."""
        if filename in self.read:
            return self.read[filename]
        if filename.startswith("<"):
            return None
        place = os.path.realpath(os.path.join(self.start, filename))
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


def prepare(path, entry, sources):
    """Returns what to call, with which arguments, to run the program."""
    try:
        data, text = read_source(path)
    except OSError as error:
        raise Failure("%s: %s" % (path, error.strerror))
    except (SyntaxError, UnicodeError) as error:
        raise Failure("%s: %s" % (path, error))
    # As Python names a file that it runs.
    whole = os.path.join(os.getcwd(), path)
    sources.read[whole] = path, text
    code = compile_file(data, whole, path)

    sys.path[0] = os.path.dirname(os.path.realpath(path))
    name = os.path.splitext(os.path.basename(path))[0] if entry["text"] else "__main__"
    module = types.ModuleType(name)
    names = module.__dict__
    names.update(__file__=whole, __builtins__=builtins, __cached__=None)
    sys.modules[name] = module
    if not entry["text"]:
        return exec, (code, names)
    try:
        exec(code, names)
    except BaseException as error:
        raise Failure("%s ended before the entry could be called: %s" % (path, describe_error(error)))
    sources.read[DRIVER_FILE] = DRIVER_FILE, entry["driver_source"]
    return find_target(entry, names), ()


def count_room():
    """Returns how many frames the stack takes from here."""
    try:
        return 1 + count_room()
    except RecursionError:
        return 0


def hide_depth(room):
    """Has the recorder's own frames not count against the recursion limit.

    room is what count_room returns in a module that is run as the program's is;
    there, the module would be the first of the frames.
    """
    get, set_ = sys.getrecursionlimit, sys.setrecursionlimit
    own = get() - 2 - room

    def getrecursionlimit():
        """Return the current value of the recursion limit."""
        return get() - own

    def setrecursionlimit(limit):
        """Set the maximum depth of the Python interpreter stack to n."""
        set_(limit + own if type(limit) is int and limit > 0 else limit)

    set_(get() + own)
    sys.getrecursionlimit, sys.setrecursionlimit = getrecursionlimit, setrecursionlimit


def leave(error):
    """Ends the process as the program would have ended it by itself."""
    if isinstance(error, SystemExit):
        raise error
    # The traceback is the program's own, without the recorder's frames.
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_globals is globals():
        trace = trace.tb_next
    error.__traceback__ = trace
    sys.excepthook(type(error), error, trace)
    raise SystemExit(130 if isinstance(error, KeyboardInterrupt) else 1)


def main():
    settings = eval(sys.argv[2])
    path, entry = settings["file"], settings["entry"]
    sys.argv[:] = [path] + sys.argv[3:]
    trace = TraceFile(settings["trace"], settings["bytes"])

    def finish(reason=None, error=None):
        tracer.leave_alone()
        tracer.lost = tracer.lost or reason
        if not trace.ended:
            try:
                tracer.end(error)
                trace.end()
            except Full:
                pass  # the trace says so

    def stop(reason):
        """Ends the trace and the program with it."""
        if trace.ended and not trace.failed:
            return
        finish(reason)
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                pass
        os._exit(1)

    def leave_child():
        """A forked child is not recorded."""
        sys_settrace(None)
        trace.release()

    sources = Sources(path, settings["files"])
    describer = Describer(settings["repr"], settings["keep_addresses"])
    tracer = Tracer(trace.put, trace.write, sources.locate, stop, settings["events"], describer)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=leave_child)

    trace.write("neuraldbg-trace 2\n")
    os.write(settings["descriptor"], b"\n")  # the program's time begins
    os.close(settings["descriptor"])
    try:
        target, arguments = prepare(path, entry, sources)
    except Failure as failure:
        trace.write("!\t%s\n" % escape(str(failure)))
        trace.end()
        os._exit(2)
    trace.write(entry_record(entry))
    tracer.file(os.path.join(sources.start, path))
    hide_tracing(lambda: finish(REPLACED))
    if not entry["text"]:
        names = {"count_room": count_room}
        exec("room = count_room()", names)
        hide_depth(names["room"])
    error = None
    try:
        sys_settrace(tracer.trace)
        target(*arguments)
    except BaseException as caught:
        error = caught
    finally:
        if sys_gettrace() is not tracer.trace:
            tracer.lost = tracer.lost or INTERRUPTED
        sys_settrace(None)
    finish(error=error)
    if error is not None:
        leave(error)


main()
