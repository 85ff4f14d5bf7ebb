package main

import (
	"math"
	"regexp"
)

// numberFault is what package strconv puts before what is wrong with a number.
var numberFault = regexp.MustCompile(`: strconv\.Parse[A-Za-z0-9]+: parsing "[^"]*": `)

// number is the value of a flag that is a whole number, with its bounds, both of
// which are allowed.
type number struct {
	flag               string
	value, least, most int
}

// unbounded is the most of a number whose size is the user's affair.
const unbounded = math.MaxInt

// mostWorkers bounds how many workers a command may be told to start: more are never
// meant.
const mostWorkers = 1024

// checkNumbers refuses the first number that is out of its bounds.
func checkNumbers(numbers ...number) error {
	for _, n := range numbers {
		switch {
		case n.value < n.least:
			return usagef("--%s must be at least %d, got %d", n.flag, n.least, n.value)
		case n.value > n.most:
			return usagef("--%s must be at most %d, got %d", n.flag, n.most, n.value)
		}
	}
	return nil
}
