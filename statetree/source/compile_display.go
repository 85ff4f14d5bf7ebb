package source

import "slices"

// stackGuideline is the number of elements from which CPython builds a
// collection piece by piece.
const stackGuideline = 30

func (c *compiler) tuple(n *node) { c.display(slices.Collect(n.operands()), 0, true) }

// display builds a list, set or tuple of elements, after pushed others.
func (c *compiler) display(elements []*node, pushed int, tuple bool) {
	count := len(elements)
	if count > 2 && !slices.ContainsFunc(elements, func(e *node) bool { return !c.isConstant(e) }) {
		if tuple && pushed == 0 {
			c.constant(isTrue)
			return
		}
		c.operate(false)
		c.constant(isTrue)
		c.operate(false)
		if tuple {
			c.operate(false)
		}
		return
	}
	star := slices.ContainsFunc(elements, func(e *node) bool { return e.kind == "list_splat" })
	big := count+pushed > stackGuideline
	if !star && !big {
		for _, e := range elements {
			c.expression(e)
		}
		if tuple {
			c.emit(instruction{op: buildTuple, argument: int32(count + pushed)})
		} else {
			c.operate(true) // a set hashes its elements
		}
		return
	}
	built := big
	if big {
		c.operate(false)
	}
	for _, e := range elements {
		if e.kind == "list_splat" {
			if !built {
				c.operate(false)
				built = true
			}
			c.expression(e.operand(0))
			c.visitSite(site{kind: iterateSite}) // LIST_EXTEND
			continue
		}
		c.expression(e)
		if built {
			c.operate(true)
		}
	}
	if tuple {
		c.operate(false)
	}
}

func (c *compiler) dictionary(n *node) {
	built := false
	update := func() {
		if built {
			c.operate(true)
		}
		built = true
	}
	var pairs []*node
	flush := func() {
		if len(pairs) > 0 {
			c.subDictionary(pairs)
			update()
			pairs = nil
		}
	}
	for e := range n.operands() {
		if e.kind == "dictionary_splat" {
			flush()
			if !built {
				c.operate(false)
				built = true
			}
			c.expression(e)
			c.visitSite(site{kind: iterateSite}) // DICT_UPDATE
			continue
		}
		pairs = append(pairs, e)
		if (len(pairs)-1)*2 > stackGuideline {
			flush()
		}
	}
	flush()
	if !built {
		c.operate(false)
	}
}

func (c *compiler) subDictionary(pairs []*node) {
	big := len(pairs)*2 > stackGuideline
	if len(pairs) > 1 && !big && !slices.ContainsFunc(pairs, func(p *node) bool { return !c.isConstant(p.at("key")) }) {
		for _, p := range pairs {
			c.expression(p.at("value"))
		}
		c.constant(isTrue)
		c.operate(false)
		return
	}
	if big {
		c.operate(false)
	}
	for _, p := range pairs {
		c.expression(p.at("key"))
		c.expression(p.at("value"))
		if big {
			c.operate(true)
		}
	}
	if !big {
		c.operate(true)
	}
}

// subscript compiles what stands between the brackets.
func (c *compiler) subscript(n *node) {
	parts := slices.Collect(n.fields("subscript"))
	if len(parts) == 1 && !n.has(",") {
		c.expression(parts[0])
		return
	}
	line := c.line
	c.at(parts[0])
	if !slices.ContainsFunc(parts, func(p *node) bool { return !c.isConstant(p) }) {
		c.constant(isTrue)
	} else {
		c.display(parts, 0, true)
	}
	c.line = line
}

func (c *compiler) slice(n *node) {
	// The parts that are missing load None.
	missing := 2
	count := 0
	for part := n.first; part != nil; part = part.next {
		if part.named {
			c.expression(part)
			count++
			missing--
		}
	}
	for ; missing > 0; missing-- {
		c.constant(isFalse)
	}
	c.operate(false)
}
