package durable

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/tool"
)

// The code and its dispatcher speak in these messages, which package js has as well: the code
// runs where this package is not linked.

// Next lists what the code has made since it saw the last events, in its order.
type Next struct {
	Steps  []Step  `json:"steps,omitempty"`
	Sleeps []Sleep `json:"sleeps,omitempty"`
	Logs   []Log   `json:"logs,omitempty"`
	// Unsettled is the number of events that the code has been given and not seen: it only sends
	// what it has made so far, and waits for nothing.
	Unsettled int `json:"unsettled,omitzero"`
	// Ended is set when the code has returned or thrown. Failed is then the number of the step
	// whose error the code did not catch, 0 for none.
	Ended  bool `json:"ended,omitzero"`
	Failed int  `json:"failed,omitzero"`
}

// Step is a call that the code makes. N counts from 1.
type Step struct {
	N      int            `json:"n"`
	Tool   string         `json:"tool"`
	Args   jsontext.Value `json:"args"`
	Line   int            `json:"line,omitzero"`
	Column int            `json:"column,omitzero"`
	Name   string         `json:"name,omitempty"`
}

// Sleep is a time that the code awaits. N counts from 1.
type Sleep struct {
	N       int   `json:"n"`
	UntilMS int64 `json:"until_ms"`
	Line    int   `json:"line,omitzero"`
}

// Log is a line that the code logs.
type Log struct {
	Level   string `json:"level"`
	Message string `json:"message"`
}

// Answer holds the events that the code sees next.
type Answer struct {
	Events []Event `json:"events"`
	// Replay is set if the events come from the journal.
	Replay bool `json:"replay,omitzero"`
}

// Event is the end of a step or of a sleep, and the time that it has for the code.
type Event struct {
	Step  int            `json:"step,omitzero"`
	Sleep int            `json:"sleep,omitzero"`
	Value jsontext.Value `json:"value,omitzero"`
	Error *StepError     `json:"error,omitzero"`
	NowMS int64          `json:"now"`
}

// StepError is the failure of a step.
type StepError struct {
	Type    tool.Kind `json:"error_type"`
	CallID  string    `json:"call_id,omitempty"`
	Message string    `json:"message"`
}

// Entry is one entry of a journal: what the code made, and then saw.
type Entry struct {
	// Proof is that of the program's key ([Program.Proof]): an entry with another proof is not of this program.
	Proof  string  `json:"proof,omitempty"`
	AtMS   int64   `json:"at"`
	Made   []Made  `json:"made,omitempty"`
	Sleeps []Sleep `json:"sleeps,omitempty"`
	Logs   []Log   `json:"logs,omitempty"`
	Events []Event `json:"events,omitempty"`
	// CPUMS is the time that the code took before.
	CPUMS int64 `json:"cpu_ms,omitzero"`
}

// Made is a step as the journal has it.
type Made struct {
	N    int    `json:"n"`
	Tool string `json:"tool"`
	Hash string `json:"hash"`
	Line int    `json:"line,omitzero"`
	Name string `json:"name,omitempty"`
	AtMS int64  `json:"at"`
	// CallID is the call of a step that an earlier program made, with which this one goes on.
	CallID string `json:"call_id,omitempty"`
}
