package source

import "slices"

// comprehension compiles the call of a comprehension's own code. Its frames are
// folded into this line, so all that is kept of its body is what it may call.
func (c *compiler) comprehension(n *node) {
	s := site{kind: comprehensionSite, call: n}
	lazy := n.kind == "generator_expression"
	s.inner = comprehensionSites(n, c.text)
	c.constant(isTrue)
	c.operate(false)
	clause := n.child("for_in_clause")
	rights := slices.Collect(clause.fields("right"))
	if len(rights) == 1 {
		c.iterable(rights[0])
	} else {
		line := c.line
		c.at(rights[0])
		c.display(rights, 0, true)
		c.line = line
	}
	c.visitSite(site{kind: iterateSite}) // GET_ITER
	c.operate(false)
	c.visitSite(s)
	if clause.has("async") && !lazy {
		c.operate(true)
		c.constant(isFalse)
		c.yieldFrom()
	}
}

// comprehensionSites returns what running a comprehension's own code may call.
// Its first iterable belongs to the code around it.
func comprehensionSites(n *node, text string) []site {
	var sites []site
	first := true
	for part := range n.operands() {
		if part.kind != "for_in_clause" {
			sites = appendSites(sites, part, text)
			continue
		}
		sites = append(sites, site{kind: iterateSite})
		if !first {
			sites = appendSites(sites, part.at("right"), text)
		}
		sites = appendSites(sites, part.at("left"), text)
		first = false
	}
	return sites
}

// appendSites adds all that running n may call.
func appendSites(sites []site, n *node, text string) []site {
	switch n.kind {
	case "lambda":
		return sites
	case "call":
		sites = append(sites, callSite(n.at("function"), n, text))
	case "attribute":
		sites = append(sites, site{kind: attributeSite, name: n.at("attribute").text(text)})
	case "for_in_clause", "list_splat", "await", "yield":
		sites = append(sites, site{kind: iterateSite})
	}
	for part := range n.operands() {
		sites = appendSites(sites, part, text)
	}
	return sites
}
