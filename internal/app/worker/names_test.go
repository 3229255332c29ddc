package worker_test

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"github.com/helve-dev/helve/config"
)

// lines is a log that is read while it is written.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestSettingsWithoutEffect: a group or a tool that nothing has, and a pool without tools, are
// in the log of the start, with the nearest name.
func TestSettingsWithoutEffect(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		tune func(*config.Config)
		want []string
	}{
		"right": {func(c *config.Config) {
			c.Groups, c.RateLimits = []string{"test=on", "acme:git=off"}, []string{"look=1000/1s", "lo*=1000/1s", "*=1000/1s"}
		}, nil},
		"misspelt": {func(c *config.Config) {
			c.Groups, c.RateLimits = []string{"gti=on", "acme:tset=off", "zzzzzzzz=on"}, []string{"loook=1000/1s"}
		}, []string{
			`"group":"gti","nearest":"git"`, `"group":"tset","nearest":"test"`, `"group":"zzzzzzzz","nearest":""`, `"tool":"loook","nearest":"look"`,
		}},
		"other pool": {func(c *config.Config) { c.Worker.Pools = []string{"heavy"} }, []string{`"msg":"worker has no tools","pools":["heavy"]`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := &lines{}
			w := newWorld(t, tt.tune)
			w.log = log
			t.Cleanup(func() { check(t, log.String(), tt.want) }) // when the worker has ended
			w.start()
		})
	}
}

func check(t *testing.T, log string, wants []string) {
	t.Helper()
	if strings.Count(log, "not known")+strings.Count(log, "no tools") != len(wants) {
		t.Errorf("the log is %s", log)
	}
	for _, want := range wants {
		if !strings.Contains(log, want) {
			t.Errorf("the log is %s, want %s in it", log, want)
		}
	}
}
