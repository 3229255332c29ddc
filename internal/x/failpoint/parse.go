package failpoint

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// action is the action at a point.
type action string

const (
	kill  action = "kill"
	stop  action = "stop"
	fail  action = "error"
	pause action = "pause"
)

// fault is the requested action of one point.
type fault struct {
	do   action
	wait time.Duration
	// at is the number of the hit at which it happens, from 1; 0 means every hit.
	at int64
}

// parse parses the value of FAILPOINTS. Its error names everything that is wrong.
func parse(text string) (map[string]fault, error) {
	faults := map[string]fault{}
	var problems []error
	for entry := range strings.SplitSeq(text, ",") {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		name, what, _ := strings.Cut(entry, "=")
		f, err := parseFault(what)
		switch _, twice := faults[name]; {
		case !slices.Contains(Names(), name):
			err = fmt.Errorf("there is no point %q", name)
		case twice:
			err = errors.New("the point is named twice")
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("FAILPOINTS: %q: %w", entry, err))
			continue
		}
		faults[name] = f
	}
	return faults, errors.Join(problems...)
}

func parseFault(text string) (fault, error) {
	f := fault{at: 1}
	text, at, counted := strings.Cut(text, "@")
	if counted && at == "*" {
		f.at = 0
	} else if counted {
		n, err := strconv.ParseInt(at, 10, 64)
		if err != nil || n < 1 {
			return f, fmt.Errorf("after @ stands a count from 1, or *, not %q", at)
		}
		f.at = n
	}
	do, length, timed := strings.Cut(text, ":")
	f.do = action(do)
	switch {
	case f.do == pause:
		d, err := time.ParseDuration(length)
		if err != nil || d <= 0 {
			return f, fmt.Errorf("pause wants a duration, as in pause:200ms, not %q", length)
		}
		f.wait = d
	case timed || !slices.Contains([]action{kill, stop, fail}, f.do):
		return f, fmt.Errorf("the action is kill, stop, error or pause:DURATION, not %q", text)
	}
	return f, nil
}

// due reports whether the fault happens at the n-th hit, counted from 1.
func (f fault) due(n int64) bool { return f.at == 0 || f.at == n }
