package history

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/helve-dev/helve/internal/lib/latency"
)

// MaxPools bounds the pools of a minute: those with the most calls. The calls of the others
// count in the total only.
const MaxPools = 16

// Minute holds the counts of a minute: those of one process, or the stored ones of all.
type Minute struct {
	// Number is the number of the minute since 1970. It is the key of a stored minute.
	Number int64 `json:"-"`
	// From and To bound the time that was watched, in milliseconds from the begin of the
	// minute. Watched is its length, without the gaps of an account of several processes.
	From    int64             `json:"f"`
	To      int64             `json:"t"`
	Watched int64             `json:"w"`
	Total   Counts            `json:"a"`
	Pools   map[string]Counts `json:"p,omitempty"`
}

// Counts are the calls of a pool that ended in a time, and the most that there was of its load.
type Counts struct {
	Succeeded uint64         `json:"s,omitempty"`
	Failed    uint64         `json:"e,omitempty"`
	Times     latency.Counts `json:"h,omitempty"`
	// Backlog is nil if it was not known.
	Backlog *int64 `json:"b,omitempty"`
	Busy    int    `json:"u,omitempty"`
	Slots   int    `json:"c,omitempty"`
}

// calls returns the number of calls that ended.
func (c Counts) calls() uint64 { return c.Succeeded + c.Failed }

// then returns the counts of two times that follow each other.
func (c Counts) then(o Counts) Counts {
	return Counts{
		Succeeded: c.Succeeded + o.Succeeded, Failed: c.Failed + o.Failed, Times: c.Times.Plus(o.Times),
		Backlog: most(c.Backlog, o.Backlog), Busy: max(c.Busy, o.Busy), Slots: max(c.Slots, o.Slots),
	}
}

// beside returns the counts of two pools at the same time.
func (c Counts) beside(o Counts) Counts {
	sum := c.then(o)
	sum.Busy, sum.Slots = c.Busy+o.Busy, c.Slots+o.Slots
	if c.Backlog != nil && o.Backlog != nil {
		both := *c.Backlog + *o.Backlog
		sum.Backlog = &both
	}
	return sum
}

func most(a, b *int64) *int64 {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}

// begin returns the time at which the minute begins.
func (m Minute) begin() time.Time { return time.Unix(m.Number*60, 0).UTC() }

// then returns the counts of two times, of which the second follows the first.
func (m Minute) then(o Minute) Minute {
	sum := Minute{
		Number: m.Number, From: min(m.From, o.From), To: max(m.To, o.To), Watched: m.Watched + o.Watched, Total: m.Total.then(o.Total),
		Pools: maps.Clone(m.Pools),
	}
	for name, c := range o.Pools {
		if sum.Pools == nil {
			sum.Pools = map[string]Counts{}
		}
		sum.Pools[name] = sum.Pools[name].then(c)
	}
	bound(sum.Pools)
	return sum
}

// bound leaves the pools with the most calls, of equals those with the most slots.
func bound(pools map[string]Counts) {
	if len(pools) <= MaxPools {
		return
	}
	names := slices.SortedFunc(maps.Keys(pools), func(a, b string) int {
		x, y := pools[a], pools[b]
		return cmp.Or(cmp.Compare(y.calls(), x.calls()), cmp.Compare(y.Slots, x.Slots), cmp.Compare(a, b))
	})
	for _, name := range names[MaxPools:] {
		delete(pools, name)
	}
}

// whole is the time of a minute, and margin the time by which an account must be longer than
// another to count in its place, both in milliseconds.
const (
	whole  = 60_000
	margin = 5_000
)

// Merge returns the account of a minute to be stored, where one is stored and a process has
// counted the minute too. It returns false if that is the stored one.
func Merge(stored, counted Minute) (Minute, bool) {
	switch {
	case stored.Watched == 0:
		return counted, counted.Watched > 0
	case counted.Watched == 0:
		return stored, false
	case stored.To <= counted.From || counted.To <= stored.From:
		return stored.then(counted), true
	case min(counted.Watched, whole) >= min(stored.Watched, whole)+margin:
		return counted, true
	}
	return stored, false
}

// Key returns the key under which the minute is stored.
func (m Minute) Key() string { return strconv.FormatInt(m.Number, 10) }

// Encode returns the minute as it is stored.
func (m Minute) Encode() ([]byte, error) { return json.Marshal(m) }

// Decode returns a stored minute, and false for what is none.
func Decode(key string, value []byte) (Minute, bool) {
	var m Minute
	number, err := strconv.ParseInt(key, 10, 64)
	if err != nil || json.Unmarshal(value, &m) != nil || m.Watched <= 0 || len(m.Pools) > MaxPools {
		return Minute{}, false
	}
	m.Number = number
	return m, true
}
