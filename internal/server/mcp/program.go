package mcp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/protocol"
)

// Progress is the number of steps that a program has made, and the last news of it.
type Progress struct {
	// Done counts the steps that have ended.
	Done int
	// Message is the line that the program logged last, or the name or tool of its last step.
	Message  string
	Deadline time.Time
}

// ProgressOf returns the progress of a program.
func ProgressOf(p *protocol.ProgramDetail) Progress {
	at := Progress{Deadline: p.Deadline}
	last := time.Time{}
	for i := range p.Steps {
		step := &p.Steps[i]
		if step.State != protocol.StateDone {
			continue
		}
		at.Done++
		if step.EndedAt != nil && !step.EndedAt.Before(last) {
			last, at.Message = *step.EndedAt, step.Tool
			if step.Name != "" {
				at.Message = step.Name
			}
		}
	}
	if n := len(p.Log); n > 0 && !p.Log[n-1].At.Before(last) {
		at.Message = p.Log[n-1].Message
	}
	return at
}

// mostQuestions bounds the questions of a program that a client is shown at a time.
const mostQuestions = 8

// questions returns the consents that a call awaits: its own, or those of the steps of a program.
func (o Outcome) questions() (ids []string) {
	if o.asks() {
		return []string{o.ConsentID}
	}
	if o.Status != pending || o.State != protocol.StateWaiting {
		return nil
	}
	for _, wait := range o.WaitingFor {
		if wait.ConsentID != "" && !slices.Contains(ids, wait.ConsentID) && len(ids) < mostQuestions {
			ids = append(ids, wait.ConsentID)
		}
	}
	return ids
}

// waits returns the things that a program waits for, as a text; empty if it does not wait.
func (o Outcome) waits() string {
	if ids := o.questions(); len(ids) > 0 {
		return "waits for a person to decide about consent " + strings.Join(ids, ", ")
	}
	until := time.Time{}
	for _, wait := range o.WaitingFor {
		if wait.Until != nil && (until.IsZero() || wait.Until.Before(until)) {
			until = *wait.Until
		}
	}
	if until.IsZero() {
		return ""
	}
	return "waits until " + until.UTC().Format(time.RFC3339)
}

// text returns the progress for a person.
func (p Progress) text() string {
	text := fmt.Sprintf("%d steps done", p.Done)
	if p.Done == 1 {
		text = "1 step done"
	}
	if p.Message != "" {
		text += ": " + p.Message
	}
	return text
}

// stepping makes progress notifications from the events of a program and its steps. The steps
// that have ended are the whole part of the progress, and what happens between them adds to it
// less than one step, because the protocol requires a number that grows.
type stepping struct {
	callID        string
	done, between int
	begun         bool
	// line is the line that was logged since the last step.
	line string
}

// told returns the notification for an event, nil for none.
func (s *stepping) told(e Event) *sdk.ProgressNotificationParams {
	n, ok := strings.CutPrefix(e.CallID, s.callID+"~")
	ofStep := ok && !strings.Contains(n, "~")
	s.begun = s.begun || ofStep
	var message string
	switch {
	case ofStep && e.Type == "done":
		message = cmp.Or(s.line, e.Tool)
		s.done, s.between, s.line = s.done+1, 0, ""
	case ofStep && e.Type == awaiting:
		s.between++
		message = e.Tool + " waits for a person"
	case e.CallID == s.callID && e.Type == "log":
		var line struct {
			Message string `json:"message"`
		}
		_ = json.Unmarshal(e.Data, &line) // a line without a text is empty
		s.between++
		s.line, message = line.Message, line.Message
	default:
		return nil
	}
	if !s.begun { // the log of a tool, or of a program that has made no step
		return nil
	}
	return &sdk.ProgressNotificationParams{Progress: float64(s.done) + 1 - 1/float64(s.between+1), Message: message}
}
