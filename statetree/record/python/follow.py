"""Records the Python processes of a command: a trace for each of their threads.

Each process imports this once, from sitecustomize, and calls follow(SETTINGS),
where SETTINGS are those of followSettings in command.go. What is recorded are the
frames of the files asked for, from the calls on that are made after that. A
thread's trace begins with its first such frame, and the name of its file is
PROCESS-NUMBER.trace.
"""

import atexit
import threading


class Choice:
    """Knows which files are recorded, under which path, and their text."""

    # Folders of installed packages are left out, unless asked for.
    INSTALLED = frozenset(("site-packages", "dist-packages"))

    def __init__(self, root, include, exclude):
        self.root = root + os.sep
        # Longest first: the innermost folder decides.
        self.places = sorted([(p, True) for p in include] + [(p, False) for p in exclude], key=lambda p: -len(p[0]))
        self.known = {}

    def locate(self, filename):
        """Returns (path, text) of the file that a code object names, or None."""
        if filename in self.known:
            return self.known[filename]
        if filename.startswith("<"):
            return None  # there may be no end of such names
        found = self.known[filename] = self._locate(filename)
        return found

    def _locate(self, filename):
        place = os.path.realpath(os.path.join(self.root, filename))
        if not self.includes(place):
            return None
        try:
            text = read_source(place)[1]
        except (OSError, SyntaxError, UnicodeError, LookupError):
            return None
        return (place[len(self.root) :] if place.startswith(self.root) else place), text

    def includes(self, place):
        for folder, included in self.places:
            if place == folder:
                return included
            if place.startswith(folder.rstrip(os.sep) + os.sep):
                inside = place[len(folder) :].split(os.sep)
                return included and self.INSTALLED.isdisjoint(inside)
        return False


class Sums:
    """The numbers of records and bytes in all traces of the command, in a file that
    its processes share."""

    def __init__(self, settings):
        self.path = settings["sums"]
        self.events = settings["events"]
        self.bytes = settings["bytes"]

    def add(self, records, taken):
        """Raises Full when the sums go over their limits."""
        import fcntl

        try:
            descriptor = os.open(self.path, os.O_RDWR)
        except FileNotFoundError:
            raise Full("the command has ended") from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            sums = os.pread(descriptor, 16, 0).ljust(16, b"\0")
            records += int.from_bytes(sums[:8], "little")
            taken += int.from_bytes(sums[8:], "little")
            os.pwrite(descriptor, records.to_bytes(8, "little") + taken.to_bytes(8, "little"), 0)
        finally:
            os.close(descriptor)
        if records > self.events:
            raise Full("the limit of %d events" % self.events)
        if taken > self.bytes:
            raise Full("the limit of %d bytes" % self.bytes)


class SharedTraceFile(TraceFile):
    """A trace file whose limits are those of all the command's traces."""

    def __init__(self, path, sums):
        super().__init__(path, sums.bytes)
        self.sums = sums
        self.counted = (0, 0)

    def check(self):
        records, taken = self.counted
        self.counted = self.records, self.taken
        self.sums.add(self.records - records, self.taken - taken)


class Thread:
    """A thread that is recorded."""

    def __init__(self, path, meta, choice, sums, describer):
        self.identity = threading.get_ident()
        self.file = SharedTraceFile(path, sums)
        self.tracer = Tracer(self.file.put, self.file.write, choice.locate, self.end, sums.events, describer)

        self.file.write("neuraldbg-trace 2\n" + meta_record(meta))

    def end(self, reason=None):
        """Ends the trace; reason says why that is early."""
        self.tracer.leave_alone()
        self.tracer.lost = self.tracer.lost or reason
        try:
            if not self.file.ended:
                self.tracer.end(None)
                self.file.end()
        except Ended:
            self.file.release()  # the tail has what there is


class Process:
    """The recording of this process."""

    def __init__(self, settings):
        self.folder = settings["folder"]
        self.sums = Sums(settings)
        self.choice = Choice(settings["root"], settings["include"], settings["exclude"])
        self.describer = Describer(settings["repr"], settings["keep_addresses"])
        self.threads = {}  # by identity
        self.started = 0
        self.failed = False
        self.complaints = settings["complaints"]
        self.stderr = identify(2)

    def begin(self, frame, event, arg):
        """The trace function of a thread that has no recorded frame yet."""
        code = frame.f_code
        try:
            if self.failed or self.choice.locate(code.co_filename) is None or code.co_name in FOLDED:
                return None
            thread = self.thread()
        except RecursionError:
            return None
        except Ended:  # a limit of all traces together, as one of them says
            self.failed = True
            return None
        except Exception as error:  # there is no place for a trace, or no room
            if is_from_signal(error):
                raise
            first, self.failed = not self.failed, True
            if first:
                self.complain(error)
            return None
        sys_settrace(thread.tracer.trace)
        return thread.tracer.trace(frame, event, arg)

    def complain(self, error):
        """Says on standard error that this thread has no trace, and no later one. Where
        the program has put another file in its place, who started it is told instead."""
        text = "neuraldbg: no further trace of process %d: %s\n" % (os.getpid(), describe_error(error))
        data = text.encode("utf-8", "backslashreplace")
        try:
            if self.stderr is not None and identify(2) == self.stderr:
                os.write(2, data)
                return
            descriptor = os.open(self.complaints, os.O_WRONLY | os.O_APPEND)
            try:
                os.write(descriptor, data)
            finally:
                os.close(descriptor)
        except OSError:
            pass  # there is nobody to tell

    def thread(self):
        """Makes the trace of the running thread, and ends those of threads that
        are gone."""
        running = sys._current_frames()
        for identity in [i for i in self.threads if i not in running]:
            self.threads.pop(identity).end()
        self.sums.add(0, 0)
        self.started += 1
        identity = threading.get_ident()
        meta = {
            "kind": "thread",
            "process": os.getpid(),
            "thread": next((t.name for t in threading.enumerate() if t.ident == identity), ""),
            "command": getattr(sys, "orig_argv", sys.argv),
        }
        thread = Thread(self.path(), meta, self.choice, self.sums, self.describer)
        self.threads[thread.identity] = thread
        return thread

    def path(self):
        path = os.path.join(self.folder, "%d-%d" % (os.getpid(), self.started))
        attempt = 0
        while any(os.path.exists(path + extension) for extension in (".trace", ".trace.part")):
            attempt += 1  # a process that went on as another program, or its number again
            path = os.path.join(self.folder, "%d-%d.%d" % (os.getpid(), self.started, attempt))
        return path + ".trace"

    def replaced(self):
        """The program has set a trace function of its own in this thread."""
        thread = self.threads.get(threading.get_ident())
        if thread is not None:
            thread.end(REPLACED)

    def fork(self):
        """Begins anew in a forked child, with the calls that it makes from here."""
        sys_settrace(None)
        frame = sys._getframe()
        while frame is not None:
            frame.f_trace = None
            frame = frame.f_back
        for thread in self.threads.values():
            thread.tracer.leave_alone()
            thread.file.release()
        self.threads = {}
        self.started = 0
        sys_settrace(self.begin)

    def end(self):
        """Ends all traces, when the process leaves Python in order."""
        tracing = sys_gettrace()
        sys_settrace(None)
        here = threading.get_ident()
        running = sys._current_frames()
        for thread in list(self.threads.values()):
            reason = None
            if thread.identity == here:
                if tracing is not thread.tracer.trace:
                    reason = INTERRUPTED
            elif thread.identity in running:
                reason = "the process ended while the thread ran"
            thread.end(reason)


def identify(descriptor):
    """Returns what tells a descriptor's file from others, or None if it is closed."""
    try:
        status = os.fstat(descriptor)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def follow(settings):
    """Records this process from here on."""
    process = Process(settings)
    atexit.register(process.end)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=process.fork)
    hide_tracing(process.replaced)
    threading.settrace(process.begin)
    sys_settrace(process.begin)
