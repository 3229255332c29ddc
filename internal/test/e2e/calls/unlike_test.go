package calls

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/tool"
)

type textArgs struct {
	Text string `json:"text,omitempty" doc:"A text."`
	MS   int    `json:"ms,omitempty" doc:"How long to rest before."`
}

// wordsSet is the tool set of a program's own worker, in the pool of the standard ones.
func wordsSet(names ...string) *tool.Set {
	set := tool.NewSet("Words", "words")
	for _, name := range names {
		tool.Add(set, tool.Spec[textArgs, int]{
			Name: name, Description: "Count the words of a text; returns their number.", Risk: tool.Low, Timeout: time.Minute, Pool: "default",
			Idempotent: true,
			Run: func(ctx context.Context, _ *tool.Call, args textArgs) (int, error) {
				select {
				case <-ctx.Done():
					return 0, ctx.Err()
				case <-time.After(time.Duration(args.MS) * time.Millisecond):
				}
				return len(strings.Fields(args.Text)), nil
			},
		})
	}
	return set
}

// succeeds repeats a call n times and requires that each succeeds.
func succeeds(t *testing.T, d system.Door, n int, call string) {
	t.Helper()
	calls := slices.Repeat([]string{call}, n)
	for i, e := range system.Together(t, d, system.NewTenant(), calls...) {
		if e.Status != "success" || e.Attempt != 1 {
			t.Errorf("call %d of %s: %s %s %s, attempt %d", i, call, e.Status, e.ErrorType, e.Message, e.Attempt)
		}
	}
}

// TestUnlikeWorkers: in a pool of two standard workers and one with its own tools each call
// runs on a worker that has its tool.
func TestUnlikeWorkers(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Workers: 2, Dispatchers: 2})
	s.AddOwnWorker(t, wordsSet("tally_words"), nil)
	for _, d := range []system.Door{s.HTTP(0), s.HTTP(1), s.NATS()} {
		system.Eventually(t, "the own tool is known", func() bool {
			return system.Together(t, d, system.NewTenant(), `{"tool": "tally_words", "arguments": {"text": "a b"}}`)[0].Status == "success"
		})
		succeeds(t, d, 40, `{"tool": "calculate", "arguments": {"expression": "6*7"}}`)
		succeeds(t, d, 10, `{"tool": "tally_words", "arguments": {"text": "to be or not"}}`)
		succeeds(t, d, 10, `{"tool": "use_tool", "arguments": {"tool_name": "calculate", "arguments": {"expression": "1+1"}}}`)
		// No worker has both use_tool and the called tool.
		e := system.Together(t, d, system.NewTenant(),
			`{"tool": "use_tool", "arguments": {"tool_name": "tally_words", "arguments": {"text": "a"}}}`)[0]
		system.WantError(t, e, "tool_not_available", "call 'tally_words' by itself")
	}
	list := system.Decode[struct {
		Workers []struct {
			ID, Version string
			Pools       []string
			Slots, Busy int
			Tools       int
			Kinds       map[string]string
		}
		Kinds []struct {
			Pool, Kind string
			Workers    int
			Tools      []struct{ Name, Version, Hash string }
		}
	}](t, s.HTTP(0).Ask(t, "default", "workers.list", nil, ""))
	if len(list.Workers) != 3 || len(list.Kinds) != 2 {
		t.Fatalf("workers.list has %d workers of %d kinds, want 3 of 2", len(list.Workers), len(list.Kinds))
	}
	for _, k := range list.Kinds {
		if own := k.Workers == 1; own != (len(k.Tools) == 1) || own && k.Tools[0].Name != "tally_words" || k.Tools[0].Hash == "" {
			t.Errorf("kind %s of %d workers has %d tools", k.Kind, k.Workers, len(k.Tools))
		}
	}
	for _, w := range list.Workers {
		if w.ID == "" || w.Version == "" || w.Slots == 0 || !slices.Equal(w.Pools, []string{"default"}) || w.Tools == 0 ||
			w.Kinds["default"] == "" {
			t.Errorf("workers.list has %+v", w)
		}
	}
}

// TestCallMovesOn: calls delivered to a worker without their tool, as from a dispatcher of
// an earlier version, run on a worker that has it, and none is tried twice.
func TestCallMovesOn(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Workers: 2})
	s.AddOwnWorker(t, wordsSet("tally_words"), nil)
	d := s.HTTP(0)
	system.Eventually(t, "the own tool is known", func() bool {
		return system.Together(t, d, "default", `{"tool": "tally_words", "arguments": {"text": "a b"}}`)[0].Status == "success"
	})
	q, err := queue.Connect(queue.Options{Options: streams.Options{Options: natsio.Options{URL: s.Config.NATS.URL}}})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	now := time.Now()
	var ids []string
	for i := range 60 {
		name, args := "tally_words", `{"text":"a b c"}`
		if i%2 == 0 {
			name, args = "calculate", `{"expression":"1+2"}`
		}
		e := &call.Call{
			ID: system.NewTenant(), TraceID: system.NewTrace(), Tool: name, Origin: "d-old", Arguments: []byte(args), Tenant: "default",
			Pool: "default", AcceptedMS: now.UnixMilli(), StartByMS: now.Add(time.Minute).UnixMilli(),
		}
		queued := make(chan error, 1)
		q.Calls.Submit(e, func(err error) { queued <- err })
		if err := queuetest.Receive(t, queued, "the call is queued"); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, e.ID)
	}
	for i, id := range ids {
		var e system.Element
		system.Eventually(t, "the call is done", func() bool {
			r := d.Ask(t, "default", "calls.get", map[string]string{"call_id": id}, "")
			if r.Status != 200 {
				return false
			}
			e = system.Decode[system.Element](t, r)
			return e.State == "done"
		})
		if e.Status != "success" || e.Attempt != 1 {
			t.Errorf("call %d: %s %s %s, attempt %d", i, e.Status, e.ErrorType, e.Message, e.Attempt)
		}
	}
	if s.Metric(t, "helve_calls_moved_total") == 0 {
		t.Error("no call was moved")
	}
}

// TestNoWorkerHasTheTool: a call that no worker can run is refused with the reason, over
// each door, and the same call_id runs once there is a worker.
func TestNoWorkerHasTheTool(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{})
	drain := s.AddOwnWorker(t, wordsSet("tally_words"), func(c *config.Config) {})
	gpu := wordsSet()
	tool.Add(gpu, tool.Spec[textArgs, int]{
		Name: "far_words", Description: "Count words far away.", Risk: tool.Low, Timeout: time.Minute, Pool: "far",
		Run: func(context.Context, *tool.Call, textArgs) (int, error) { return 7, nil },
	})
	far := s.AddOwnWorker(t, gpu, func(c *config.Config) { c.Worker.Pools = []string{"far"} })
	const words, distant = `{"tool": "tally_words", "arguments": {"text": "a b"}}`, `{"tool": "far_words", "call_id": "%s"}`
	system.Eventually(t, "the own tools are known", func() bool {
		e := system.Together(t, s.HTTP(0), "default", words, fmt.Sprintf(distant, system.NewTenant()))
		return e[0].Status == "success" && e[1].Status == "success"
	})
	before := system.NewTenant()
	if e := system.Together(t, s.HTTP(0), "default", fmt.Sprintf(distant, before))[0]; e.Status != "success" {
		t.Fatalf("a call while the worker was there ended as %v", e)
	}
	if err := drain(); err != nil {
		t.Fatal(err)
	}
	if err := far(); err != nil {
		t.Fatal(err)
	}
	system.Eventually(t, "the dispatcher knows that they have left", func() bool {
		list := system.Decode[struct{ Workers []struct{} }](t, s.HTTP(0).Ask(t, "default", "workers.list", nil, ""))
		return len(list.Workers) == 1
	})
	id := system.NewTenant()
	for _, d := range []system.Door{s.HTTP(0), s.NATS()} {
		e := system.Together(t, d, "default", words, fmt.Sprintf(distant, id))
		system.WantError(t, e[0], "tool_not_available", "the one worker of pool default does not have this tool")
		system.WantError(t, e[1], "tool_not_available", "no worker of pool far is running")
		def := system.Decode[struct {
			Enabled     bool
			Unavailable string
		}](t, d.Ask(t, "default", "tools.get", map[string]string{"name": "far_words"}, ""))
		if def.Enabled || def.Unavailable != "no worker of pool far is running" {
			t.Errorf("tools.get of a tool that nobody has = %+v", def)
		}
		if all := string(d.Ask(t, "default", "tools.list", map[string]string{"q": "tally_words"}, "").Body); !strings.Contains(all,
			`"enabled":false`) {
			t.Errorf("tools.list does not mark the tool: %s", all)
		}
		if theirs := string(d.Ask(t, "default", "tools.list", map[string]string{"format": "openai"}, "").Body); strings.Contains(theirs,
			"tally_words") ||
			!strings.Contains(theirs, "calculate") {
			t.Error("a model is offered a tool that nobody can run, or not the others")
		}
	}
	if e := system.Together(t, s.HTTP(0), "default", fmt.Sprintf(distant, before))[0]; e.Status != "success" {
		t.Errorf("a call that is done, sent again without a worker: %v, want its result", e)
	}
	// Nothing is stored for the refused call.
	s.AddOwnWorker(t, gpu, func(c *config.Config) { c.Worker.Pools = []string{"far"} })
	if e := system.Together(t, s.HTTP(0), "default", fmt.Sprintf(distant, id))[0]; e.Status != "success" {
		t.Errorf("the same call_id with a worker: %s %s %s", e.Status, e.ErrorType, e.Message)
	}
}

// TestWaitForWorker: a call whose caller wants to wait is queued and runs when a worker
// with its tool starts, whether or not there are others in its pool.
func TestWaitForWorker(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{})
	far := tool.NewSet("Far", "words")
	tool.Add(far, tool.Spec[textArgs, int]{
		Name: "far_words", Description: "Count words far away.", Risk: tool.Low, Timeout: time.Minute, Pool: "far",
		Run: func(context.Context, *tool.Call, textArgs) (int, error) { return 7, nil },
	})
	both := func(c *config.Config) { c.Worker.Pools = []string{"default", "far"} }
	set := wordsSet("tally_words")
	drain := s.AddOwnWorker(t, set, both, far)
	d := s.HTTP(0)
	system.Eventually(t, "the own tools are known", func() bool {
		e := system.Together(t, d, "default", `{"tool": "tally_words"}`, `{"tool": "far_words"}`)
		return e[0].Status == "success" && e[1].Status == "success"
	})
	if err := drain(); err != nil {
		t.Fatal(err)
	}
	ids := []string{system.NewTenant(), system.NewTenant()}
	for i, name := range []string{"tally_words", "far_words"} {
		a := system.Execute(t, d, "default",
			fmt.Sprintf(`{"wait_ms": 0, "calls": [{"tool": %q, "call_id": %q, "wait_for_worker": true}]}`, name, ids[i]))
		if e := a.Results[0]; e.Status != "pending" {
			t.Fatalf("%s = %s %s %s, want pending", name, e.Status, e.ErrorType, e.Message)
		}
	}
	s.AddOwnWorker(t, wordsSet("tally_words", "other_words"), both, far)
	for _, id := range ids {
		system.Eventually(t, "the call is done", func() bool {
			e := system.Decode[system.Element](t, d.Ask(t, "default", "calls.get", map[string]string{"call_id": id}, ""))
			if e.State == "done" && e.Status != "success" {
				t.Fatalf("the call ended in %s: %s", e.ErrorType, e.Message)
			}
			return e.State == "done"
		})
	}
}

// TestLaneWithoutWorkers: calls that wait for the only worker with their tool run on a
// worker of another kind that starts after it.
func TestLaneWithoutWorkers(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{})
	one := func(c *config.Config) { c.Worker.Slots = 1 }
	drain := s.AddOwnWorker(t, wordsSet("tally_words"), one)
	d := s.HTTP(0)
	system.Eventually(t, "the own tool is known", func() bool {
		return system.Together(t, d, "default", `{"tool": "tally_words"}`)[0].Status == "success"
	})
	var calls []string
	ids := make([]string, 12)
	for i := range ids {
		ids[i] = system.NewTenant()
		calls = append(calls, fmt.Sprintf(`{"tool": "tally_words", "call_id": %q, "arguments": {"text": "a", "ms": 300}}`, ids[i]))
	}
	system.Execute(t, d, "default", `{"wait_ms": 0, "calls": [`+strings.Join(calls, ",")+`]}`)
	if err := drain(); err != nil {
		t.Fatal(err)
	}
	s.AddOwnWorker(t, wordsSet("tally_words", "more_words"), nil)
	for _, id := range ids {
		system.Eventually(t, "the call is done", func() bool {
			e := system.Decode[system.Element](t, d.Ask(t, "default", "calls.get", map[string]string{"call_id": id}, ""))
			if e.State == "done" && e.Status != "success" {
				t.Fatalf("the call ended in %s: %s", e.ErrorType, e.Message)
			}
			return e.State == "done"
		})
	}
}

// versionSet is a tool whose versions have different arguments and risk.
func versionSet(version string, risk tool.Risk) *tool.Set {
	type one struct {
		A string `json:"a" doc:"For the first version."`
	}
	type two struct {
		B string `json:"b" doc:"For the second version."`
	}
	set := tool.NewSet("Versions", "versions")
	if version == "1" {
		tool.Add(set, tool.Spec[one, string]{
			Name: "versioned", Description: "Say which version ran.", Version: version, Risk: risk, Timeout: time.Minute, Pool: "default",
			Run: func(context.Context, *tool.Call, one) (string, error) { return version, nil },
		})
		return set
	}
	tool.Add(set, tool.Spec[two, string]{
		Name: "versioned", Description: "Say which version ran.", Version: version, Risk: risk, Mutates: true, Destructive: true,
		Timeout: time.Minute, Pool: "default", Run: func(context.Context, *tool.Call, two) (string, error) { return version, nil },
	})
	return set
}

// TestTwoVersionsInAPool: both are visible, and a call is validated and judged by the
// version of the worker that receives it.
func TestTwoVersionsInAPool(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{})
	s.AddOwnWorker(t, versionSet("1", tool.Low), nil)
	s.AddOwnWorker(t, versionSet("2", tool.Medium), nil)
	d := s.HTTP(0)
	type detail struct {
		Versions []struct {
			Version, Hash string
			Workers       int
		}
	}
	system.Eventually(t, "both versions are known", func() bool {
		r := d.Ask(t, "default", "tools.get", map[string]string{"name": "versioned"}, "")
		if r.Status != 200 {
			return false
		}
		versions := system.Decode[detail](t, r).Versions
		return len(versions) == 2 && versions[0].Hash != versions[1].Hash && versions[0].Workers == 1 && versions[1].Workers == 1
	})
	seen := map[string]int{}
	for range 40 {
		e := system.Together(t, d, "default", `{"tool": "versioned", "arguments": {"a": "x"}}`)[0]
		switch {
		case e.Status == "success" && string(e.Result) == `"1"`:
			seen["ran"]++
		case e.ErrorType == "validation_error" && strings.Contains(e.Message, "b (string, required)"):
			seen["refused"]++
		default:
			t.Errorf("a call for the first version ended as %v", e)
		}
		// The second version is destructive, so consent is needed, and the call names no
		// person.
		e = system.Together(t, d, "default", `{"tool": "versioned", "arguments": {"b": "x"}}`)[0]
		switch {
		case e.ErrorType == "confirmation_required":
			seen["judged"]++
		case e.ErrorType == "validation_error" && strings.Contains(e.Message, "a (string, required)"):
			seen["refused by the first"]++
		default:
			t.Errorf("a call for the second version ended as %v", e)
		}
	}
	if len(seen) != 4 {
		t.Errorf("the calls were %v: one version got none", seen)
	}
}
