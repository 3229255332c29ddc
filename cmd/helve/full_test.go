package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// written keeps what a process logs.
type written struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (w *written) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(p)
}

func (w *written) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.String()
}

// post sends a request to execute one call of a tool that is always there.
func post(t *testing.T, web string) (status int, text string) {
	t.Helper()
	const body = `{"calls":[{"tool":"get_current_time","arguments":{}}],"wait_ms":5000}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web+"/v1/execute", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(answer)
}

// eventually polls until done reports true.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(testtime.Patience()); !done(); <-time.After(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// fill writes files until the device has no block left.
func fill(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); errors.Is(err, syscall.ENOSPC) {
			size /= 2
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// TestUpOnAFullDevice fills the device of helve up, which is small, while calls come, and makes room again: calls are refused
// with the reason, /readyz tells it, and all of it ends by itself.
func TestUpOnAFullDevice(t *testing.T) {
	testtime.Slow(t, "it runs helve up and fills its device")
	dir := t.TempDir()
	if err := mountSmall(dir); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("this test needs a device of its own: %v", err)
		}
		t.Skipf("NOT TESTED: a full device. It needs root, to mount one: %v", err)
	}
	t.Cleanup(func() {
		if err := unmount(dir); err != nil {
			t.Error(err)
		}
	})
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	printed, code, logged := make(lines, 8), make(chan int, 1), &written{}
	args := []string{"up", "--data", filepath.Join(dir, "data"), "--http", "127.0.0.1:0", "--nats", "127.0.0.1:0", "--log-level", "warn"}
	go func() { code <- cli.Run(ctx, args, strings.NewReader(""), printed, logged, upCommand(nil)) }()
	var web string
	select {
	case line := <-printed:
		web = strings.TrimPrefix(strings.Fields(line)[1], "http=")
	case <-time.After(time.Minute):
		t.Fatalf("up is not ready on a small device: %s", logged)
	}
	if status, text := post(t, web); status != http.StatusOK || !strings.Contains(text, `"status":"success"`) {
		t.Fatalf("before the fault a call is answered %d %s", status, text)
	}
	filler := filepath.Join(dir, "filler")
	fill(t, filler)
	const reason = "no space on the device of the message store"
	eventually(t, "a call refused for want of space", func() bool {
		status, text := post(t, web)
		return status == http.StatusServiceUnavailable && strings.Contains(text, reason) && strings.Contains(text, `"error_type":"overloaded"`)
	})
	if text := page(t, web+"/readyz"); !strings.Contains(text, `"not_ready"`) || !strings.Contains(text, reason) {
		t.Errorf("/readyz is %s on a full device, want not_ready and the reason", text)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	eventually(t, "readiness once there is space", func() bool { return strings.Contains(page(t, web+"/readyz"), `"status":"ready"`) })
	// Workers could not announce themselves meanwhile, and do so again.
	eventually(t, "a call answered after the fault", func() bool {
		status, text := post(t, web)
		return status == http.StatusOK && strings.Contains(text, `"status":"success"`)
	})
	stop()
	if got := <-code; got != 0 {
		t.Errorf("up exited %d after its drain, want 0", got)
	}
	text := logged.String()
	if !strings.Contains(text, reason+", calls refused") {
		t.Errorf("the log does not name the full device: %s", text)
	}
	if n := strings.Count(text, "\n"); n > 100 {
		t.Errorf("a full device made %d log lines: %s", n, text)
	}
}
