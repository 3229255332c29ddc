package storm

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anishathalye/porcupine"
)

// recordsTimeout limits the wait for records that are not in the trail yet.
const recordsTimeout = 2 * time.Minute

// verify compares the answers to callers with the stored state. All processes run.
func (l *load) verify(ctx context.Context, r *Report, crashes []operation, callers int) error {
	l.askAll(ctx, callers)
	effects, err := l.fleet.ledger()
	if err != nil {
		return err
	}
	notes, err := l.notes(ctx)
	if err != nil {
		return err
	}
	s, err := look(ctx, l.fleet.server())
	if err != nil {
		return err
	}
	defer s.close()
	results, err := s.results(ctx)
	if err != nil {
		return err
	}
	records, err := l.records(ctx, s, results)
	if err != nil {
		return err
	}
	for i := range l.lives {
		if v := &l.lives[i]; v.call.ID != "" {
			l.judge(r, v, effects[v.call.ID], results[v.call.ID], crashes)
			l.recorded(r, v, records[v.call.ID])
			v.noted(r, notes[v.call.ID])
		}
	}
	return l.seals(ctx, s, r)
}

// askAll reads every call once more: the last operation of its history is the stored
// state.
func (l *load) askAll(ctx context.Context, callers int) {
	var crowd sync.WaitGroup
	var next atomic.Int64
	for n := range callers {
		crowd.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(l.lives) {
					return
				}
				v := &l.lives[i]
				for try := 0; try < attempts && v.call.ID != ""; try++ {
					if a := l.do(ctx, v, get, n+try); a.state != silent || pause(ctx, restTime) != nil {
						break
					}
				}
			}
		})
	}
	crowd.Wait()
}

// records waits until each stored result has its record, at most recordsTimeout.
func (l *load) records(ctx context.Context, s *streams, results map[string]int) (map[string]int, error) {
	for end := time.Now().Add(recordsTimeout); ; {
		records, err := s.records(ctx)
		if err != nil {
			return nil, err
		}
		missing := 0
		for call := range results {
			if records[call] == 0 {
				missing++
			}
		}
		if missing == 0 || time.Now().After(end) {
			return records, nil
		}
		if err := pause(ctx, time.Second); err != nil {
			return nil, err
		}
	}
}

func (l *load) judge(r *Report, v *life, effects []int64, results int, crashes []operation) {
	last := v.ops[len(v.ops)-1].answer
	if last.state != done || results == 0 {
		r.Lost++
		r.samplef("%s (%s) has %d stored results; the last answer is %s", v.call.ID, v.call.Tool, results, last)
	} else {
		r.Outcomes[last.outcome]++
	}
	for _, op := range v.ops {
		if op.answer.state == done && op.answer.element != last.element {
			r.Different++
			r.samplef("%s was answered %s, stored is %s", v.call.ID, op.answer.element, last.element)
		}
	}
	if v.call.Tool == effectTool {
		if len(effects) > 1 {
			r.Effects++
			r.samplef("%s acted %d times", v.call.ID, len(effects))
		}
		if len(effects) == 0 && last.outcome == "success" {
			r.Unfounded++
			r.samplef("%s succeeded and did not act", v.call.ID)
		}
	}
	ops := v.ops
	for _, at := range effects {
		ops = append(ops, operation{what: effect, began: at, over: at})
	}
	first := ops[0].began
	over := ops[len(v.ops)-1].over
	for _, c := range crashes {
		if c.began >= first && c.began <= over && len(ops) < maxHistory {
			ops = append(ops, c)
		}
	}
	r.history(v, ops, linear(v.call.Tool, ops, checkTimeout))
}

// history counts a history that is refused, or that nobody knows to be right.
func (r *Report) history(v *life, ops []operation, checked porcupine.CheckResult) {
	switch checked {
	case porcupine.Ok:
	case porcupine.Illegal:
		r.Histories++
		r.samplef("the history of %s (%s) is none of a value that is written once:%s", v.call.ID, v.call.Tool, lines(ops))
	default:
		r.Unchecked++
		r.samplef("the history of %s (%s) was not decided in %v:%s", v.call.ID, v.call.Tool, checkTimeout, lines(ops))
	}
}

// maxHistory limits what crashes add to a history: they are shown for explanation and
// not checked.
const maxHistory = 60

func (l *load) recorded(r *Report, v *life, records int) {
	switch {
	case records > 1:
		r.Records++
		r.samplef("%s has %d final records", v.call.ID, records)
	case records == 0:
		r.Unrecorded++
		r.samplef("%s has no final record", v.call.ID)
	}
}

// lines describes operations in the order in which they began.
func lines(ops []operation) string {
	var text strings.Builder
	for _, op := range slices.SortedFunc(slices.Values(ops), func(a, b operation) int { return cmp.Compare(a.began, b.began) }) {
		text.WriteString("\n    " + op.String())
	}
	return text.String()
}
