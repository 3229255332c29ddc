package program

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/programs"
	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/tool"
)

// TestForgottenStep: a step that was made so long ago that nothing is known of it any more is not
// made again: it may have acted. A younger one is made.
func TestForgottenStep(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		age  time.Duration
		made int
	}{"old": {20 * 24 * time.Hour, 0}, "young": {time.Minute, 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := opened(t, `{"code":"x"}`)
			made := make(chan dispatch.Request, 1)
			s.calls = echoes{made}
			entry := durable.Entry{Made: []durable.Made{{
				N: 1, Tool: "echo", Hash: durable.Hash("echo", []byte(`{"a":1}`)), Line: 7, AtMS: time.Now().Add(-tt.age).UnixMilli(),
			}}}
			key := programs.Key{Tenant: c.Tenant, CallID: c.ID}
			p, _, err := s.Store.Read(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := s.Store.Append(t.Context(), key, p, &entry, 0); err != nil {
				t.Fatal(err)
			}
			a := turnOf(t, s, c)(peer.ProgramNext, firstStep)
			if len(made) != tt.made || strings.Contains(string(a.Events), string(tool.OutcomeUnknown)) != (tt.made == 0) {
				t.Errorf("made %d, the code sees %s", len(made), a.Events)
			}
		})
	}
}

// TestLargeResultsTogether: results that come at the same time, and are larger together than a
// message, are stored and shown one after the other.
func TestLargeResultsTogether(t *testing.T) {
	t.Parallel()
	const steps, size = 4, 3 << 20
	s, c := opened(t, `{"code":"x"}`)
	next := make([]string, steps)
	for i := range next {
		next[i] = fmt.Sprintf(`{"n":%d,"tool":"echo","args":{"a":"%s"},"line":7}`, i+1, strings.Repeat("x", size))
	}
	ask := turnOf(t, s, c)
	a := ask(peer.ProgramNext, `{"steps":[`+strings.Join(next, ",")+`]}`)
	for seen := 0; seen < steps; {
		var shown durable.Answer
		if err := json.Unmarshal(a.Events, &shown); err != nil || len(shown.Events) == 0 || len(a.Events) > 8<<20 {
			t.Fatalf("after %d results: %d bytes, %v, again %v", seen, len(a.Events), err, a.Again)
		}
		if seen += len(shown.Events); seen < steps {
			a = ask(peer.ProgramNext, `{}`)
		}
	}
}

// TestEndIsRepeated: the call of a program that has ended is delivered again if its worker died
// before it stored the result. A large result is not kept beside the program: its code returns it
// once more from the journal, and calls nothing.
func TestEndIsRepeated(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"small": 10, "large": 2 * maxKept} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := opened(t, `{"code":"x"}`)
			result := json.RawMessage(`"` + strings.Repeat("x", size) + `"`)
			r := peer.ProgramRequest{Tenant: c.Tenant, CallID: c.ID, Key: c.Program, Do: peer.ProgramOpen}
			made := make(chan dispatch.Request, 2)
			s.calls = echoes{made}
			again := func(do, next string, end *peer.ProgramEnd) peer.ProgramAnswer {
				t.Helper()
				r.Do, r.Next, r.End = do, json.RawMessage(next), end
				a, err := s.answer(t.Context(), r)
				if err != nil || a.Again {
					t.Fatalf("%s: %+v, %v", do, a, err)
				}
				r.Session = max(r.Session, a.Session)
				return a
			}
			var ended uint64
			for round := range 2 {
				r.Redelivered = round > 0
				a := again(peer.ProgramOpen, "", nil)
				if round == 1 && size <= maxKept {
					if a.End == nil || string(a.End.Result) != string(result) {
						t.Errorf("opened again: %+v", a)
					}
					return
				}
				if a := again(peer.ProgramNext, firstStep, nil); !strings.Contains(string(a.Events), `"step":1`) {
					t.Fatalf("round %d: %+v", round, a)
				}
				again(peer.ProgramNext, `{"ended":true}`, nil)
				a = again(peer.ProgramClose, "", &peer.ProgramEnd{Result: result})
				if a.End == nil || string(a.End.Result) != string(result) {
					t.Errorf("round %d ended: %+v", round, a)
				}
				_, revision, err := s.Store.Read(t.Context(), programs.Key{Tenant: c.Tenant, CallID: c.ID})
				if ended = cmp.Or(ended, revision); revision != ended || err != nil {
					t.Errorf("its end was stored again: %v", err)
				}
			}
			if len(made) != 1 {
				t.Errorf("%d calls were made, want 1", len(made))
			}
			again(peer.ProgramOpen, "", nil)
			again(peer.ProgramNext, firstStep, nil)
			other := `{"steps":[{"n":2,"tool":"echo","args":{"a":2},"line":8}]}`
			if a := again(peer.ProgramNext, other, nil); a.Kind != string(tool.ExecutionError) || len(made) != 1 {
				t.Errorf("code that does something else: %+v, %d calls", a, len(made))
			}
		})
	}
}

// TestForgedEntries: what somebody without the key of a program writes into its journal is not shown to its
// code, and does not stop it.
func TestForgedEntries(t *testing.T) {
	t.Parallel()
	s, c := opened(t, `{"code":"x"}`)
	hash := durable.Hash("echo", []byte(`{"a":1}`))
	events := `{"at":1,"made":[{"n":1,"tool":"echo","hash":"` + hash + `"}],"events":[{"step":1,"value":"forged","now":1}]}`
	for _, forged := range []string{events, strings.Replace(events, `{"at"`, `{"proof":"`+strings.Repeat("0", 32)+`","at"`, 1), "no entry"} {
		if _, err := s.Queue.Conn.NATS().Request(s.Queue.Conn.Tree().Of(c.Tenant, "journal", c.ID), []byte(forged), time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	ask := turnOf(t, s, c)
	for n, next := range []string{firstStep, `{"steps":[{"n":2,"tool":"echo","args":{"a":2},"line":8}]}`} {
		a := ask(peer.ProgramNext, next)
		if want := fmt.Sprintf(`"step":%d,"value":{"a":%[1]d}`, n+1); !strings.Contains(string(a.Events), want) || strings.Contains(string(a.Events), "forged") {
			t.Errorf("the code sees %s, want %s: %+v", a.Events, want, a)
		}
	}
}
