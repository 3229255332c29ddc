package audio

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// maxSegments limits the number of files of one call.
const maxSegments = 500

// shortest is the length of the shortest segment in seconds; many frames are no
// shorter.
const shortest = 0.05

// longest is a length in seconds that no file reaches.
const longest = 1e8

// shorter compares computed lengths with a tolerance: 0.15-0.1 is less than 0.05.
func shorter(length, bound float64) bool { return length < bound-1e-6 }

// cuts holds the places to cut: a fixed interval, or a list of points.
type cuts struct {
	every  float64
	points []float64 // sorted, without duplicates
}

// parseCuts reads splitPoints: a number is the length of every segment, a list holds
// the points to cut at. Both may be text, points also as [hh:]mm:ss.
func parseCuts(raw json.RawMessage) (cuts, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		text = strings.TrimSpace(text)
		switch {
		case strings.HasPrefix(text, "["):
			raw = json.RawMessage(text)
		case strings.ContainsAny(text, ",:; "):
			words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",; \t\n", r) })
			raw, _ = json.Marshal(words)
		default:
			raw = json.RawMessage(text)
		}
	}
	var every float64
	if err := json.Unmarshal(raw, &every); err == nil && string(raw) != "null" {
		if every < shortest || every > longest {
			return cuts{}, tool.Fail(tool.ValidationError,
				"splitPoints is the length of each segment in seconds when it is a single number: it must be at least %v and at most %.0f, not %v.",
				shortest, longest, every)
		}
		return cuts{every: every}, nil
	}
	var list []any
	if err := json.Unmarshal(raw, &list); err != nil || len(list) == 0 {
		return cuts{}, tool.Fail(tool.ValidationError, "splitPoints must be the length of each segment in seconds, such as 600, or the points "+
			"to cut at, such as [30, 95.5] or [\"0:30\", \"1:35.5\"].").Because(err)
	}
	if len(list) > maxSegments {
		return cuts{}, tooMany(len(list) + 1)
	}
	var c cuts
	for _, item := range list {
		p, ok := seconds(item)
		if !ok || p > longest {
			return cuts{}, tool.Fail(tool.ValidationError, "splitPoints holds %v, which is no point in time: give seconds from 0 to %.0f, or mm:ss.",
				shown(item), longest)
		}
		if p > 0 { // every file starts at 0
			c.points = append(c.points, p)
		}
	}
	slices.Sort(c.points)
	c.points = slices.Compact(c.points)
	if len(c.points) == 0 {
		return cuts{}, tool.Fail(tool.ValidationError, "splitPoints cuts nowhere: give a point after the beginning.")
	}
	return c, nil
}

// shown formats an unusable point for an error message.
func shown(item any) string {
	text, err := json.Marshal(item)
	if err != nil || len(text) > 40 {
		return "a value"
	}
	return string(text)
}

// seconds parses one point.
func seconds(item any) (float64, bool) {
	switch v := item.(type) {
	case float64:
		return v, v >= 0
	case string:
		parts := strings.Split(strings.TrimSpace(v), ":")
		if len(parts) > 3 {
			return 0, false
		}
		var sum float64
		for i, part := range parts {
			n, err := strconv.ParseFloat(part, 64)
			if err != nil || n < 0 || math.IsInf(n, 0) || math.IsNaN(n) || i > 0 && n >= 60 {
				return 0, false
			}
			sum = 60*sum + n
		}
		return sum, true
	default:
		return 0, false
	}
}

// segment is a part of a file, in seconds.
type segment struct{ start, end float64 }

// segments applies the cuts to a file of a given length. It drops points that would
// leave too short a rest.
func (c cuts) segments(length float64) (all []segment, dropped []float64, err error) {
	points := c.points
	if c.every > 0 {
		n := math.Ceil(length/c.every - 1e-6)
		if n > maxSegments {
			return nil, nil, tooMany(int(min(n, math.MaxInt32)))
		}
		for i := 1; i < int(n); i++ {
			points = append(points, float64(i)*c.every)
		}
	}
	all = []segment{{0, length}}
	for _, p := range points {
		final := &all[len(all)-1]
		switch {
		case p > length+0.01:
			return nil, nil, tool.Fail(tool.ValidationError, "splitPoints holds %v s, but the file ends at %v s.", round(p, 3), round(length, 3))
		case shorter(p-final.start, shortest):
			return nil, nil, tool.Fail(tool.ValidationError, "splitPoints holds points less than %v s apart; leave out %v.", shortest, round(p, 3))
		case shorter(length-p, shortest):
			dropped = append(dropped, round(p, 3))
			continue
		}
		final.end = p
		all = append(all, segment{p, length})
	}
	return all, dropped, nil
}

func tooMany(n int) error {
	return tool.Fail(tool.ValidationError, "That would make %d segments; at most %d are made in one call, so make them longer.",
		n, maxSegments)
}
