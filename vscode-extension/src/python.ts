/**
 * What an editor must know of Python's text: where there is code, which names
 * are in it, and which function a line is in. There is no parser; what looks
 * like a name and is none has no value, and is not shown.
 *
 * Lines and columns count from 0, columns in UTF-16 units, as in VS Code.
 */

/** A part of a line; `end` is behind its last character. */
export interface Span {
  line: number;
  start: number;
  end: number;
}

/** A function's text. */
export interface FunctionSpan {
  name: string;
  /** The line of its `def`. */
  line: number;
  /** Behind its last line. */
  end: number;
}

const identifier = /[\p{L}_][\p{L}\p{M}\p{N}_]*/gu;

const keywords = new Set(
  ("False None True and as assert async await break class continue def del elif else except finally for " +
    "from global if import in is lambda nonlocal not or pass raise return try while with yield").split(" "),
);

/**
 * The lines with spaces in place of strings and comments, so that every other
 * character keeps its column.
 */
export function codeOf(lines: readonly string[]): string[] {
  let open = ""; // the quotes that end the string that the line begins in
  return lines.map((line) => {
    let code = "";
    while (code.length < line.length) {
      const rest = line.slice(code.length);
      if (open !== "") {
        const end = endOfString(rest, open);
        code += " ".repeat(end ?? rest.length);
        if (end !== undefined || open.length === 1) {
          open = ""; // a string in single quotes ends with its line
        }
        continue;
      }
      const next = /(?:\b[rbfu]{1,2})?("""|'''|"|')|#/i.exec(rest);
      if (next === null || next[0] === "#") {
        code += next === null ? rest : rest.slice(0, next.index) + " ".repeat(rest.length - next.index);
        break;
      }
      code += rest.slice(0, next.index) + " ".repeat(next[0].length);
      open = next[1] ?? "";
    }
    if (open.length === 1) {
      open = "";
    }
    return code;
  });
}

/** The offset behind the quotes that end a string, if they are in the text. */
function endOfString(text: string, quotes: string): number | undefined {
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "\\") {
      i++;
    } else if (text.startsWith(quotes, i)) {
      return i + quotes.length;
    }
  }
  return undefined;
}

/** A name and the place where a line has it first. */
export interface Name extends Span {
  name: string;
}

/**
 * The variables that lines of code may have: names that are no keywords and no
 * attributes, each once a line.
 */
export function namesIn(code: readonly string[], first: number, end: number): Name[] {
  const names: Name[] = [];
  for (let line = Math.max(first, 0); line < Math.min(end, code.length); line++) {
    const text = code[line] ?? "";
    const seen = new Set<string>();
    for (const match of text.matchAll(identifier)) {
      const name = match[0];
      const afterNumber = /[\p{N}]$/u.test(text.slice(0, match.index));
      const attribute = /\.\s*$/.test(text.slice(0, match.index));
      if (!keywords.has(name) && !afterNumber && !attribute && !seen.has(name)) {
        seen.add(name);
        names.push({ name, line, start: match.index, end: match.index + name.length });
      }
    }
  }
  return names;
}

/**
 * The expression to evaluate for a place in a line: the name there with the
 * members and items before it, as `order.items[0].name` up to the name; on a
 * bracket, the item with its key. What would need a call is no such expression.
 */
export function expressionAt(code: string, column: number): { start: number; end: number } | undefined {
  let end = endOfNameAt(code, column);
  if (end === undefined && code[column] === "[") {
    end = closing(code, column);
  } else if (end === undefined && code[column] === "]") {
    end = column + 1;
  }
  if (end === undefined) {
    return undefined;
  }
  const start = startOfPrimary(code, end);
  return start === undefined ? undefined : { start, end };
}

/** The end of the name that a column is in. */
function endOfNameAt(code: string, column: number): number | undefined {
  for (const match of code.matchAll(identifier)) {
    const end = match.index + match[0].length;
    if (match.index <= column && column < end) {
      return keywords.has(match[0]) ? undefined : end;
    }
  }
  return undefined;
}

/** The offset behind the bracket that closes the one at an offset. */
function closing(code: string, open: number): number | undefined {
  let depth = 0;
  for (let i = open; i < code.length; i++) {
    if ("([{".includes(code[i] ?? "")) {
      depth++;
    } else if (")]}".includes(code[i] ?? "") && --depth === 0) {
      return i + 1;
    }
  }
  return undefined;
}

/** The bracket that the one before an offset closes. */
function opening(code: string, end: number): number | undefined {
  let depth = 0;
  for (let i = end - 1; i >= 0; i--) {
    if (")]}".includes(code[i] ?? "")) {
      depth++;
    } else if ("([{".includes(code[i] ?? "") && --depth === 0) {
      return i;
    }
  }
  return undefined;
}

/**
 * Where the primary that ends at an offset begins: a name, its members and
 * items. Undefined when it begins with something else, such as a call.
 */
function startOfPrimary(code: string, end: number): number | undefined {
  let start = end;
  for (;;) {
    if (code[start - 1] === "]") {
      const bracket = opening(code, start);
      if (bracket === undefined) {
        return undefined;
      }
      start = bracket; // and what it is an item of, which must be there
      continue;
    }
    const name = /[\p{L}_][\p{L}\p{M}\p{N}_]*$/u.exec(code.slice(0, start));
    if (name === null || keywords.has(name[0])) {
      return undefined;
    }
    start = name.index;
    if (code[start - 1] !== ".") {
      return start;
    }
    start--;
  }
}

/** The innermost function whose text a line is in. */
export function functionAt(code: readonly string[], line: number): FunctionSpan | undefined {
  let limit = Infinity; // a def further to the right does not hold the line
  for (let i = line; i >= 0; i--) {
    const text = code[i] ?? "";
    const indent = indentOf(text);
    if (indent >= limit || isContinuation(text)) {
      continue;
    }
    const name = /^\s*(?:async\s+)?def\s+([\p{L}_][\p{L}\p{M}\p{N}_]*)/u.exec(text)?.[1];
    if (name !== undefined) {
      return { name, line: i, end: endOfBlock(code, i) };
    }
    limit = indent;
  }
  return undefined;
}

/** Behind the last line of the block that a line begins. */
function endOfBlock(code: readonly string[], first: number): number {
  const indent = indentOf(code[first] ?? "");
  let end = first + 1;
  for (let i = end; i < code.length; i++) {
    const text = code[i] ?? "";
    if (isContinuation(text)) {
      continue;
    }
    if (indentOf(text) <= indent) {
      break;
    }
    end = i + 1;
  }
  return end;
}

/**
 * Whether the indent of a line says nothing: it is blank, or begins with the
 * bracket that ends a signature or a display.
 */
function isContinuation(text: string): boolean {
  return /^\s*([)\]}]|$)/.test(text);
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}

/** The lines of a function's own return statements. */
export function returnLines(code: readonly string[], f: FunctionSpan): number[] {
  const lines: number[] = [];
  for (let line = f.line + 1; line < f.end; line++) {
    if (/^\s*return\b/.test(code[line] ?? "") && functionAt(code, line)?.line === f.line) {
      lines.push(line);
    }
  }
  return lines;
}
