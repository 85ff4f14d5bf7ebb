"""Finds calls with literal arguments in the Python files of a tree.

    python scan.py TREE

An entry is a call of a function at the top of a file, of a class there, of one of
its static or class methods, or of a method of an object that is made in the same
expression: f(1), Stack([1]), Stack.of(1), Stack([1]).pop(). In a doctest or a test
that says s = Stack([1]) first, s.pop() is the latter: what was done to s in between
is left out, since any call will do that can be run.

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


FUNCTIONS = ast.FunctionDef, ast.AsyncFunctionDef
# What runs when an object is made.
MAKERS = "__init__", "__new__", "__post_init__"


class Class:
    """One top-level class: its methods, and its bases as far as they are names."""

    def __init__(self, node):
        self.name = node.name
        self.methods = {n.name: self.is_unbound(n) for n in node.body if isinstance(n, FUNCTIONS)}
        self.bases = [base.id for base in node.bases if isinstance(base, ast.Name)]

    @staticmethod
    def is_unbound(function):
        """Whether a method is called on the class itself."""
        decorators = [d.id for d in function.decorator_list if isinstance(d, ast.Name)]
        return "staticmethod" in decorators or "classmethod" in decorators


class File:
    """One file: its top-level functions and classes, and the names that it imports."""

    def __init__(self, path):
        self.path = path
        self.root, self.module = module_of(path)
        tree = self.parse()
        self.functions = {node.name for node in tree.body if isinstance(node, FUNCTIONS)}
        self.classes = {node.name: Class(node) for node in tree.body if isinstance(node, ast.ClassDef)}
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

    def method(self, class_name, names, unbound=False, depth=0):
        """The qualified name of the first of some methods that a class or one of its
        bases in the file defines, or None."""
        found = self.classes.get(class_name)
        if found is None or depth > 8:
            return None
        for name in names:
            if name in found.methods and (found.methods[name] or not unbound):
                return found.name + "." + name
        inherited = (self.method(base, names, unbound, depth + 1) for base in found.bases)
        return next(filter(None, inherited), None)

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


def literal_call(call):
    return all(map(is_literal, call.args + [k.value for k in call.keywords])) and all(k.arg for k in call.keywords)


def bind(objects, statement, heads):
    """Notes in objects, from name to call, what a statement binds names to."""
    if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
        for target in statement.targets:
            if isinstance(target, ast.Name):
                objects[target.id] = statement.value
        return
    for head in heads:
        for node in ast.walk(head):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                objects.pop(node.id, None)


def taken_apart(statement):
    """The parts of a statement that are no statements, and the statements in it."""
    heads, block = [], []
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.stmt):
            block.append(child)
        elif isinstance(getattr(child, "body", None), list):  # of except or case
            block.extend(child.body)
        else:
            heads.append(child)
    return heads, block


def examples(scope):
    """The code in which calls are examples, doctests and assertions, each with what
    is known then of names: the calls that they are bound to."""
    yield from docstring_examples(scope)
    yield from asserted(scope.body, {})


def asserted(block, objects):
    for statement in block:
        if isinstance(statement, FUNCTIONS + (ast.ClassDef,)):
            yield from examples(statement)
            continue
        heads, inner = taken_apart(statement)
        if isinstance(statement, ast.Assert):
            yield statement.test, objects
        for head in heads:
            for node in ast.walk(head):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.startswith("assert"):
                    for argument in node.args:
                        yield argument, objects
        yield from asserted(inner, objects)
        bind(objects, statement, heads)


def docstring_examples(node):
    docstring = ast.get_docstring(node, clean=False)
    if not docstring or ">>>" not in docstring:
        return
    try:
        found = doctest.DocTestParser().get_examples(docstring)
    except ValueError:
        dropped["doctest that does not parse"] += 1
        return
    objects = {}
    for example in found:
        code = parsed(example.source)
        if code is None:
            dropped["doctest that does not parse"] += 1
            continue
        yield code, objects
        for statement in code.body:
            bind(objects, statement, [statement])


class Scan:
    def __init__(self, tree):
        self.tree = tree if os.path.isdir(tree) else os.path.dirname(tree) or "."
        self.files = []
        for path in python_files(tree):
            try:
                if not os.path.isfile(path):  # reading a pipe would wait for its writer
                    dropped["link to nothing, or no regular file"] += 1
                    continue
                if os.path.getsize(path) > LARGEST:
                    dropped["file of more than %d kB" % (LARGEST // 1000)] += 1
                    continue
                self.files.append(File(path))
            except (OSError, SyntaxError, ValueError, RecursionError):
                dropped["file that does not parse"] += 1
        self.by_module = {file.module: file for file in self.files}

    def resolve(self, file, call, objects):
        """The file that defines what a call calls, its qualified name there, and the
        call as that file would write it; None when no file of the tree does."""
        place = self.place(file, call.func)
        if place is not None:
            definer, name = place
            if name in definer.functions:
                return definer, name, written(ast.Name(name), call)
            made = definer.method(name, MAKERS)
            return made and (definer, made, written(ast.Name(name), call))
        if not isinstance(call.func, ast.Attribute):
            return None
        # A method: of a class, or of an object that is made by literals.
        owner, method = call.func.value, call.func.attr
        if isinstance(owner, ast.Name):
            owner = objects.get(owner.id, owner)
        made = isinstance(owner, ast.Call)
        place = self.place(file, owner.func if made else owner)
        if place is None or made and not literal_call(owner):
            return None
        definer, name = place
        found = definer.method(name, [method], unbound=not made)
        if found is None:
            return None
        value = ast.Call(ast.Name(name), owner.args, owner.keywords) if made else ast.Name(name)
        return definer, found, written(ast.Attribute(value, method), call)

    def place(self, file, expression):
        """The file, and the name there, of the function or class that a name or
        module.name stands for, or None."""
        if isinstance(expression, ast.Attribute) and isinstance(expression.value, ast.Name):
            module, inner = file.imports.get(expression.value.id, (None, None))
            if module is None:
                return None
            return self.defined(module + "." + inner if inner else module, expression.attr)
        if not isinstance(expression, ast.Name):
            return None
        if expression.id in file.functions or expression.id in file.classes:
            return file, expression.id
        module, inner = file.imports.get(expression.id, (None, None))
        return self.defined(module, inner) if inner else None

    def defined(self, module, name, depth=0):
        """Where a name of a module is defined: packages import from their modules."""
        file = self.by_module.get(module)
        if file is None or depth > 4:
            return None
        if name in file.functions or name in file.classes:
            return file, name
        module, inner = file.imports.get(name, (None, None))
        return self.defined(module, inner, depth + 1) if inner else None

    def entries(self):
        seen = set()
        for file in self.files:
            for code, objects in examples(file.parse()):
                for call in ast.walk(code):
                    if not isinstance(call, ast.Call):
                        continue
                    found = self.resolve(file, call, objects)
                    if found is None:
                        dropped["call of what no file of the tree defines at its top"] += 1
                        continue
                    if not literal_call(call):
                        dropped["call with an argument that is no literal"] += 1
                        continue
                    definer, name, text = found
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


def written(function, call):
    """The text of a call of a function with another call's arguments."""
    return ast.unparse(ast.Call(function, call.args, call.keywords))


def main():
    scan = Scan(sys.argv[1])
    for entry in scan.entries():
        print(json.dumps(entry))
    for reason, count in sorted(dropped.items()):
        print(json.dumps({"dropped": reason, "count": count}))
    print(json.dumps({"files": len(scan.files)}))


if __name__ == "__main__":
    main()
