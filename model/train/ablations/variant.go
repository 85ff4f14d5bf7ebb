package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// variant is one setting to try.
type variant struct {
	name string
	own  []string // flags that it alone has
	all  []string // its flags with those of all variants before them
}

// forAll names the line with the flags of all variants.
const forAll = "all"

// parseVariants reads a file of variants. Blank lines and those that begin with #
// are left out.
func parseVariants(text string) ([]variant, error) {
	var shared []string
	var variants []variant
	seen := map[string]bool{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, flags, ok := strings.Cut(line, ":")
		own := strings.Fields(flags)
		switch {
		case !ok:
			return nil, fmt.Errorf("line %d is no variant: write NAME: FLAGS", i+1)
		case name == forAll && len(variants) > 0:
			return nil, fmt.Errorf("line %d: the flags of all variants must stand first", i+1)
		case name == forAll:
			shared = append(shared, own...)
			continue
		}
		v := variant{name: name, own: own, all: slices.Concat(shared, own)}
		if v.folder() == "" || seen[v.folder()] {
			return nil, fmt.Errorf("line %d: the name %q is empty or taken", i+1, name)
		}
		seen[v.folder()] = true
		variants = append(variants, v)
	}
	if len(variants) == 0 {
		return nil, errors.New("there are no variants: write lines with NAME: FLAGS")
	}
	return variants, nil
}

var notInFolders = regexp.MustCompile(`[^a-z0-9.]+`)

// folder is the name of the variant's folder.
func (v variant) folder() string {
	return strings.Trim(notInFolders.ReplaceAllString(strings.ToLower(v.name), "-"), "-.")
}

// hasData reports whether the variant says what it is trained on.
func (v variant) hasData() bool {
	return slices.ContainsFunc(v.all, func(flag string) bool {
		return flag == "--data" || strings.HasPrefix(flag, "--data=")
	})
}
