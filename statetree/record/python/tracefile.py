"""The trace file that a process writes: nothing is lost, however the process ends."""

import mmap
import zlib


class Full(Ended):
    """The trace takes no more records."""


class TraceFile:
    """One trace that is being written: PATH.part and PATH.tail, later PATH.

    Records go to a buffer that is a mapped file, the tail, without a system call
    each: what was written there survives any end of the process. A full buffer
    becomes one gzip member at the end of the part. Whoever ends the trace adds
    the rest, renames the part and removes the tail: the process itself, or who
    started it.

    The tail begins with two sizes of the part, 8 bytes each, little endian: that
    at which its last whole member ends, and that to which the buffer's content
    belongs. Where they differ, the content is in the part already. The content
    ends at the first byte FILL, which UTF-8 does not have.

    No descriptor is kept that the program could close or write to; the mapping
    has one of its own, which nothing is written through.
    """

    HEAD = 16
    BUFFER = 1 << 16
    FILL = b"\xff"

    def __init__(self, path, limit):
        self.path = path
        self.limit = limit
        self.ended = False
        self.failed = False  # it ended early, because the part took no more
        self.size = 0  # of the part, up to its last whole member
        self.taken = 0  # bytes of records that the part holds
        self.records = 0  # and their number
        use_stack(10)  # what follows must not be left half done
        os.close(os.open(path + ".part", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        try:
            self._make_tail(path + ".tail")
        except OSError:
            os.unlink(path + ".part")
            raise
        self.put = self.buffer.write
        self._clear(0)

    def _make_tail(self, path):
        """Makes and maps the tail, unless that raises OSError."""
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            length = self.HEAD + self.BUFFER
            os.ftruncate(descriptor, length)
            try:
                os.posix_fallocate(descriptor, 0, length)  # a full disk shows here
            except AttributeError:
                pass
            # The mapping keeps a copy of the descriptor: the lowest free number.
            self.copy = os.dup(descriptor)
            os.close(self.copy)
            self.buffer = mmap.mmap(descriptor, length)
            self.inode = os.fstat(descriptor).st_ino
        except OSError:
            os.unlink(path)
            raise
        finally:
            os.close(descriptor)

    def write(self, text):
        """Takes whole records."""
        try:
            self.put(text.encode())
        except ValueError:  # there is no room, or the trace has ended
            if self.ended:
                raise Full("") from None
            use_stack(10)  # as above
            data = text.encode()
            try:
                self._flush()
                self.check()
                if len(data) <= self.BUFFER:
                    self.put(data)
                else:
                    self._append(data)
            except OSError as error:
                self._fail("writing the trace: %s" % error.strerror)

    def _flush(self):
        """Moves what the buffer holds to the part."""
        end = self.buffer.tell()
        if end > self.HEAD:
            self._append(self.buffer[self.HEAD : end])

    def _append(self, data):
        """Adds records to the part, and clears the buffer, unless that raises OSError."""
        compressor = zlib.compressobj(1, zlib.DEFLATED, 31)
        member = compressor.compress(data) + compressor.flush()
        descriptor = os.open(self.path + ".part", os.O_WRONLY)
        try:
            written = 0
            while written < len(member):
                written += os.pwrite(descriptor, member[written:], self.size + written)
        finally:
            os.close(descriptor)
        self.taken += len(data)
        self.records += data.count(b"\n")
        self._clear(self.size + len(member))

    def _fail(self, reason):
        """Ends the trace because the part takes no more. The tail keeps the records
        that are in it for whoever started the process, up to the last one that leaves
        room for the reason."""
        last = ("Z\t%s\n" % escape(reason)).encode()
        room = self.HEAD + self.BUFFER
        end = self.buffer.rfind(b"\n", self.HEAD, min(self.buffer.tell(), room - len(last))) + 1
        end = max(end, self.HEAD)
        self.buffer[end:room] = last + self.FILL * (room - end - len(last))
        self.failed = True
        self.release()
        raise Full(reason) from None

    def _clear(self, size):
        """Empties the buffer, whose content is in the part of this size. A signal
        handler that raises here does not have the content written again."""
        buffer = self.buffer
        whole = size.to_bytes(8, "little")
        buffer[0:8] = whole
        self.size = size
        buffer.seek(self.HEAD)
        buffer[self.HEAD :] = self.FILL * self.BUFFER
        buffer[8:16] = whole

    def check(self):
        """Raises Full when the part has more records than it may."""
        if self.taken > self.limit:
            raise Full("the limit of %d bytes" % self.limit)

    def end(self):
        """Ends the trace as it stands."""
        if self.ended:
            return
        try:
            self._flush()
            os.rename(self.path + ".part", self.path)
            os.unlink(self.path + ".tail")
        except OSError:
            pass  # who started the process sees to it: the tail has what the part lacks
        self.release()

    def release(self):
        """Gives the buffer back: the trace takes no more."""
        if self.ended:
            return
        self.ended = True
        try:
            if os.fstat(self.copy).st_ino == self.inode:
                self.buffer.close()
                return
        except OSError:
            pass
        # The program has closed the mapping's descriptor, and its number may be
        # another file's now, which closing the mapping would close.
        self.buffer.seek(0, os.SEEK_END)
        KEPT.append(self.buffer)


# Mappings that cannot be given back.
KEPT = []
