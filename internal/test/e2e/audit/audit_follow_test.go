package audit

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// lineWriter keeps the output of a command, readable while it runs.
type lineWriter struct {
	mu   sync.Mutex
	text strings.Builder
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *lineWriter) shows() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// TestAuditFollow: the newest records come first, and then new ones as they are stored,
// each once.
func TestAuditFollow(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	system.Execute(t, d, tenant, `{"calls": [{"call_id": "before", "tool": "debug.echo", "arguments": {"value": 1}}]}`)
	ctx, stop := context.WithCancel(system.Context(t))
	defer stop()
	var out lineWriter
	ended := make(chan int, 1)
	go func() {
		ended <- cli.Run(ctx, []string{"audit", "--follow", "--json", "--server", shared.URLs[0], "--tenant", tenant},
			strings.NewReader(""), &out, &out)
	}()
	system.Eventually(t, "the record of before is shown", func() bool { return strings.Contains(out.shows(), `"call_id":"before"`) })
	system.Execute(t, d, tenant, `{"calls": [{"call_id": "after", "tool": "debug.echo", "arguments": {"value": 2}}]}`)
	system.Eventually(t, "the record of after is shown", func() bool { return strings.Contains(out.shows(), `"call_id":"after"`) })
	stop()
	if code := system.Receive(t, "the interrupted command has ended", ended); code != 0 {
		t.Errorf("the interrupted command ended with %d", code)
	}
	for _, call := range []string{"before", "after"} {
		if n := strings.Count(out.shows(), `"call_id":"`+call+`"`); n != 1 {
			t.Errorf("the record of %s was shown %d times:\n%s", call, n, out.shows())
		}
	}
}
