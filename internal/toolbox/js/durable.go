package js

import "encoding/json"

// Durable makes a task the run of a program: code that calls tools, waits for days and
// runs again from its beginning whenever it goes on.
//
// The run is a coroutine. It reaches the outside through [OpNext] only, and only when its
// code waits. The answer has the events that happened; they are settled one after the
// other, in their order, and after each the code runs until it waits again. Time and
// randomness come from the events and from ID. So a run that is given the same events
// makes the same steps with the same numbers, whether they come in one answer or in many:
// a replay may give a whole journal in one answer of less than 8 MB, because an event may
// precede the step that it settles, as long as the step is made by the code that the
// events before it wake.
//
// An error in place of an answer ends the run with that error. The code has no further
// turn then, not even a finally: this is the way to end a turn whose program waits.
type Durable struct {
	ID    string // program.id, which also seeds the randomness
	NowMS int64  // the time at which the program began, in Unix milliseconds
	Zone  string // the IANA zone of program.today(); empty is UTC
	// Tool is set for a durable tool: the code is then the body of an async function of
	// args, tools and program, in place of tools, input and program.
	Tool bool
}

// NextRequest has what a program did since the last one, in its order.
type NextRequest struct {
	Steps  []Step    `json:"steps,omitempty"`
	Sleeps []Sleep   `json:"sleeps,omitempty"`
	Logs   []LogLine `json:"logs,omitempty"`
	// Unsettled is the number of events of earlier answers that are still to be settled.
	// It is 0 unless what the code did meanwhile would not fit into one request. Such a
	// request is answered without waiting for anything; the answer may be empty.
	Unsettled int `json:"unsettled,omitempty"`
	// Ended is set in a request after the code returned or threw, which is made if it did
	// something since the last one. Its answer is ignored.
	Ended bool `json:"ended,omitempty"`
	// Failed is the number of the step whose error the code did not catch, in the last request.
	Failed int `json:"failed,omitempty"`
}

// Step is one call of a tool. Steps are numbered from 1 in the order of the code.
type Step struct {
	N    int             `json:"n"`
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"` // an object
	// Line and Column are the place of the call's parenthesis in the code as its author wrote
	// it, from 1; 0 if no code of the author is near.
	Line   int `json:"line"`
	Column int `json:"column"`
	// Name is that of the enclosing program.step, with those around it.
	Name string `json:"name,omitempty"`
}

// Sleep is one program.sleep. Sleeps are numbered from 1, apart from the steps. The time may
// have passed already.
type Sleep struct {
	N       int   `json:"n"`
	UntilMS int64 `json:"until_ms"` // in Unix milliseconds
	Line    int   `json:"line"`
}

// NextAnswer has the events that a program has not seen.
type NextAnswer struct {
	Events []Event `json:"events"`
	// Replay is set if they come from the journal. The time until the next request then
	// counts as replay, not as work of the program.
	Replay bool `json:"replay,omitempty"`
}

// Event settles one step or one sleep. An event for a number that the code has not made, or
// a second one, ends the run.
type Event struct {
	Step  int             `json:"step,omitempty"`
	Sleep int             `json:"sleep,omitempty"`
	Value json.RawMessage `json:"value,omitempty"` // of a step; nothing is null
	Error *StepError      `json:"error,omitempty"`
	NowMS int64           `json:"now"` // the time of the program from now on; it never goes back
}

// StepError is the failure of a step, as the code sees it.
type StepError struct {
	Type    string `json:"error_type"`
	CallID  string `json:"call_id,omitempty"`
	Message string `json:"message"`
}

// The bounds of a program on the side of its code. The first two end in a rate_limited error
// that the code can catch.
const (
	MaxSteps  = 2000
	MaxSleeps = 2000
	// MaxSleep is the longest program.sleep, in days.
	MaxSleep = 30

	// programLines and programBytes limit the log of one run, as journalLines and
	// journalBytes limit that of a call.
	programLines = 1000
	programBytes = 256 << 10
	// mostUnsent limits the bytes of the calls that code makes without waiting, and
	// splitAt those after which a request is sent although events are left: a frame of
	// the sandbox has 8 MB.
	mostUnsent = 4 << 20
	splitAt    = 2 << 20
	// stepCost is the most that a step adds to its arguments, such as its name.
	stepCost = 1400
	// maxStepName limits the characters of the name of a step, and maxToolName the bytes
	// of that of a tool.
	maxStepName = 200
	maxToolName = 128
)
