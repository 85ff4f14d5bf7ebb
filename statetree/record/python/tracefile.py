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
        self.failed = False  # it ended because the part took no more
        self.size = 0  # of the part
        self.taken = 0  # bytes of records that the part holds
        self.records = 0  # and their number
        os.close(os.open(path + ".part", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        descriptor = os.open(path + ".tail", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
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
            os.unlink(path + ".tail")
            os.unlink(path + ".part")
            raise
        finally:
            os.close(descriptor)
        self.put = self.buffer.write
        self._clear()

    def write(self, text):
        """Takes whole records."""
        try:
            self.put(text.encode())
        except ValueError:  # there is no room, or the trace has ended
            self.flush()
            self.check()
            data = text.encode()
            if len(data) <= self.BUFFER:
                self.put(data)
            else:
                self._append(data)

    def flush(self):
        """Moves what the buffer holds to the part."""
        if self.ended:
            raise Full("")
        end = self.buffer.tell()
        if end > self.HEAD:
            self._append(self.buffer[self.HEAD : end])

    def _append(self, data):
        compressor = zlib.compressobj(1, zlib.DEFLATED, 31)
        member = compressor.compress(data) + compressor.flush()
        try:
            descriptor = os.open(self.path + ".part", os.O_WRONLY)
        except OSError:
            self._fail("the trace file is gone")
        try:
            written = 0
            while written < len(member):
                written += os.pwrite(descriptor, member[written:], self.size + written)
        except OSError as error:
            self._fail("writing the trace: %s" % error.strerror)
        finally:
            os.close(descriptor)
        self.size += len(member)
        self.taken += len(data)
        self.records += data.count(b"\n")
        self._clear()

    def _fail(self, reason):
        """Ends the trace because the part takes no more. The buffer keeps what it
        holds for whoever started the process, and the reason in place of its last
        records."""
        last = ("Z\t%s\n" % escape(reason)).encode()
        room = self.HEAD + self.BUFFER
        end = self.buffer.rfind(b"\n", self.HEAD, min(self.buffer.tell(), room - len(last))) + 1
        end = max(end, self.HEAD)
        self.buffer[end:room] = last + self.FILL * (room - end - len(last))
        self.failed = True
        self.release()
        raise Full(reason) from None

    def _clear(self):
        buffer = self.buffer
        size = self.size.to_bytes(8, "little")
        buffer[0:8] = size
        buffer[self.HEAD :] = self.FILL * self.BUFFER
        buffer[8:16] = size
        buffer.seek(self.HEAD)

    def check(self):
        """Raises Full when the part has more records than it may."""
        if self.taken > self.limit:
            raise Full("the limit of %d bytes" % self.limit)

    def end(self):
        """Ends the trace as it stands."""
        if self.ended:
            return
        try:
            self.flush()
            os.rename(self.path + ".part", self.path)
            os.unlink(self.path + ".tail")
        except (Full, OSError):
            pass  # who started the process sees to it
        self.release()

    def release(self):
        """Gives the buffer back: the trace takes no more."""
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
