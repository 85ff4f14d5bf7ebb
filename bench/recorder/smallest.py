"""The smallest trace function that takes the reprs that a recorder must take.

Run with PROGRAM [ARGUMENT...]. It writes nothing down.
"""

import sys

path = sys.argv[1]
sys.argv[:] = sys.argv[1:]
with open(path) as file:
    code = compile(file.read(), path, "exec")


def trace(frame, event, arg):
    if frame.f_code.co_filename is not path:
        return None
    try:
        if event == "exception":
            repr(arg[1])
        elif event == "return":
            repr(arg)
        else:
            for value in frame.f_locals.values():
                repr(value)
    except Exception:
        pass  # an object that is not complete yet
    return trace


names = {"__name__": "__main__"}
sys.settrace(trace)
exec(code, names)
