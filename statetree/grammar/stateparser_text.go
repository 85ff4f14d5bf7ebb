package grammar

// The part of StateParser that reads plain text: SRC, LOCALS and ARGS, a byte at
// a time.

// required returns the byte that must come next, where the structure leaves no
// choice.
func (p *StateParser) required() (byte, bool) {
	switch p.phase {
	case inObject:
		return '{', true
	case inFirst:
		return '"', p.forms&fullForm == 0
	case inName:
		return p.markByte(p.current.name.from), p.firstName() && p.forms&fullForm == 0
	case inColon:
		return ':', true
	case inSpace, inComma:
		return ' ', true
	case inOpen, inQuote, inArgs:
		return '"', true
	case inValue:
		return p.markByte(p.current.value.from), p.readsMark()
	}
	return 0, false
}

// rejectsByte says why the byte may not come next; "" if it may.
func (p *StateParser) rejectsByte(b byte) string {
	if want, ok := p.required(); ok {
		if b != want {
			return wants[want]
		}
		return ""
	}
	switch p.phase {
	case inSource:
		if b == '\n' || b == '\r' {
			return "a source is one line"
		}
		if !p.text.acceptsUTF8(b) {
			return "not UTF-8"
		}
		return p.rejectsSource(string([]byte{b}))
	case inFirst:
		if b == '}' || b == '"' && (p.forms != fullForm || p.mayName(nil, "", false)) {
			return ""
		}
		return "want a name or the end of LOCALS"
	case inName:
		return p.rejectsInName(b)
	case inNext:
		if b == '}' || b == ',' && p.forms != unknownForm && p.mayName(nil, "", false) {
			return ""
		}
		return "want the next name or the end of LOCALS"
	case inValue, inArg:
		return p.text.rejectsInString(b)
	}
	return "want a special token"
}

// wants are the messages for bytes that are required.
var wants = [128]string{'{': "want {", ':': "want :", ' ': "want a space", '"': `want "`, '.': "want the unchanged mark"}

// advanceByte reads a byte that rejectsByte has let pass.
func (p *StateParser) advanceByte(b byte) {
	p.raw = append(p.raw, b)
	here := int32(len(p.raw))
	switch p.phase {
	case inSource:
		p.text.advanceUTF8(b)
	case inObject:
		p.phase = inFirst
	case inFirst:
		if b == '}' {
			p.endValues()
		} else {
			p.beginName()
		}
	case inName:
		if p.text.advanceInString(b) {
			p.current.name.to = here - 1
			p.difference = p.difference || string(p.in(p.current.name)) == unchanged
			p.phase = inColon
		}
	case inColon:
		p.phase = inSpace
	case inSpace:
		p.phase = inOpen
	case inOpen:
		p.current.value.from = here
		p.phase = inValue
	case inValue:
		mark := p.readsMark()
		if p.text.advanceInString(b) {
			p.current.value.to = here - 1
			if !mark {
				p.entries = append(p.entries, p.current)
			}
			p.phase = inNext
		}
	case inNext:
		if b == '}' {
			p.endValues()
		} else {
			p.phase = inComma
		}
	case inComma:
		p.phase = inQuote
	case inQuote:
		p.beginName()
	case inArgs:
		p.phase = inArg
	case inArg:
		if p.text.advanceInString(b) {
			p.endValues()
		}
	}
}

func (p *StateParser) beginName() {
	p.current = entry{name: span{from: int32(len(p.raw))}}
	p.phase = inName
}

func (p *StateParser) endValues() {
	p.values.to = int32(len(p.raw))
	p.phase = afterAll
}

// rejectsSource says why SRC, extended by more, is no beginning of an expected
// source; with more empty, why it is none.
func (p *StateParser) rejectsSource(more string) string {
	sources, limited := p.expect.sources(p.event)
	if !limited {
		return ""
	}
	so := p.raw[p.source.from:]
	for _, s := range sources {
		if more == "" && s == string(so) || more != "" && hasPrefix(s, so, more) {
			return ""
		}
	}
	return "the source is not one of those expected"
}

// hasPrefix reports whether s begins with so followed by more.
func hasPrefix(s string, so []byte, more string) bool {
	n := len(so)
	return len(s) >= n+len(more) && s[:n] == string(so) && s[n:n+len(more)] == more
}

// firstName reports whether the current name is the first of LOCALS.
func (p *StateParser) firstName() bool { return p.current.name.from == p.values.from+2 }

// readsMark reports whether the current value is that of the unchanged mark.
func (p *StateParser) readsMark() bool {
	return p.difference && p.firstName()
}

// markByte returns the byte that continues the unchanged mark, or its closing
// quote, in a string that began at from; 0 when the string is not the mark.
func (p *StateParser) markByte(from int32) byte {
	switch so := p.raw[from:]; {
	case string(so) == unchanged:
		return '"'
	case len(so) < len(unchanged) && string(so) == unchanged[:len(so)]:
		return unchanged[len(so)]
	}
	return 0
}

// rejectsInName says why b does not continue, or as a quote end, a name. Where
// only the mark can stand, required has its say instead.
func (p *StateParser) rejectsInName(b byte) string {
	so := p.raw[p.current.name.from:]
	if p.firstName() && p.forms != fullForm && b != 0 && b == p.markByte(p.current.name.from) {
		return ""
	}
	if reason := p.text.rejectsInString(b); reason != "" {
		return reason
	}
	if b != '"' || p.text.escape != noEscape {
		if !p.mayName(so, string([]byte{b}), false) {
			return "the name is not one of those expected"
		}
		return ""
	}
	if string(so) == unchanged {
		return "the unchanged mark is not expected here"
	}
	if !p.mayName(so, "", true) {
		return "the name is there already, or not one of those expected"
	}
	return ""
}

// mayName reports whether a name that is not listed yet, and is expected, begins
// with so and more, in JSON; or, if whole, is exactly so.
func (p *StateParser) mayName(so []byte, more string, whole bool) bool {
	if !p.expect.limitsNames() {
		return !whole || !p.lists(string(so))
	}
	for _, name := range p.expect.Names {
		name = jsonName(name)
		if (whole && name == string(so) || !whole && hasPrefix(name, so, more)) && !p.lists(name) {
			return name != unchanged
		}
	}
	return false
}

// lists reports whether LOCALS has the name, given in JSON, already.
func (p *StateParser) lists(name string) bool {
	for _, e := range p.entries {
		if string(p.in(e.name)) == name {
			return true
		}
	}
	return false
}

// jsonName returns a name in JSON without its quotes.
func jsonName(name string) string {
	for i := 0; i < len(name); i++ {
		if b := name[i]; b < ' ' || b == '"' || b == '\\' || b >= 0x80 {
			quoted := appendJSONString(nil, name)
			return string(quoted[1 : len(quoted)-1])
		}
	}
	return name
}
