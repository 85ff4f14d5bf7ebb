package grammar

// What a decoder asks a StateParser: none of it changes the parser.

// Allows reports whether the special token may come next.
func (p *StateParser) Allows(s Special) bool { return p.rejectsSpecial(s) == "" }

// Try reports whether the plain text may come next. The parser stays as it is.
func (p *StateParser) Try(text string) bool {
	saved := *p
	ok := true
	for i := 0; i < len(text) && ok; i++ {
		if ok = p.rejectsByte(text[i]) == ""; ok {
			p.advanceByte(text[i])
		}
	}
	p.restore(saved)
	return ok
}

// restore goes back to an earlier state of the same parser, but keeps the room
// that its buffers have gained.
func (p *StateParser) restore(saved StateParser) {
	saved.raw = p.raw[:len(saved.raw)]
	saved.entries = p.entries[:len(saved.entries)]
	*p = saved
}

// AllowedSpecials appends the special tokens that may come next.
func (p *StateParser) AllowedSpecials(dst []Special) []Special {
	for s := NoSpecial + 1; s < endOfSpecials; s++ {
		if p.Allows(s) {
			dst = append(dst, s)
		}
	}
	return dst
}

// AllowsText reports whether any plain text may come next.
func (p *StateParser) AllowsText() bool {
	for b := 0; b < 256 && p.phase.takesText(); b++ {
		if p.rejectsByte(byte(b)) == "" {
			return true
		}
	}
	return false
}

// Forced returns the continuation if there is only one: a special token, or all
// of the text up to the next point at which there is a choice.
func (p *StateParser) Forced() (Segment, bool) {
	special, text := NoSpecial, []byte(nil)
	saved := *p
	for {
		sole, count := NoSpecial, 0
		for s := NoSpecial + 1; s < endOfSpecials && count < 2 && !p.phase.onlyText(); s++ {
			if p.Allows(s) {
				sole = s
				count++
			}
		}
		next, fixed := p.required()
		if fixed {
			count++
		}
		for b := 0; b < 256 && count < 2 && !fixed && p.phase.takesText(); b++ {
			if p.rejectsByte(byte(b)) == "" {
				next = byte(b)
				count++
			}
		}
		if count != 1 {
			break
		}
		if sole != NoSpecial {
			if text == nil {
				special = sole
			}
			break
		}
		text = append(text, next)
		p.advanceByte(next)
	}
	p.restore(saved)
	return Segment{Special: special, Text: string(text)}, special != NoSpecial || text != nil
}
