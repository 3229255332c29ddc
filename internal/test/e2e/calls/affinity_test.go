package calls

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// addHome starts a worker with workspaces of its own and returns a function that drains it.
func addHome(t *testing.T, s *system.System) (drain func() error) {
	t.Helper()
	s.Config.Data = t.TempDir()
	drain, err := s.AddWorker()
	if err != nil {
		t.Fatal(err)
	}
	return drain
}

// bound runs a call that uses files as a user, and returns its element.
func bound(t *testing.T, s *system.System, d system.Door, user, call string) system.Element {
	t.Helper()
	e := system.Execute(t, d, "acme", system.CallAs(user, call)).Results[0]
	if e.Status != "success" {
		t.Fatalf("%s of %s: %s %s", call, user, e.ErrorType, e.Message)
	}
	return e
}

const missingNote = "files from before are missing"

func wantMissing(e system.Element) bool {
	return slices.ContainsFunc(e.Notes, func(n string) bool { return strings.Contains(n, missingNote) })
}

// TestAffinity: of three workers with workspaces of their own each user is bound to one,
// through every dispatcher. When a worker stops its users are moved, and notified.
func TestAffinity(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Dispatchers: 2, Config: func(c *config.Config) { c.Worker.Affinity = config.AffinityUser }})
	drain := addHome(t, s)
	addHome(t, s)
	at := map[string]string{}
	for i := range 40 { // chosen by a hash: that one worker gets none of them is out of the question
		user := fmt.Sprintf("u%d", i)
		rounds := 2
		if i < 4 {
			rounds = 50
		}
		for round := range rounds {
			text := fmt.Sprintf("%s-%d", user, round)
			w := bound(t, s, s.HTTP(round%2), user, fmt.Sprintf(`{"tool": "write_file", "arguments": {"path": "f.txt", "content": %q}}`, text))
			r := bound(t, s, s.HTTP((round+i)%2), user, `{"tool": "read_file", "arguments": {"path": "f.txt"}}`)
			if at[user] == "" {
				at[user] = w.Worker
			}
			if w.Worker != at[user] || r.Worker != at[user] || !strings.Contains(string(r.Result), text) || len(r.Notes) > 0 {
				t.Fatalf("round %d: %s wrote on %s and read %s on %s with notes %q, want its worker %s",
					round, user, w.Worker, r.Result, r.Worker, r.Notes, at[user])
			}
		}
	}
	if n := len(slices.Compact(slices.Sorted(maps.Values(at)))); n != 3 {
		t.Fatalf("users are on %d workers, want 3", n)
	}
	if s.Metric(t, splitDefault) != 0 {
		t.Error("the workspaces count as split, though every user has one worker")
	}

	if err := drain(); err != nil {
		t.Fatal(err)
	}
	moved := 0
	for user, before := range at {
		e := bound(t, s, s.HTTP(0), user, `{"tool": "write_file", "arguments": {"path": "g.txt", "content": "x"}}`)
		if is := e.Worker != before; is != wantMissing(e) {
			t.Errorf("%s was on %s and is on %s, with notes %q", user, before, e.Worker, e.Notes)
		} else if is {
			moved++
			read := system.Execute(t, s.HTTP(1), "acme", system.CallAs(user, `{"tool": "read_file", "arguments": {"path": "f.txt"}}`)).Results[0]
			if read.ErrorType != "file_not_found" || read.Worker != e.Worker {
				t.Errorf("the file of before: %s on %s, want it missing on %s", read.ErrorType, read.Worker, e.Worker)
			}
		}
	}
	if moved == 0 || moved == len(at) {
		t.Errorf("%d of %d users were moved, want those of one worker", moved, len(at))
	}
}

// TestAffinityMovesWhatWaits: calls that wait on a stopping worker run on the user's new
// one, each once, and a worker that restarts with the same workspaces gets its users again
// without a note.
func TestAffinityMovesWhatWaits(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Dispatchers: 2, Config: func(c *config.Config) {
		c.Worker.Affinity, c.Worker.Slots, c.Worker.DrainTimeout = config.AffinityUser, 1, 30*time.Second
	}})
	first := bound(t, s, s.HTTP(0), "ann", `{"tool": "write_file", "arguments": {"path": "f.txt", "content": "x"}}`)
	drain := addHome(t, s)
	user := ""
	for i := range 64 {
		user = fmt.Sprintf("v%d", i)
		if e := bound(t, s, s.HTTP(i%2), user,
			`{"tool": "write_file", "arguments": {"path": "f.txt", "content": "x"}}`); e.Worker != first.Worker {
			break
		}
	}
	var calls []string
	for i := range 8 {
		calls = append(calls, fmt.Sprintf(`{"call_id": "w%d", "tool": "debug.effect", "arguments": {"key": "k%d", "before_ms": 300}}`, i, i))
	}
	system.Execute(t, s.HTTP(0), "acme", fmt.Sprintf(`{"context": {"user": %q}, "wait_ms": 0, "calls": [%s]}`, user, strings.Join(calls, ",")))
	if err := drain(); err != nil {
		t.Fatal(err)
	}
	elsewhere := 0
	for i := range 8 {
		e := system.Settled(t, s.HTTP(1), "acme", fmt.Sprintf("w%d", i))
		if e.Status != "success" {
			t.Errorf("call %d: %s %s", i, e.ErrorType, e.Message)
		}
		if e.Worker == first.Worker {
			elsewhere++
		}
	}
	if elsewhere == 0 {
		t.Error("no call was moved to the other worker")
	}
	// A worker with the workspaces of a stopped one takes over without a note.
	if e := bound(t, s, s.HTTP(0), "ann", `{"tool": "read_file", "arguments": {"path": "f.txt"}}`); len(e.Notes) > 0 ||
		e.Worker != first.Worker {
		t.Errorf("ann, who was not moved, reads on %s with notes %q", e.Worker, e.Notes)
	}
}

// TestAffinityOfFiles: over HTTP a person's files are those of the worker to which the
// person is bound, where tools read them, through every dispatcher.
func TestAffinityOfFiles(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Dispatchers: 2, Config: func(c *config.Config) { c.Worker.Affinity = config.AffinityUser }})
	addHome(t, s)
	addHome(t, s)
	at := map[string]bool{}
	for i := 0; i < 12 || len(at) < 3 && i < 100; i++ { // a hash of their names chooses
		user := fmt.Sprintf("u%d", i)
		r := s.HTTP(i%2).Send(t, "PUT", "/v1/files/f.txt?user="+user, user, http.Header{"Helve-Tenant": {"acme"}})
		if r.Status != 201 {
			t.Fatalf("PUT = %d %s", r.Status, r.Body)
		}
		e := bound(t, s, s.HTTP((i+1)%2), user, `{"tool": "read_file", "arguments": {"path": "f.txt"}}`)
		if at[e.Worker] = true; !strings.Contains(string(e.Result), user) {
			t.Errorf("read_file of %s = %s", user, e.Result)
		}
		if r := s.HTTP((i+1)%2).Send(t, "GET", "/v1/files/f.txt?user="+user, "", http.Header{"Helve-Tenant": {"acme"}}); string(r.Body) != user {
			t.Errorf("GET of %s = %d %s", user, r.Status, r.Body)
		}
	}
	if len(at) != 3 {
		t.Errorf("persons are on %d workers, want 3", len(at))
	}
}
