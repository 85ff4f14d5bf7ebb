"""Finds calls with literal arguments in the Python files of a tree.

    python scan.py TREE

Nothing of the tree is imported or run. Standard output gets one JSON object a
line: {"file", "root", "module", "function", "call"} for each entry, where file
is the one that defines the function, relative to TREE; {"dropped": REASON,
"count": N} for what is no entry; {"files": N} at the end.
"""

import ast
import collections
import doctest
import json
import os
import sys

# Larger files are data or generated code.
LARGEST = 400_000
LONGEST_CALL = 200

dropped = collections.Counter()


def python_files(tree):
    if os.path.isfile(tree):
        yield tree
        return
    for folder, folders, files in os.walk(tree):
        folders[:] = sorted(d for d in folders if not d.startswith(".") and d not in ("__pycache__", "node_modules"))
        for name in sorted(files):
            if name.endswith(".py"):
                yield os.path.join(folder, name)


def module_of(path):
    """The folder from which a file is imported, and its dotted name."""
    folder, name = os.path.split(os.path.abspath(path))
    parts = [] if name == "__init__.py" else [name[:-3]]
    while os.path.exists(os.path.join(folder, "__init__.py")):
        folder, package = os.path.split(folder)
        parts.insert(0, package)
    return folder, ".".join(parts)


class File:
    """One file: its top-level functions and the names that it imports."""

    def __init__(self, path):
        self.path = path
        self.root, self.module = module_of(path)
        tree = self.parse()
        self.functions = {
            node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        }
        package = self.module if os.path.basename(path) == "__init__.py" else self.module.rpartition(".")[0]
        # Name → (module, name in it), or (module, None) for a module itself.
        self.imports = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    name = alias.name if alias.asname else alias.name.partition(".")[0]
                    self.imports[alias.asname or name] = (name, None)
            elif isinstance(node, ast.ImportFrom):
                base = node.module or ""
                if node.level:
                    parents = package.split(".")[: len(package.split(".")) - node.level + 1]
                    base = ".".join(parents + ([node.module] if node.module else []))
                for alias in node.names:
                    self.imports[alias.asname or alias.name] = (base, alias.name)


    def parse(self):
        # Syntax trees are large; none is kept.
        with open(self.path, encoding="utf-8") as f:
            return ast.parse(f.read())


def is_literal(node):
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def parsed(text):
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def examples(file):
    """The code in which calls are examples: doctests and assertions."""
    for node in ast.walk(file.parse()):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)):
            docstring = ast.get_docstring(node, clean=False)
            if docstring and ">>>" in docstring:
                try:
                    found = doctest.DocTestParser().get_examples(docstring)
                except ValueError:
                    dropped["doctest that does not parse"] += 1
                    continue
                for example in found:
                    code = parsed(example.source)
                    if code is None:
                        dropped["doctest that does not parse"] += 1
                    else:
                        yield code
        elif isinstance(node, ast.Assert):
            yield node.test
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.startswith("assert"):
            for argument in node.args:
                yield argument


class Scan:
    def __init__(self, tree):
        self.tree = tree if os.path.isdir(tree) else os.path.dirname(tree) or "."
        self.files = []
        for path in python_files(tree):
            try:
                if os.path.getsize(path) > LARGEST:
                    dropped["file of more than %d kB" % (LARGEST // 1000)] += 1
                    continue
                self.files.append(File(path))
            except (OSError, SyntaxError, ValueError, RecursionError):
                dropped["file that does not parse"] += 1
        self.by_module = {file.module: file for file in self.files}

    def resolve(self, file, function):
        """The file and the name of a function that a call names, or None."""
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            module, inner = file.imports.get(function.value.id, (None, None))
            if module is None:
                return None
            return self.defined(module + "." + inner if inner else module, function.attr)
        if not isinstance(function, ast.Name):
            return None
        if function.id in file.functions:
            return file, function.id
        module, inner = file.imports.get(function.id, (None, None))
        return self.defined(module, inner) if inner else None

    def defined(self, module, name, depth=0):
        """Where a module's function is defined: packages import from their modules."""
        file = self.by_module.get(module)
        if file is None or depth > 4:
            return None
        if name in file.functions:
            return file, name
        module, inner = file.imports.get(name, (None, None))
        return self.defined(module, inner, depth + 1) if inner else None

    def entries(self):
        seen = set()
        for file in self.files:
            for code in examples(file):
                for call in ast.walk(code):
                    if not isinstance(call, ast.Call):
                        continue
                    found = self.resolve(file, call.func)
                    if found is None:
                        dropped["call of what is no function at the top of a file of the tree"] += 1
                        continue
                    if not all(map(is_literal, call.args + [k.value for k in call.keywords])) or any(k.arg is None for k in call.keywords):
                        dropped["call with an argument that is no literal"] += 1
                        continue
                    definer, name = found
                    text = ast.unparse(ast.Call(ast.Name(name, ast.Load()), call.args, call.keywords))
                    if len(text) > LONGEST_CALL or "\n" in text:
                        dropped["call of more than %d characters" % LONGEST_CALL] += 1
                    elif (definer.path, text) in seen:
                        dropped["entry found twice"] += 1
                    else:
                        seen.add((definer.path, text))
                        yield {
                            "file": os.path.relpath(definer.path, self.tree), "root": definer.root,
                            "module": definer.module, "function": name, "call": text,
                        }


def main():
    scan = Scan(sys.argv[1])
    for entry in scan.entries():
        print(json.dumps(entry))
    for reason, count in sorted(dropped.items()):
        print(json.dumps({"dropped": reason, "count": count}))
    print(json.dumps({"files": len(scan.files)}))


if __name__ == "__main__":
    main()
