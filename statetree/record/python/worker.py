"""Records many small programs in one process: run with SETTINGS as sys.argv[2].

Requests come on standard input, answers go to standard output, each with its
length before it (4 bytes, little endian). A request is PATH NUL SOURCE NUL MODULE
NUL, then the entry's kind, text, function, driver and the driver's source with NUL
between them; an answer is the records of a trace without the header. The programs'
own output is thrown away. They are trusted not to harm the process: what
outlives a program (imported modules, changed builtins) is there for the next.
"""


ENTRY = ("kind", "text", "function", "driver", "driver_source")


def trace_calls(tracer, target, arguments):
    sys.settrace(tracer.trace)
    try:
        target(*arguments)
    finally:
        if sys.gettrace() is not tracer.trace:
            tracer.lost = tracer.lost or REPLACED
        sys.settrace(None)


class Stop(BaseException):
    """Ends a program that went over a limit; not for its own handlers."""


def serve():
    import gc
    import importlib
    import json
    import mmap
    import signal

    settings = json.loads(sys.argv[2])
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (settings["memory"], settings["memory"]))
    except (ImportError, ValueError, OSError):
        pass
    exec(settings["prologue"], {"__name__": "prologue", "__builtins__": builtins})
    # Each program leaves a cycle (its functions know their module).
    gc.freeze()
    gc.set_threshold(20000, 10, 10)

    seconds, cpu = settings["seconds"], settings["cpu"]
    most_text = settings["bytes"]
    events = settings["events"]
    describer = Describer(settings["repr"], settings["keep_addresses"])
    # The records of one program: memory that raises ValueError when it is full.
    records = mmap.mmap(-1, most_text)
    modules = dict(sys.modules)
    running = None

    def on_alarm(signum, frame):
        if running is not None:
            # What unwinding does is no longer the program's run.
            sys.settrace(None)
            running.lost = running.lost or "the limit of %g s" % (cpu if signum == signal.SIGPROF else seconds)
            raise Stop

    signal.signal(signal.SIGALRM, on_alarm)
    signal.signal(signal.SIGPROF, on_alarm)

    def set_alarms(seconds, cpu):
        signal.setitimer(signal.ITIMER_REAL, seconds, 0.1)
        signal.setitimer(signal.ITIMER_PROF, cpu, 0.1)

    def answer_to(path, source, module_name, entry):
        nonlocal running
        records.seek(0)

        def write(text):
            try:
                records.write(text.encode())
            except ValueError:
                stop("the limit of %d bytes" % most_text)

        def stop(reason):
            tracer.lost = tracer.lost or reason
            raise Stop

        sources = {path: (path, source)}
        tracer = Tracer(records.write, write, sources.get, stop, events, describer)
        name = module_name or (os.path.splitext(os.path.basename(path))[0] if entry["text"] else "__main__")
        module = types.ModuleType(name)
        names = module.__dict__
        names["__file__"] = path
        names["__builtins__"] = builtins
        try:
            try:
                code = compile_file(source, path, path)
                running = tracer
                set_alarms(seconds, cpu)
                if entry["text"]:
                    try:
                        package = module_name.rpartition(".")[0]
                        if package:
                            importlib.import_module(package)
                            names["__package__"] = package
                        sys.modules[name] = module
                        exec(code, names)
                    except Exception as e:
                        raise Failure("%s ended before the entry could be called: %s" % (path, describe_error(e)))
                    target, arguments = find_target(entry, names), ()
                    sources[DRIVER_FILE] = DRIVER_FILE, entry["driver_source"]
                else:
                    sys.modules[name] = module
                    target, arguments = exec, (code, names)
                write(entry_record(entry))
                tracer.file(path)
                error = None
                try:
                    trace_calls(tracer, target, arguments)
                except Stop:
                    raise
                except BaseException as e:
                    error = e
                running = None
                tracer.end(error)
                last = ""
            finally:
                running = None
                set_alarms(0, 0)
                sys.settrace(None)
        except Failure as failure:
            last = "!\t%s\n" % escape(str(failure))
        except (Stop, MemoryError):
            reason = tracer.lost or "the limit of memory"
            last = "Z\t%s\n" % escape(reason)
            if not records.tell():
                last = "!\t%s: %s before the entry could be called\n" % (escape(path), escape(reason))
        if len(sys.modules) != len(modules):
            for extra in [m for m in sys.modules if m not in modules]:
                if extra == name:
                    del sys.modules[extra]
                else:
                    modules[extra] = sys.modules[extra]
        if name in modules:
            sys.modules[name] = modules[name]
        return records[: records.tell()] + last.encode()

    os.write(answers, bytes(4))
    while True:
        length = requests.read(4)
        if len(length) < 4:
            return
        request = requests.read(int.from_bytes(length, "little")).decode("utf-8")
        path, source, module, *entry = request.split("\0")
        data = answer_to(path, source, module, dict(zip(ENTRY, entry)))
        data = memoryview(len(data).to_bytes(4, "little") + data)
        while data:
            data = data[os.write(answers, data) :]


serve()
