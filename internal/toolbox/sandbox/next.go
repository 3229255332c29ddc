package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox/wire"
	"github.com/helve-dev/helve/internal/x/gopool"
	"github.com/helve-dev/helve/tool"
)

// errNext is the violation of a child whose request for the next events is not one that the
// code of a program can make.
var errNext = errors.New("a request of a program that its code cannot make")

// next starts the host's work for a request of a program. The limits of the run rest until it
// is answered, because the child does nothing meanwhile.
func (r *run) next(a wire.Ask) error {
	r.mu.Lock()
	again := r.nexts
	r.nexts = true
	r.mu.Unlock()
	if again || a.Op != js.OpNext || len(a.Body) > 0 || !r.follows(a.Args) {
		return errNext
	}
	cpu := r.watch.pause()
	gopool.Go(func() {
		answer, err := r.do(a, cpu)
		defer answer.Finish()
		replay := r.noteEvents(answer.Value)
		r.mu.Lock()
		r.nexts = false
		r.mu.Unlock()
		r.watch.resume(replay)
		r.answer(a, answer, err)
	}, nil)
	return nil
}

// follows reports whether the numbers of a request follow those of the requests before, and
// its parts have the forms and sizes that the code of a program can give them.
func (r *run) follows(args json.RawMessage) bool {
	var q js.NextRequest
	if json.Unmarshal(args, &q) != nil || len(q.Logs) > mostLines {
		return false
	}
	for _, s := range q.Steps {
		if r.steps++; s.N != r.steps || s.N > js.MaxSteps || s.Tool == "" || len(s.Args) == 0 || s.Args[0] != '{' || s.Line < 0 || s.Column < 0 ||
			len(s.Tool) > maxMessage || len(s.Name) > maxMessage {
			return false
		}
	}
	for _, s := range q.Sleeps {
		if r.sleep++; s.N != r.sleep || s.N > js.MaxSleeps || s.Line < 0 {
			return false
		}
	}
	for _, l := range q.Logs {
		if r.lines++; r.lines > mostLines || len(l.Message) > maxMessage+len("…") {
			return false
		}
	}
	return true
}

// noteEvents notes the kinds of error in an answer, with which the run may end, and reports
// whether it is a replay.
func (r *run) noteEvents(value json.RawMessage) (replay bool) {
	var answer struct {
		Replay bool `json:"replay"`
		Events []struct {
			Error *js.StepError `json:"error"`
		} `json:"events"`
	}
	if json.Unmarshal(value, &answer) != nil {
		return false // the child ends the run
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range answer.Events {
		if e.Error != nil {
			r.kinds = append(r.kinds, tool.Kind(e.Error.Type))
		}
	}
	return answer.Replay
}

// span formats a limit of time for a sentence.
func span(d time.Duration) string {
	if d%time.Second == 0 {
		return fmt.Sprintf("%d s", d/time.Second)
	}
	return d.String()
}
