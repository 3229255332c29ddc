package engine

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

// world is everything around an engine, in memory. Its error fields are
// the answers of the parts; its other fields record the requests.
type world struct {
	tools map[string]*Entry

	lookupErr, allowErr, policyErr, earlierErr, beginErr, portsErr, placeErr error

	panics bool // Authorize does

	earlier, began, recorded int
	judged                   tool.Invocation
	last                     Outcome
	stuck                    atomic.Int64
	stuckMoves               atomic.Int64
	secrets                  tool.Secrets
	containers               tool.Containers
	data                     tool.Store
	files                    tool.Files
}

func (w *world) Lookup(_, _, name string) (*Entry, error) {
	if w.lookupErr != nil {
		return nil, w.lookupErr
	}
	if e := w.tools[name]; e != nil {
		return e, nil
	}
	return nil, tool.Fail(tool.ToolNotFound, "Tool '%s' not found", name)
}

func (w *world) Allow(context.Context, *Job) error { return w.allowErr }

func (w *world) Authorize(_ context.Context, j *Job) error {
	w.judged = j.Invocation()
	if w.panics {
		panic("the gate broke")
	}
	return w.policyErr
}

func (w *world) place(*Job) error { return w.placeErr }

func (w *world) Earlier(context.Context, *Job) error {
	w.earlier++
	return w.earlierErr
}

func (w *world) Begin(context.Context, *Job) error {
	w.began++
	return w.beginErr
}

func (w *world) Fill(j *Job, needs tool.Needs) error {
	if needs.Has(tool.NeedFiles) {
		j.Files = w.files
	}
	if needs.Has(tool.NeedSecrets) {
		j.Secrets = w.secrets
	}
	if needs.Has(tool.NeedContainers) {
		j.Containers = w.containers
	}
	if needs.Has(tool.NeedStore) {
		j.Store = w.data
	}
	return w.portsErr
}

func (w *world) Record(_ *Job, o *Outcome) {
	w.recorded++
	w.last = *o
}

func (w *world) count(delta int) {
	w.stuck.Add(int64(delta))
	w.stuckMoves.Add(1)
}

func (w *world) deps() Deps {
	return Deps{Catalog: w, Access: w, Policy: w, Ledger: w, Ports: w, Record: w, Stuck: w.count, Place: w.place}
}

// execute runs one call through a whole engine.
func (w *world) execute(ctx context.Context, j *Job) Outcome { return New(w.deps()).Execute(ctx, j) }

// holding returns a world with these tools, under their names and aliases.
func holding(tb testing.TB, tools ...*tool.Tool) *world {
	tb.Helper()
	w := &world{tools: map[string]*Entry{}}
	for _, one := range tools {
		e, err := NewEntry(one)
		if err != nil {
			tb.Fatal(err)
		}
		for _, name := range append([]string{one.Name}, one.Aliases...) {
			w.tools[name] = e
		}
	}
	return w
}

// job is a call of the tool "x".
func job(args string) *Job {
	return &Job{
		Call: tool.Call{ID: "c1", Tenant: "default", Attempt: 1},
		Name: "x",
		Args: json.RawMessage(args),
	}
}

type pathArgs struct {
	Path string `json:"path"`
}

type runFunc = func(ctx context.Context, call *tool.Call, args pathArgs) (any, error)

// returning is a tool "x" that changes nothing and answers out, err.
func returning(out any, err error) *tool.Tool {
	return running(func(context.Context, *tool.Call, pathArgs) (any, error) { return out, err }, nil)
}

// running is a tool "x" with a timeout of 30 s; change adapts its Spec.
func running(run runFunc, change func(*tool.Spec[pathArgs, any])) *tool.Tool {
	spec := tool.Spec[pathArgs, any]{
		Name:        "x",
		Description: "A tool of the tests.",
		Aliases:     []string{"old_x"},
		Risk:        tool.Low,
		Timeout:     30 * time.Second,
		Run:         run,
	}
	if change != nil {
		change(&spec)
	}
	return tool.Add(tool.NewSet("Test", "test"), spec)
}

func mutating(s *tool.Spec[pathArgs, any])  { s.Mutates = true }
func repeating(s *tool.Spec[pathArgs, any]) { s.Mutates, s.Idempotent = true, true }

// effect is a tool "x" that changes something and counts its runs.
func effect(runs *atomic.Int64, change func(*tool.Spec[pathArgs, any])) *tool.Tool {
	return running(func(context.Context, *tool.Call, pathArgs) (any, error) {
		runs.Add(1)
		return "done", nil
	}, change)
}

func wantKind(t *testing.T, o Outcome, want tool.Kind) {
	t.Helper()
	if o.Err == nil {
		t.Fatalf("outcome: result %s, control %v, want an error of kind %s", o.Result.Value, o.Control, want)
	}
	if o.Err.Kind != want || o.Control != nil {
		t.Errorf("outcome: error %v, control %v, want kind %s", o.Err, o.Control, want)
	}
}

func wantValue(t *testing.T, o Outcome, want string) {
	t.Helper()
	if o.Err != nil || o.Control != nil || string(o.Result.Value) != want {
		t.Errorf("outcome: %s, error %v, control %v, want %s", o.Result.Value, o.Err, o.Control, want)
	}
}
