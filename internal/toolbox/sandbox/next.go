package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox/wire"
	"github.com/helve-dev/helve/internal/x/gopool"
	"github.com/helve-dev/helve/tool"
)

// errNext is the violation of a child with a request that the code of a program cannot make.
var errNext = errors.New("a request of a program that its code cannot make")

// next starts the host's work for a request of a program. The limits of the run rest until it
// is answered, because the child does nothing meanwhile.
func (r *run) next(a wire.Ask) error {
	r.mu.Lock()
	again := r.nexts
	r.nexts = true
	r.mu.Unlock()
	if again || len(a.Body) > 0 || !r.mayUse(a) && (a.Op != js.OpNext || !r.follows(a.Args)) {
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

// mayUse reports whether a request is the first one of a run that tells its host what the code
// uses.
func (r *run) mayUse(a wire.Ask) bool {
	first, n := r.job.Uses && !r.used, 0
	r.used = true
	return first && a.Op == js.OpUses && each(json.NewDecoder(bytes.NewReader(a.Args)), func(js.Use) bool {
		n++
		return n <= js.MaxUses
	})
}

// follows reports whether the numbers of a request follow those of the requests before, and
// its parts have the forms and sizes that the code of a program can give them. It decodes part
// by part: decoded whole, a few bytes of each could become a hundred.
func (r *run) follows(args json.RawMessage) bool {
	d := json.NewDecoder(bytes.NewReader(args))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return false
	}
	seen := map[json.Token]bool{}
	for d.More() {
		name, err := d.Token()
		if err != nil || seen[name] {
			return false
		}
		seen[name] = true
		ok := false
		switch name {
		case "steps":
			ok = each(d, r.stepFollows)
		case "sleeps":
			ok = each(d, r.sleepFollows)
		case "logs":
			ok = each(d, r.lineFollows)
		case "unsettled":
			var n int
			ok = d.Decode(&n) == nil && n >= 0
		case "ended":
			ok = d.Decode(new(bool)) == nil
		case "failed":
			var n int
			ok = d.Decode(&n) == nil && n >= 1 && n <= js.MaxSteps
		}
		if !ok {
			return false
		}
	}
	return true
}

// each decodes an array, until ok returns false for an element.
func each[T any](d *json.Decoder, ok func(T) bool) bool {
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return false
	}
	for d.More() {
		var v T
		if d.Decode(&v) != nil || !ok(v) {
			return false
		}
	}
	_, err := d.Token()
	return err == nil
}

func (r *run) stepFollows(s js.Step) bool {
	r.steps++
	return s.N == r.steps && s.N <= js.MaxSteps && len(s.Args) > 0 && s.Args[0] == '{' && s.Line >= 0 && s.Column >= 0 &&
		s.Tool != "" && len(s.Tool) <= maxMessage && len(s.Name) <= maxMessage
}

func (r *run) sleepFollows(s js.Sleep) bool {
	r.sleep++
	return s.N == r.sleep && s.N <= js.MaxSleeps && s.UntilMS >= 0 && s.Line >= 0
}

func (r *run) lineFollows(l js.LogLine) bool {
	r.lines++
	return r.lines <= mostLines && len(l.Message) <= maxMessage
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
