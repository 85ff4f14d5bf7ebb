# Python imports this when it starts, since neuraldbg has put its folder first in
# PYTHONPATH. The sitecustomize that Python would have found otherwise comes after.
import os
import sys


def begin():
    folder = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != folder]
    if sys.version_info >= (3, 9):
        sys.path.insert(0, folder)
        try:
            import neuraldbg_recorder

            neuraldbg_recorder.follow(neuraldbg_recorder.SETTINGS)
        finally:
            sys.path.remove(folder)
            sys.modules.pop("neuraldbg_recorder", None)


try:
    begin()
except Exception:
    pass  # such as a Python without zlib: it is not recorded, and runs as ever
finally:
    del sys.modules["sitecustomize"]
    import sitecustomize  # noqa: F401; that there is none is what Python expects
