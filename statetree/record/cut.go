package record

import "strings"

// CutShort is the Cut of a recording whose trace ends without saying why: the
// program was killed, or left through os._exit.
const CutShort = "the program ended without leaving Python"

// Limit is the limit that ended a recording early.
type Limit uint8

// The limits, which are those of Limits and of WorkerOptions.
const (
	NoLimit Limit = iota
	EventLimit
	TimeLimit
	ByteLimit
	MemoryLimit
)

// limitPrefix begins the Cut of a recording that went over a limit. The limit
// follows, as Python writes it: "100 events", "4096 bytes", "memory", or a time.
const limitPrefix = "the limit of "

// LimitOf returns the limit that the Cut of a recording tells of, or NoLimit when
// something else ended it.
func LimitOf(cut string) Limit {
	limit, ok := strings.CutPrefix(cut, limitPrefix)
	switch {
	case !ok:
		return NoLimit
	case strings.HasSuffix(limit, " events"):
		return EventLimit
	case strings.HasSuffix(limit, " bytes"):
		return ByteLimit
	case limit == "memory":
		return MemoryLimit
	}
	return TimeLimit
}
