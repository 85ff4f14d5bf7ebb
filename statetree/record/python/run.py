"""Records one program: run as `python -c tracer+run SETTINGS [ARGUMENT...]`.

SETTINGS is a JSON object (see settings in run.go). The trace goes to the file
descriptor it names; everything else about the process is the program's own.
"""


def main():
    import io
    import tokenize

    settings = json.loads(sys.argv[1])
    descriptor = settings["descriptor"]
    os.set_inheritable(descriptor, False)
    room = [settings["bytes"]]

    def write(text):
        data = memoryview(text.encode("utf-8"))
        room[0] -= len(data)
        if room[0] < 0:
            room[0] = float("inf")
            stop("the limit of %d bytes" % settings["bytes"])
        # At once, so that nothing is lost however the program ends.
        try:
            while data:
                data = data[os.write(descriptor, data) :]
        except OSError:
            tracer.lost = "the program closed the trace"
            sys.settrace(None)

    def stop(reason):
        write("Z\t%s\n" % escape(reason))
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                pass
        os._exit(1)

    def leave_child():
        # A forked child is another process; its run is not this trace's.
        sys.settrace(None)
        frame = sys._getframe()
        while frame is not None:
            frame.f_trace = None
            frame = frame.f_back
        try:
            os.close(descriptor)
        except OSError:
            pass

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=leave_child)

    path = settings["file"]
    real = os.path.realpath
    wanted = {real(p): p for p in [path] + settings["files"]}
    folders = [p for p in settings["files"] if os.path.isdir(p)]
    sources = {}

    def read(name):
        with open(name, "rb") as file:
            data = file.read()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        # As the compiler sees it: line ends are \n.
        return data, io.TextIOWrapper(io.BytesIO(data), encoding, newline=None).read()

    def locate(filename):
        if filename in sources:
            return sources[filename]
        if filename.startswith("<"):
            return None
        place = real(filename)
        shown = wanted.get(place)
        for folder in folders:
            if shown is None and place.startswith(real(folder) + os.sep):
                shown = os.path.join(folder, os.path.relpath(place, real(folder)))
        if shown is None:
            return None
        try:
            return shown, read(place)[1]
        except (OSError, SyntaxError, UnicodeError):
            return None

    tracer = Tracer(
        write,
        locate,
        stop,
        settings["events"],
        Describer(settings["repr"], settings["keep_addresses"]),
    )

    write("neuraldbg-trace 1\n")
    error = None
    try:
        try:
            data, source = read(path)
        except OSError as e:
            raise Failure("%s: %s" % (path, e.strerror))
        except (SyntaxError, UnicodeError) as e:
            raise Failure("%s: %s" % (path, e))
        sources[path] = path, source
        code = compile_file(data, path)

        sys.argv[:] = [path] + sys.argv[2:]
        sys.path[0] = os.path.dirname(real(path))
        entry = settings["entry"]
        name = os.path.splitext(os.path.basename(path))[0] if entry["text"] else "__main__"
        module = types.ModuleType(name)
        module.__file__ = path
        module.__builtins__ = builtins
        module.__dict__.update(__cached__=None)
        sys.modules[name] = module
        names = module.__dict__
        if not entry["text"]:
            target, arguments = exec, (code, names)
        else:
            try:
                exec(code, names)
            except BaseException as e:
                raise Failure("%s ended before the entry could be called: %s" % (path, describe_error(e)))
            target, arguments = find_target(entry, names), ()
            sources[DRIVER_FILE] = DRIVER_FILE, entry["driver_source"]
        write(entry_record(entry))
        tracer.file(path)
    except Failure as failure:
        write("!\t%s\n" % escape(str(failure)))
        os._exit(2)

    try:
        tracer.run(target, *arguments)
    except BaseException as e:
        error = e
    tracer.end(error)
    try:
        os.close(descriptor)
    except OSError:
        pass
    if error is None:
        return
    if not isinstance(error, SystemExit):
        # The program's own traceback, without the recorder's frames.
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename == "<string>":
            trace = trace.tb_next
        error.__traceback__ = trace
        if isinstance(error, KeyboardInterrupt):
            raise error
        sys.excepthook(type(error), error, trace)
        raise SystemExit(1)
    raise error


main()
