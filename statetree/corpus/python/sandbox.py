"""Confines the process: the programs that it runs are other people's.

They can read files and compute. An audit hook and resource limits refuse them
writing files, starting processes, sockets and foreign code; they see an empty
environment and stand in the root folder. This bounds accidents; it is no wall
against programs written to break out.
"""

import os
import resource
import sys

# The events of the interpreter's audit that are refused, by the beginning of
# their names. https://docs.python.org/3/library/audit_events.html
REFUSED = (
    "ctypes.", "fcntl.", "ftplib.", "http.", "imaplib.", "msvcrt.", "nntplib.",
    "os.", "poplib.", "pty.", "resource.", "shutil.", "signal.", "smtplib.", "socket.",
    "sqlite3.", "subprocess.", "syslog.", "telnetlib.", "tempfile.", "urllib.",
    "webbrowser.", "winreg.", "_winapi.",
)
ALLOWED = {"os.listdir", "os.scandir", "os.walk", "os.fwalk", "socket.gethostname"}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def refuse(event, arguments):
    if event == "open":
        _, mode, flags = arguments
        if not (flags or 0) & WRITING and not set(mode or "r") & set("wax+"):
            return
    elif not event.startswith(REFUSED) or event in ALLOWED:
        return
    raise PermissionError(event + " is refused to the programs of a corpus")


for limit in ("RLIMIT_FSIZE", "RLIMIT_NPROC", "RLIMIT_CORE"):
    try:
        resource.setrlimit(getattr(resource, limit), (0, 0))
    except (AttributeError, ValueError, OSError):
        pass  # a limit that this system does not have
os.chdir("/")
os.environ.clear()
sys.dont_write_bytecode = True
sys.path[:] = IMPORT_PATH + [folder for folder in sys.path if folder not in ("", ".")]
sys.addaudithook(refuse)
