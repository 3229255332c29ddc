package program

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/programs"
	"github.com/helve-dev/helve/internal/durable"
)

// TestClocksThatDiffer: a turn agrees with the process that woke the program about the time, though
// its own clock is minutes behind: a sleep that is over by that clock is over, and time goes on.
func TestClocksThatDiffer(t *testing.T) {
	t.Parallel()
	s, c := opened(t, `{"code":"x"}`)
	key := programs.Key{Tenant: c.Tenant, CallID: c.ID}
	p, revision, err := s.Store.Read(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	woken := time.Now().Add(10 * time.Minute)
	p.WokenMS = woken.UnixMilli()
	if err := s.Store.Change(t.Context(), key, p, revision); err != nil {
		t.Fatal(err)
	}
	a := turnOf(t, s, c)(peer.ProgramNext, fmt.Sprintf(`{"sleeps":[{"n":1,"until_ms":%d}]}`, woken.UnixMilli()))
	var shown durable.Answer
	if err := json.Unmarshal(a.Events, &shown); err != nil || len(shown.Events) != 1 || shown.Events[0].Sleep != 1 ||
		shown.Events[0].NowMS < woken.UnixMilli() {
		t.Errorf("the code sees %s, waits %v", a.Events, a.Waits)
	}
}

// TestClocks: the time that the code sees does not go back when a turn goes on at a dispatcher whose clock is
// minutes behind.
func TestClocks(t *testing.T) {
	t.Parallel()
	s, c := opened(t, `{"code":"x"}`)
	ahead := time.Now().Add(5 * time.Minute).UnixMilli()
	entry := &durable.Entry{
		AtMS: ahead, Made: []durable.Made{{N: 1, Tool: "echo", Hash: durable.Hash("echo", []byte(`{"a":1}`)), Line: 7}},
		Events: []durable.Event{{Step: 1, NowMS: ahead, Value: []byte(`1`)}},
	}
	key := programs.Key{Tenant: c.Tenant, CallID: c.ID}
	p, _, err := s.Store.Read(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Store.Append(t.Context(), key, p, entry, 0); err != nil {
		t.Fatal(err)
	}
	ask := turnOf(t, s, c)
	ask(peer.ProgramNext, firstStep)
	var next durable.Answer
	if a := ask(peer.ProgramNext, `{"steps":[{"n":2,"tool":"echo","args":{"a":2},"line":8}]}`); json.Unmarshal(a.Events, &next) != nil ||
		len(next.Events) != 1 || next.Events[0].NowMS < ahead {
		t.Errorf("after %d the code sees %s", ahead, a.Events)
	}
}
