package engine

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helve-dev/helve/tool"
)

// fakeWork is a Work that commits as it is told. It is the store port of its calls too.
type fakeWork struct {
	tool.Store

	answers []answer // of the commits; the last one again and again
	commits int
	resets  int
	stored  tool.Result
	hold    chan struct{} // if set, Commit waits for it, whatever its context
	began   chan struct{} // if set, closed when Commit begins
}

type answer struct {
	other *Committed
	err   error
}

func (f *fakeWork) Reset() { f.resets++ }

func (f *fakeWork) Commit(_ context.Context, res tool.Result) (*Committed, error) {
	var a answer
	if len(f.answers) > 0 {
		a = f.answers[min(f.commits, len(f.answers)-1)]
	}
	f.commits++
	if f.began != nil {
		close(f.began)
	}
	if f.hold != nil {
		<-f.hold
	}
	if a.other == nil && a.err == nil {
		f.stored = res
	}
	return a.other, a.err
}

// storing makes a tool that acts in the store alone.
func storing(s *tool.Spec[pathArgs, any]) {
	s.Mutates, s.Transactional, s.Needs = true, true, tool.NeedStore
}

// working returns a world whose calls have the work.
func working(t *testing.T, work *fakeWork, runs *atomic.Int64) *workWorld {
	t.Helper()
	return &workWorld{world: holding(t, effect(runs, storing)), work: work}
}

type workWorld struct {
	*world

	work      *fakeWork
	refused   []*tool.Error
	refusal   answer // of Refuse
	committed *Committed
	lookErr   error
	looks     int
}

func (w *workWorld) Fill(j *Job, needs tool.Needs) error {
	if needs.Has(tool.NeedStore) {
		j.Store, j.Work = w.work, w.work
	}
	return w.world.Fill(j, needs)
}

func (w *workWorld) execute(ctx context.Context, j *Job) Outcome {
	d := w.deps()
	d.Ports = w
	d.Committed = func(context.Context, *Job) (*Committed, error) {
		w.looks++
		return w.committed, w.lookErr
	}
	d.Refuse = func(_ context.Context, _ *Job, reason *tool.Error) (*Committed, error) {
		w.refused = append(w.refused, reason)
		return w.refusal.other, w.refusal.err
	}
	return New(d).Execute(ctx, j)
}

// TestRefusedOnce: an error of a call that another attempt may be about to commit is stored
// first, so that the attempt cannot.
func TestRefusedOnce(t *testing.T) {
	no := tool.Fail(tool.PermissionDenied, "no")
	first := &Committed{Result: tool.Result{Value: json.RawMessage(`"first"`)}, Attempt: 1}
	failed := &Committed{Err: tool.Fail(tool.NotFound, "gone"), Attempt: 1}
	for _, tt := range []struct {
		name    string
		again   bool
		refusal answer
		stored  *Committed
		want    string // the value, the kind, or "retry"
		refused int
	}{
		{name: "first delivery", want: "permission_denied"},
		{name: "redelivered", again: true, want: "permission_denied", refused: 1},
		{name: "redelivered, committed meanwhile", again: true, refusal: answer{other: first}, want: `"first"`, refused: 1},
		{name: "redelivered, ended meanwhile", again: true, refusal: answer{other: failed}, want: "not_found", refused: 1},
		{name: "redelivered, database away", again: true, refusal: answer{err: errors.New("away")}, want: "retry", refused: 1},
		{name: "redelivered, has ended", again: true, stored: failed, want: "not_found"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var runs atomic.Int64
			w := working(t, &fakeWork{}, &runs)
			w.policyErr, w.refusal, w.committed = no, tt.refusal, tt.stored
			j := job(`{"path":"a"}`)
			j.Redelivered = tt.again
			if got := described(w.execute(t.Context(), j)); got != tt.want || len(w.refused) != tt.refused {
				t.Errorf("outcome %s, %d refusals stored; want %s, %d", got, len(w.refused), tt.want, tt.refused)
			}
		})
	}
}

// TestGivenUp: a call that is given up has the outcome that an attempt committed, and ends
// in an unknown one only if the store does not answer.
func TestGivenUp(t *testing.T) {
	first := &Committed{Result: tool.Result{Value: json.RawMessage(`"first"`)}, Attempt: 1}
	for _, tt := range []struct {
		name    string
		refusal answer
		want    string
	}{
		{name: "nothing committed", want: "execution_error"},
		{name: "committed", refusal: answer{other: first}, want: `"first"`},
		{name: "database away", refusal: answer{err: errors.New("away")}, want: "outcome_unknown"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var runs atomic.Int64
			w := working(t, &fakeWork{}, &runs)
			w.refusal = tt.refusal
			j := job(`{"path":"a"}`)
			j.Redelivered, j.GivenUp = true, tool.Fail(tool.ExecutionError, "given up after 5 attempts")
			if got := described(w.execute(t.Context(), j)); got != tt.want || runs.Load() != 0 {
				t.Errorf("outcome %s after %d runs, want %s after none", got, runs.Load(), tt.want)
			}
		})
	}
	var runs atomic.Int64
	w := &workWorld{world: holding(t, effect(&runs, func(*tool.Spec[pathArgs, any]) {})), work: &fakeWork{}}
	j := job(`{"path":"a"}`)
	j.GivenUp = tool.Fail(tool.ExecutionError, "given up")
	if got := described(w.execute(t.Context(), j)); got != "execution_error" || runs.Load() != 0 || len(w.refused) != 0 {
		t.Errorf("a tool without a store: %s after %d runs", got, runs.Load())
	}
}

// described returns the value of an outcome, its kind of error, or "retry".
func described(out Outcome) string {
	switch {
	case out.Err != nil:
		return string(out.Err.Kind)
	case errors.Is(out.Control, ErrRetry):
		return "retry"
	case out.Control != nil:
		return out.Control.Error()
	}
	return string(out.Result.Value)
}

func TestCommit(t *testing.T) {
	other := &Committed{Result: tool.Result{Value: json.RawMessage(`"first"`)}, Attempt: 3}
	for _, tt := range []struct {
		name    string
		answers []answer
		value   string
		kind    tool.Kind
		control error
		runs    int64
		attempt int
	}{
		{name: "committed", value: `"done"`, runs: 1},
		{name: "stale twice", answers: []answer{{err: ErrStale}, {err: ErrStale}, {}}, value: `"done"`, runs: 3},
		{name: "another attempt was first", answers: []answer{{other: other}}, value: `"first"`, runs: 1, attempt: 3},
		{name: "uncertain", answers: []answer{{err: ErrUncertain}}, control: ErrRetry, runs: 1},
		{name: "refused", answers: []answer{{err: tool.Fail(tool.RateLimited, "full")}}, kind: tool.RateLimited, runs: 1},
		{name: "failed", answers: []answer{{err: errors.New("boom")}}, kind: tool.ExecutionError, runs: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var runs atomic.Int64
			w := working(t, &fakeWork{answers: tt.answers}, &runs)
			out := w.execute(t.Context(), job(`{"path":"a"}`))
			switch {
			case tt.value != "":
				wantValue(t, out, tt.value)
			case tt.control != nil:
				if !errors.Is(out.Control, tt.control) {
					t.Errorf("control %v, want %v", out.Control, tt.control)
				}
			default:
				wantKind(t, out, tt.kind)
			}
			if runs.Load() != tt.runs || w.work.resets != int(tt.runs)-1 || out.Attempt != tt.attempt {
				t.Errorf("ran %d times, reset %d times, attempt %d; want %d, %d, %d",
					runs.Load(), w.work.resets, out.Attempt, tt.runs, tt.runs-1, tt.attempt)
			}
		})
	}
}

// TestStale: a call whose data others keep changing runs again until its time is over.
func TestStale(t *testing.T) {
	for often, want := range map[int]string{39: `"done"`, 10_000: string(tool.Overloaded)} {
		synctest.Test(t, func(t *testing.T) {
			var runs atomic.Int64
			w := working(t, &fakeWork{answers: append(slices.Repeat([]answer{{err: ErrStale}}, often), answer{})}, &runs)
			j := job(`{"path":"a"}`)
			j.Timeout = 10 * time.Second
			out := w.execute(t.Context(), j)
			if described(out) != want || want == `"done"` && runs.Load() != int64(often)+1 || w.work.commits != int(runs.Load()) {
				t.Errorf("after %d stale commits and %d runs: %s, want %s", often, runs.Load(), described(out), want)
			}
		})
	}
}

// TestFailedToolCommitsNothing: what a tool buffered before it failed is dropped.
func TestFailedToolCommitsNothing(t *testing.T) {
	var runs atomic.Int64
	w := working(t, &fakeWork{}, &runs)
	failing := running(func(context.Context, *tool.Call, pathArgs) (any, error) { return nil, tool.Fail(tool.NotFound, "no") }, storing)
	entry, err := NewEntry(failing)
	if err != nil {
		t.Fatal(err)
	}
	w.tools["x"] = entry
	wantKind(t, w.execute(t.Context(), job(`{"path":"a"}`)), tool.NotFound)
	if w.work.commits != 0 {
		t.Error("the changes of a tool that failed were committed")
	}
}

// TestStoredResult: a call that was delivered before is answered with its stored result,
// before anything else is asked.
func TestStoredResult(t *testing.T) {
	var runs atomic.Int64
	w := working(t, &fakeWork{}, &runs)
	w.committed = &Committed{Result: tool.Result{Value: json.RawMessage(`"first"`)}, Attempt: 1}
	w.earlierErr = tool.Fail(tool.OutcomeUnknown, "who knows")
	w.policyErr = tool.Fail(tool.PermissionDenied, "the token is used up")
	j := job(`{"path":"a"}`)
	j.Redelivered, j.Attempt = true, 2
	out := w.execute(t.Context(), j)
	wantValue(t, out, `"first"`)
	if out.Attempt != 1 || runs.Load() != 0 || w.began != 0 {
		t.Errorf("attempt %d, ran %d times, began %d times; want 1, 0, 0", out.Attempt, runs.Load(), w.began)
	}

	w.committed, w.lookErr = nil, errors.New("away")
	j = job(`{"path":"a"}`)
	j.Redelivered = true
	if out := w.execute(t.Context(), j); !errors.Is(out.Control, ErrRetry) {
		t.Errorf("with the database away: %+v, want ErrRetry", out)
	}

	w = working(t, &fakeWork{}, &runs)
	wantValue(t, w.execute(t.Context(), job(`{"path":"a"}`)), `"done"`)
	if w.looks != 0 {
		t.Error("a call that is delivered for the first time reads its stored result")
	}
}

// TestEndDuringCommit: a call whose time ends, or that is cancelled, while its changes are
// being committed has the outcome of the commit, and never an unknown one.
func TestEndDuringCommit(t *testing.T) {
	for name, tt := range map[string]struct {
		end    error
		answer answer
		after  time.Duration // Commit returns this long after it began
		want   string        // the value, or the kind, or "retry"
	}{
		"deadline, committed":  {after: 31 * time.Second, want: `"done"`},
		"cancelled, committed": {end: ErrCancelled, after: time.Second, want: `"done"`},
		"shutdown, committed":  {end: ErrShutdown, after: time.Second, want: `"done"`},
		"cancelled, withdrawn": {end: ErrCancelled, after: time.Second, answer: answer{err: context.Canceled}, want: "cancelled"},
		"deadline, withdrawn":  {after: 31 * time.Second, answer: answer{err: context.DeadlineExceeded}, want: "timeout"},
		"deadline, stuck":      {after: time.Hour, want: "retry"},
		"cancelled, stuck":     {end: ErrCancelled, after: time.Hour, want: "retry"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var runs atomic.Int64
				work := &fakeWork{hold: make(chan struct{}), began: make(chan struct{}), answers: []answer{tt.answer}}
				w := working(t, work, &runs)
				ctx, cancel := context.WithCancelCause(t.Context())
				go func() {
					<-work.began
					if tt.end != nil {
						cancel(tt.end)
					}
					time.Sleep(tt.after)
					close(work.hold)
				}()
				j := job(`{"path":"a"}`)
				j.Timeout = time.Minute
				if got := described(w.execute(ctx, j)); got != tt.want {
					t.Errorf("outcome %s, want %s", got, tt.want)
				}
				cancel(nil)
				time.Sleep(2 * time.Hour)
			})
		})
	}
}

// TestDeafToolCommitsNothing: a tool that returns after the engine has answered for it
// commits nothing.
func TestDeafToolCommitsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		work := &fakeWork{}
		var runs atomic.Int64
		w := working(t, work, &runs)
		deaf := running(func(context.Context, *tool.Call, pathArgs) (any, error) {
			time.Sleep(time.Hour)
			return "late", nil
		}, storing)
		entry, err := NewEntry(deaf)
		if err != nil {
			t.Fatal(err)
		}
		w.tools["x"] = entry
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(ErrCancelled) })
		wantKind(t, w.execute(ctx, job(`{"path":"a"}`)), tool.Cancelled)
		time.Sleep(2 * time.Hour)
		if work.commits != 0 {
			t.Error("the changes were committed after the call had ended")
		}
	})
}
