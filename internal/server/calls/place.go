package calls

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/protocol"
)

// place is where a call is in lists: by its acceptance, in milliseconds since 1970, and its ID.
// It does not change while the call waits, runs and ends, so no call is on two pages, or on none.
type place struct {
	ms int64
	id string
}

// lowest is before the acceptance of every call.
const lowest = math.MinInt64

func placeOf(c *protocol.CallSummary) place { return place{c.AcceptedAt.UnixMilli(), c.CallID} }

// follows reports whether a call at other comes after p in a list.
func (p place) follows(other place) bool {
	return other.ms < p.ms || other.ms == p.ms && other.id < p.id
}

// order is the order of lists: the newest first.
func order(a, b protocol.CallSummary) int {
	p, q := placeOf(&a), placeOf(&b)
	return cmp.Or(cmp.Compare(q.ms, p.ms), cmp.Compare(q.id, p.id))
}

// cursor returns the cursor of the page after a place.
func (p place) cursor() string { return strconv.FormatInt(p.ms, 10) + "." + p.id }

// placeAt returns the place of a cursor, the beginning of the list for none.
func placeAt(cursor string) (place, error) {
	if cursor == "" {
		return place{ms: math.MaxInt64}, nil
	}
	ms, id, ok := strings.Cut(cursor, ".")
	at, err := strconv.ParseInt(ms, 10, 64)
	if !ok || err != nil || at < 0 || at > latest || id != "" && api.CallID(id) != nil {
		return place{}, audit.ErrCursor
	}
	return place{at, id}, nil
}

// latest is the end of the year 9999 in milliseconds: later times have no text.
const latest = 253402300799999
