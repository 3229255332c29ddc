package ratelimit

import (
	"bytes"
	"context"
	"errors"
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
			_, _ = l.Take(t.Context(), "acme", "u1", "git_log") // the rule of the tool counts what the user's refuses
		}
		wants(t, l, "acme", "u3", "git_log", 2*time.Second)
	})
}

// TestTakeAtOnce: however many ask at once, no more than the count get through.
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
		wants(t, l, "acme", "u", "y", 0) // which no rule is about
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
