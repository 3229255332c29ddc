package streams

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// portion is the part of a stream in the storage that no setting asked for.
type portion struct {
	stream string
	// parts is its part of the shared storage, and least the bytes below which it is of no use.
	parts, least int64
	// perMessage is the size for which the bytes are computed from the bound of messages.
	perMessage int64
}

// portions returns the table of docs/deploy.md. The mix of calls of docs/sizing.md keeps 1,258
// bytes in the results for an hour and 38 bytes of once-only records for 26, so for the same
// rate of calls results need a little more, and far more for a burst of calls; twice as much
// serves both. A callback is kept with its result, but few calls have one.
func portions() []portion {
	return []portion{
		{Results, 6, 16 << 20, 2 << 10},
		{Once, 3, 8 << 20, 512},
		{Callbacks, 2, 4 << 20, 2 << 10},
		{Dead, 1, 4 << 20, 0},
	}
}

const (
	// mostBytes is the most that a stream gets without a setting, and deadBytes that of
	// unreadable messages.
	mostBytes, deadBytes = 16 << 30, 256 << 20
	// leastChosen is the part of a bound that a setting asked for without which nothing starts.
	leastChosen = 1 << 20
	// freePart is the part of the storage that streams without a bound are left: the audit
	// trail, parked calls, objects, buckets.
	freePart = 2
)

// demand is the request of a stream for storage. Chosen means that a setting asks for wanted bytes.
type demand struct {
	portion
	wanted int64
	chosen bool
}

// floor returns the bytes without which the stream is of no use.
func (d demand) floor() int64 {
	if d.chosen {
		return min(d.wanted, leastChosen)
	}
	return d.least
}

// needed returns the least and the most storage that the streams can use on one server.
func needed(all []demand) (least, most int64) {
	for _, d := range all {
		if d.chosen {
			least, most = least+d.floor(), most+d.wanted
		} else {
			least, most = least+freePart*d.least, most+freePart*d.wanted
		}
	}
	return least, most
}

// divide returns the bytes of each stream where one server has so much storage for them. What
// settings ask for comes first, the smallest of it before the largest, as far as it leaves the
// others what they cannot do without; of the rest a part stays free, and the others share it.
func divide(storage int64, all []demand) (map[string]int64, error) {
	if least, _ := needed(all); storage < least {
		return nil, errRoom
	}
	bytes := map[string]int64{}
	var auto, chosen []demand
	rest := storage
	for _, d := range all {
		if d.chosen {
			chosen = append(chosen, d)
		} else {
			auto = append(auto, d)
		}
	}
	least, _ := needed(auto)
	pour(rest-least, chosen, func(demand) int64 { return 1 }, bytes)
	for _, d := range chosen {
		rest -= bytes[d.stream]
	}
	pour(rest/freePart, auto, func(d demand) int64 { return d.parts }, bytes)
	return bytes, nil
}

// pour divides storage by weights: none gets more than it wants or less than its floor.
func pour(storage int64, all []demand, weight func(demand) int64, bytes map[string]int64) {
	open := slices.Clone(all)
	for len(open) > 0 {
		sum := 0.0
		for _, d := range open {
			sum += float64(weight(d))
		}
		part := func(d demand) int64 { return int64(float64(storage) * float64(weight(d)) / sum) }
		// What one does not want makes the parts of the others larger, and a floor smaller.
		i := slices.IndexFunc(open, func(d demand) bool { return part(d) >= d.wanted })
		if i >= 0 {
			bytes[open[i].stream] = open[i].wanted
		} else if i = slices.IndexFunc(open, func(d demand) bool { return part(d) < d.floor() }); i >= 0 {
			bytes[open[i].stream] = open[i].floor()
		} else {
			for _, d := range open {
				bytes[d.stream] = part(d)
			}
			return
		}
		storage -= bytes[open[i].stream]
		open = slices.Delete(open, i, i+1)
	}
}

// errRoom means that NATS has less storage than the streams cannot do without.
var errRoom = errors.New("nats has too little storage")

// rungsPerDoubling is the number of steps in which storage is measured between a size and twice
// that size. The steps are the same for every process, so that the plans of all are the same.
const rungsPerDoubling = 4

// rungs returns the sizes of storage that are tried, from the least to the most that streams
// can use.
func rungs(least, most int64) []int64 {
	all := []int64{least}
	for i := 1; ; i++ {
		size := int64(math.Exp2(float64(i)/rungsPerDoubling)) &^ (1<<20 - 1)
		if i/rungsPerDoubling > 61 || size >= most {
			break
		}
		if size > least {
			all = append(all, size)
		}
	}
	if most > least {
		all = append(all, most)
	}
	return all
}

// reached returns the last rung whose plan the present bounds fulfil, -1 if they fulfil none. The
// first rung does not count: each stream is made with its plan, before anything is measured.
func reached(rungs []int64, all []demand, is map[string]int64) int {
	for i, storage := range rungs {
		bytes, err := divide(storage, all)
		if err != nil || slices.ContainsFunc(all, func(d demand) bool { return is[d.stream] < bytes[d.stream] }) {
			if i < 2 {
				return -1
			}
			return i - 1
		}
	}
	return len(rungs) - 1
}

// highest returns the last rung that fits, -1 if none does. It begins above at, which fits: a
// plan that is complete costs one question.
func highest(rungs []int64, at int, fits func(storage int64) (bool, error)) (int, error) {
	try := func(i int) (bool, error) {
		ok, err := fits(rungs[i])
		if ok {
			at = i
		}
		return ok, err
	}
	if at+1 >= len(rungs) {
		return at, nil
	}
	if ok, err := try(at + 1); err != nil || !ok {
		return at, err
	}
	if ok, err := try(len(rungs) - 1); err != nil || ok {
		return at, err
	}
	for above := len(rungs) - 1; at+1 < above; {
		middle := (at + above) / 2
		ok, err := try(middle)
		if err != nil {
			return at, err
		}
		if !ok {
			above = middle
		}
	}
	return at, nil
}

// tooLittle returns the error where NATS has too little storage for the streams. Account is the
// limit of the account on all servers together, 0 if it has none.
func tooLittle(all []demand, replicas int, account int64, dir string) error {
	least, _ := needed(all)
	where := "raise max_file_store of the NATS servers, or free storage that other streams have set aside"
	switch {
	case dir != "":
		where = fmt.Sprintf("the volume of %s has too little free space: free some, or choose a directory on another one with --data (data)", dir)
	case account > 0:
		where = fmt.Sprintf("the account may hold %d MiB on all servers: raise its max_file (helve nats-auth server --max-disk)", account>>20)
	}
	return fmt.Errorf("%w: helve's streams need %d MiB on each server that holds one of their %d copies; %s",
		errRoom, mebi(least), replicas, where)
}

func mebi(n int64) int64 { return (n + 1<<20 - 1) >> 20 }
