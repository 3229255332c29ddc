package natsio

import (
	"context"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// Mend changes the settings of a stream back that something other than Helve has altered,
// if that loses nothing. It returns whether it did, and the problem that is left: the
// settings that it may not or cannot change back. Wider bounds than wanted are no problem.
// A stream whose settings a Helve process wrote, of whatever configuration, is left as it
// is, so that processes with different settings do not undo each other's.
func (t Topology) Mend(ctx context.Context, s Stream, info *jetstream.StreamInfo) (mended bool, problem string, err error) {
	is, want := info.Config, s.wanted(info.Config)
	if generation, intact := stamp(is); intact || generation > Generation {
		return false, "", nil
	}
	var fixed, plain []string
	for _, d := range differs(want, is) {
		switch text := fmt.Sprintf("%s is %v, want %v", d.name, d.of(&is), d.of(&want)); {
		case d.wider != nil && d.wider(&want, &is):
			d.keep(&want, &is)
		case d.fixed, d.name == "deny_delete" && is.DenyDelete, d.name == "deny_purge" && is.DenyPurge,
			d.name == "max_msgs_per_subject" && crowded(want, info):
			fixed = append(fixed, text)
		default:
			plain = append(plain, text)
		}
	}
	switch {
	case len(fixed) > 0:
		return false, strings.Join(append(fixed, plain...), "; "), nil
	case len(plain) == 0:
		return false, "", nil
	}
	problem = strings.Join(plain, "; ")
	if t.forbidden() {
		return false, problem, nil
	}
	if err := t.reserve(ctx, want, is); err != nil {
		return false, problem, fmt.Errorf("stream %s: %w", s.Name, err)
	}
	return true, "", nil
}

// crowded reports whether the server would delete messages of a stream to keep as few under
// each subject as wanted.
func crowded(want jetstream.StreamConfig, info *jetstream.StreamInfo) bool {
	return want.MaxMsgsPerSubject > 0 && info.State.Msgs > info.State.NumSubjects*uint64(want.MaxMsgsPerSubject)
}
