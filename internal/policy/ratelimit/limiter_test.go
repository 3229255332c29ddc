package ratelimit

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

var errTaken = errors.New("somebody was faster")

// memory is a store that all limiters of a test share.
type memory struct {
	mu     sync.Mutex
	values map[string][]byte
	away   bool
}

func (m *memory) Get(_ context.Context, key string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.away {
		return nil, errors.New("away")
	}
	return m.values[key], nil
}

func (m *memory) Create(ctx context.Context, key string, value []byte) error {
	return m.Replace(ctx, key, nil, value)
}

func (m *memory) Replace(_ context.Context, key string, old, value []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !bytes.Equal(m.values[key], old) {
		return errTaken
	}
	m.values[key] = value
	return nil
}

func limiter(t *testing.T, m *memory, rules ...string) *Limiter {
	t.Helper()
	var parsed []Rule
	for _, text := range rules {
		r, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, r)
	}
	return New(parsed, m, func(err error) bool { return errors.Is(err, errTaken) })
}

func wants(t *testing.T, l *Limiter, tenant, user, tool string, want time.Duration) {
	t.Helper()
	if got, err := l.Take(t.Context(), tenant, user, tool); got != want || err != nil {
		t.Errorf("Take(%s, %s, %s) = %s, %v, want %s", tenant, user, tool, got, err, want)
	}
}

// TestTake walks a limit of 3 in a minute through time.
func TestTake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{values: map[string][]byte{}}
		l, other := limiter(t, m, "send_*=3/1m"), limiter(t, m, "send_*=3/1m") // two workers
		wants(t, l, "acme", "u1", "send_email", 0)
		wants(t, other, "acme", "u2", "send_note", 0)
		wants(t, l, "acme", "u1", "send_email", 0)
		wants(t, other, "acme", "u1", "send_email", 20*time.Second)
		wants(t, l, "acme", "u1", "read_file", 0)
		wants(t, l, "other", "u1", "send_email", 0)
		time.Sleep(19 * time.Second)
		wants(t, l, "acme", "u1", "send_email", time.Second)
		time.Sleep(time.Second)
		wants(t, l, "acme", "u1", "send_email", 0)
		wants(t, other, "acme", "u1", "send_email", 20*time.Second)
		time.Sleep(time.Hour)
		for range 3 {
			wants(t, l, "acme", "u1", "send_email", 0)
		}
		wants(t, l, "acme", "u1", "send_email", 20*time.Second)
	})
}

func TestTakeByUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limiter(t, &memory{values: map[string][]byte{}}, "*=1/10s by user", "git_log=5/1m")
		wants(t, l, "acme", "u1", "git_log", 0)
		wants(t, l, "acme", "u2", "git_log", 0)
		wants(t, l, "acme", "", "git_log", 0)
		wants(t, l, "acme", "u1", "read_file", 10*time.Second)
		wants(t, l, "other", "u1", "read_file", 0)
		time.Sleep(10 * time.Second)
		for range 4 {
			_, _ = l.Take(t.Context(), "acme", "u1", "git_log") // the rule of the tool counts calls that the user's rule refuses
		}
		wants(t, l, "acme", "u3", "git_log", 2*time.Second)
	})
}

// TestTakeAtOnce: of any number of concurrent calls, at most the count get through.
func TestTakeAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{values: map[string][]byte{}}
		var through atomic.Int64
		var all sync.WaitGroup
		for range 40 {
			l := limiter(t, m, "x=10/24h")
			all.Go(func() {
				if wait, err := l.Take(t.Context(), "acme", "u", "x"); err == nil && wait == 0 {
					through.Add(1)
				}
			})
		}
		all.Wait()
		if got := through.Load(); got != 10 {
			t.Errorf("%d calls were let through, want 10", got)
		}
	})
}

func TestTakeOddStates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{values: map[string][]byte{}}
		l := limiter(t, m, "x=2/1m")
		key := l.rules[0].key("acme", "u")
		for _, state := range []string{"rubbish", "", "-1", "9223372036854775808"} {
			m.values[key] = []byte(state)
			wants(t, l, "acme", "u", "x", 0)
		}
		m.values[key] = []byte("9223372036854775807") // a clock that was wrong by centuries
		wants(t, l, "acme", "u", "x", 30*time.Second)
		m.away = true
		if _, err := l.Take(t.Context(), "acme", "u", "x"); err == nil {
			t.Error("Take without a store succeeded")
		}
		wants(t, l, "acme", "u", "y", 0) // which has no rule
	})
}

func TestParse(t *testing.T) {
	for text, want := range map[string]Rule{
		"send_email=10/1h":         {"send_email", 10, time.Hour, false},
		"*=600/1m by user":         {"*", 600, time.Minute, true},
		"files.*=1/1s by tenant":   {"files.*", 1, time.Second, false},
		"":                         {},
		"x":                        {},
		"=1/1s":                    {},
		"x=1":                      {},
		"x=a/1s":                   {},
		"x=1/second":               {},
		"x=0/1s":                   {},
		"x=1/1ms":                  {},
		"x=1/25h":                  {},
		"x=2000000/1h":             {},
		"x*y=1/1s":                 {},
		"x=1/1s by agent":          {},
		"x=1/1s by user and by me": {},
	} {
		got, err := Parse(text)
		if got != want || (err == nil) != (want.Count > 0) {
			t.Errorf("Parse(%q) = %+v, %v, want %+v", text, got, err, want)
		}
	}
}

// TestCountsThatDoNotDivide: at most the count get through in a burst, even if the
// period is not a multiple of it.
func TestCountsThatDoNotDivide(t *testing.T) {
	for _, text := range []string{"x=700000/1s", "x=7/1s", "x=999999/1s", "x=11/24h"} {
		r, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		now, state, let := time.Now(), []byte(nil), 0
		for wait := time.Duration(0); wait == 0 && let <= r.Count; {
			var next []byte
			if next, wait = r.step(state, now); wait == 0 {
				state, let = next, let+1
			}
		}
		if let != r.Count {
			t.Errorf("%s lets %d through at once", text, let)
		}
	}
}

// TestRulesByOtherNames: a rule counts calls of its tool under any name of the tool,
// and each call once.
func TestRulesByOtherNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limiter(t, &memory{values: map[string][]byte{}}, "create_memory=1/1m", "use_tool=2/1h", "c*=9/1m")
		take := func(names ...string) time.Duration {
			t.Helper()
			wait, err := l.Take(t.Context(), "acme", "u1", names...)
			if err != nil {
				t.Fatal(err)
			}
			return wait
		}
		if take("remember", "create_memory", "create_it") != 0 || take("remember", "create_memory") == 0 {
			t.Error("a rule with an alias does not bound the tool")
		}
		if take("x", "use_tool") != 0 || take("y", "use_tool") != 0 || take("z", "use_tool") == 0 || take("z") != 0 {
			t.Error("a rule for the way does not bound it")
		}
		for range 6 { // two were counted above, although one had two matching names
			if take("c1", "c2") != 0 {
				t.Error("a call with two names that a rule covers was counted twice")
			}
		}
	})
}

// TestRulesTwice: a duplicate rule would count each call twice.
func TestRulesTwice(t *testing.T) {
	for _, rules := range [][]string{{"x=1/1m", "x=1/1m"}, {"x=1/1m", "x=1/60s by tenant"}, {"x=1/1m by user", "x=1/1m by user"}} {
		if _, err := ParseAll(rules); err == nil || !strings.Contains(err.Error(), "twice") {
			t.Errorf("%q: %v, want it refused", rules, err)
		}
	}
	if rules, err := ParseAll([]string{"x=1/1m", "x=1/1m by user", "x=10/1h"}); len(rules) != 3 || err != nil {
		t.Errorf("%v, %v", rules, err)
	}
}

// TestNobody: calls without a user do not share the limit of a user called _.
func TestNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limiter(t, &memory{values: map[string][]byte{}}, "x=1/1m by user")
		wants(t, l, "acme", "_", "x", 0)
		wants(t, l, "acme", "", "x", 0)
		wants(t, l, "acme", "", "x", time.Minute)
	})
}

// slow is a store with a delay.
type slow struct {
	memory
	writes atomic.Int64
}

func (s *slow) Replace(ctx context.Context, key string, old, value []byte) error {
	time.Sleep(time.Millisecond)
	s.writes.Add(1)
	return s.memory.Replace(ctx, key, old, value)
}

func (s *slow) Create(ctx context.Context, key string, value []byte) error {
	return s.Replace(ctx, key, nil, value)
}

// TestTakeTogether: concurrent calls do not compete with each other, and are not
// refused while the limit is not reached.
func TestTakeTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &slow{memory: memory{values: map[string][]byte{}}}
		rules, err := ParseAll([]string{"x=1000/1h"})
		if err != nil {
			t.Fatal(err)
		}
		taken := func(err error) bool { return errors.Is(err, errTaken) }
		workers := []*Limiter{New(rules, store, taken), New(rules, store, taken)}
		var through atomic.Int64
		var all sync.WaitGroup
		for i := range 1200 {
			all.Go(func() {
				wait, err := workers[i%2].Take(t.Context(), "acme", "u", "x")
				if err != nil {
					t.Error(err)
				}
				if wait == 0 {
					through.Add(1)
				}
			})
		}
		all.Wait()
		if through.Load() != 1000 || store.writes.Load() > 20 {
			t.Errorf("%d of 1200 calls were let through by %d writes, want 1000", through.Load(), store.writes.Load())
		}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := workers[0].Take(over, "globex", "u", "x"); !errors.Is(err, context.Canceled) {
			t.Errorf("Take of a call that has ended: %v", err)
		}
		time.Sleep(time.Second)
		for _, w := range workers {
			w.mu.Lock()
			if n := len(w.waiting); n != 0 {
				t.Errorf("%d states are still served", n)
			}
			w.mu.Unlock()
		}
	})
}
