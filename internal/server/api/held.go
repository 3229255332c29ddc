package api

import (
	"time"

	"github.com/helve-dev/helve/protocol"
)

// held is the part of the element of a pending call with the things that it waits for.
type held struct {
	State      string                 `json:"state"`
	WaitingFor []protocol.ProgramWait `json:"waiting_for"`
}

// idle reports whether the call waits for a person or a time, and not only for a worker or for
// calls that run.
func (h *held) idle() bool {
	if h.State == protocol.StateAwaitingConsent {
		return true
	}
	for _, wait := range h.WaitingFor {
		if wait.Kind != protocol.WaitCall {
			return h.State == protocol.StateWaiting
		}
	}
	return false
}

// sentence returns the text about the call for a model.
func (h *held) sentence() string {
	const after = " It goes on by itself; do not make it again. You will be told its outcome."
	if h.State == protocol.StateAwaitingConsent {
		return "The call has no result yet: a person must approve it first." + after
	}
	until := time.Time{}
	for _, wait := range h.WaitingFor {
		switch {
		case wait.Kind == protocol.WaitAnswer:
			return "The program has no result yet: it waits for the answer of a person." + after
		case wait.Kind == protocol.WaitConsent:
			return "The program has no result yet: a person must approve one of its calls." + after
		case wait.Until != nil && (until.IsZero() || wait.Until.Before(until)):
			until = *wait.Until
		}
	}
	return "The program has no result yet: it waits until " + until.UTC().Format(time.RFC3339) + "." + after
}
