package repl

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/repr"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// Place writes where a frame is, as pdb does: file(line)function().
func Place(file string, line int, function string) string {
	text := filepath.Base(file)
	if line > 0 {
		text += "(" + strconv.Itoa(line) + ")"
	}
	if function != statetree.ModuleFunction {
		function += "()"
	}
	return text + function
}

// WhereText is the call stack, outermost frame first, with a mark at the frame
// that is looked at.
func WhereText(stack timeline.Stack, selected int) string {
	var out strings.Builder
	for i := len(stack) - 1; i >= 0; i-- {
		out.WriteString(FrameText(stack[i], i == selected))
	}
	return out.String()
}

// FrameText is one frame of a call stack.
func FrameText(f *timeline.Frame, selected bool) string {
	mark := "  "
	if selected {
		mark = "> "
	}
	if f.Label {
		return mark + f.Function + "\n"
	}
	text := mark + Place(f.File, f.Line, f.Function)
	if f.Assumed {
		text += " (assumed)"
	}
	return text + "\n-> " + strings.TrimSpace(f.Source) + "\n"
}

// listed is how many lines List shows before and behind the middle one.
const listed = 5

// ListText is the source that a list command asks for: around the line here,
// which is about to run (0 when it is in another file), around another line, or
// from one line to another. marked are the lines with breakpoints.
func ListText(file *source.File, argument string, here int, marked func(line int) bool) (string, error) {
	middle, most := max(here, 1), len(file.Lines())
	first, last := middle-listed, middle+listed
	if argument != "" && argument != "." {
		from, to, isRange := strings.Cut(argument, ",")
		line, err := Line(file, from)
		if err != nil {
			return "", err
		}
		first, last = line-listed, line+listed
		if isRange {
			if last, err = Line(file, to); err != nil {
				return "", err
			}
			first = line
		}
	}
	var out strings.Builder
	for line := max(1, first); line <= min(last, most); line++ {
		mark, arrow := " ", "  "
		if marked(line) {
			mark = "B"
		}
		if line == here {
			arrow = "->"
		}
		text := fmt.Sprintf("%4d %s%s %s", line, mark, arrow, strings.ReplaceAll(file.Line(line), "\t", "        "))
		out.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	return out.String(), nil
}

// Line returns the line that a text names by its number.
func Line(file *source.File, text string) (int, error) {
	line, err := strconv.Atoi(strings.TrimSpace(text))
	if last := len(file.Lines()); err != nil || line < 1 || line > last {
		return 0, fmt.Errorf("%q is no line of %s; it has lines 1 to %d", strings.TrimSpace(text), file.Path(), last)
	}
	return line, nil
}

// BreakpointLine returns the line and the condition that the argument of a break
// command names: `4`, `count`, `4, n > 1`.
func BreakpointLine(file *source.File, argument string) (line int, condition string, err error) {
	place, condition, _ := strings.Cut(argument, ",")
	place, condition = strings.TrimSpace(place), strings.TrimSpace(condition)
	if f := file.FunctionNamed(place); f != nil && f.Line > 0 {
		return f.Line, condition, nil
	}
	line, err = Line(file, place)
	return line, condition, err
}

// Count reads the argument of up and down.
func Count(argument string) (int, error) {
	if argument == "" {
		return 1, nil
	}
	n, err := strconv.Atoi(argument)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is no number of frames", argument)
	}
	return n, nil
}

// prettyWidth is how wide a line of Pretty is before it is divided.
const prettyWidth = 80

// Pretty writes a value's repr with a line for each part of what is long, as
// pprint does.
func Pretty(text string) string {
	var out strings.Builder
	pretty(&out, repr.Parse(text), 0, "")
	return out.String()
}

// maxPrettyDepth is how deep parts get lines of their own.
const maxPrettyDepth = 20

func pretty(out *strings.Builder, v repr.Value, indent int, suffix string) {
	text := v.String()
	opening, closing := "", ""
	switch v.Kind {
	case repr.List:
		opening, closing = "[", "]"
	case repr.Tuple:
		opening, closing = "(", ")"
	case repr.Dict, repr.Set:
		opening, closing = "{", "}"
	case repr.Object:
		opening, closing = v.Type+"(", ")"
	}
	if opening == "" || len(text)+indent+len(suffix) <= prettyWidth || v.Cut || indent >= maxPrettyDepth || len(v.Children) < 2 {
		out.WriteString(text + suffix)
		return
	}
	out.WriteString(opening)
	for i, c := range v.Children {
		if i > 0 {
			out.WriteString("\n" + strings.Repeat(" ", indent+1))
		}
		label := ""
		if c.Key != nil {
			label = c.Key.String() + ": "
		} else if c.Name != "" {
			label = c.Name + "="
		}
		out.WriteString(label)
		after := ","
		if i == len(v.Children)-1 {
			after = closing + suffix
		}
		pretty(out, c.Value, indent+1, after)
	}
}
