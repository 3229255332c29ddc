package sandbox

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox/wire"
	"github.com/helve-dev/helve/tool"
)

func TestDeaths(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		shell  string // how the process ends
		cause  error
		reason string
		kind   tool.Kind
	}{
		"own watchdog":     {"exit 50", nil, "memory", tool.ExecutionError},
		"address space":    {"echo 'runtime: out of memory: cannot allocate' >&2; exit 2", nil, "memory", tool.ExecutionError},
		"threads":          {"echo 'runtime: failed to create new OS thread' >&2; exit 2", nil, "crash", tool.ExecutionError},
		"lifetime of CPU":  {"echo 'SIGXCPU: cpu limit exceeded' >&2; exit 2", nil, "cpu", tool.Timeout},
		"Go stack":         {"echo 'fatal error: stack overflow' >&2; exit 2", nil, "crash", tool.ExecutionError},
		"forbidden call":   {"kill -SYS $$", nil, "crash", tool.ExecutionError},
		"closed, killed":   {"kill -KILL $$", nil, "protocol", tool.ExecutionError},
		"broken protocol":  {"kill -KILL $$", violation{wire.ErrMalformed}, "protocol", tool.ExecutionError},
		"pool is closing":  {"kill -KILL $$", errClosed, "", tool.Overloaded},
		"ended by itself":  {"exit 0", nil, "crash", tool.ExecutionError},
		"says many things": {"echo secret of the host >&2; exit 2", nil, "crash", tool.ExecutionError},
	} {
		cmd := exec.Command("/bin/sh", "-c", tt.shell)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		_ = cmd.Run()
		d := exit{cause: tt.cause, state: cmd.ProcessState, stderr: stderr.String()}
		out := d.outcome(DefaultLimits())
		e := tool.AsError(out.err)
		if e.Kind != tt.kind || out.reason != tt.reason {
			t.Errorf("%s: outcome = %v for %q, want %s for %q", name, out.err, out.reason, tt.kind, tt.reason)
		}
		if text := strings.TrimSpace(stderr.String()); text != "" && strings.Contains(e.Msg, text) {
			t.Errorf("%s: the model reads the child's last words: %s", name, e.Msg)
		}
		if e.Cause == nil && tt.kind != tool.Timeout {
			t.Errorf("%s: the operator is told no cause", name)
		}
	}
}

// A child may report kinds that scripts end with, and kinds that the host returned; never
// internal.
func TestClaimedKinds(t *testing.T) {
	t.Parallel()
	r := &run{job: &Job{}}
	for _, kind := range []tool.Kind{tool.RateLimited, tool.Internal} {
		r.failure(tool.Fail(kind, "of the host"))
	}
	for _, claimed := range append(tool.Kinds(), "", "free_form") {
		want := tool.ExecutionError
		switch claimed {
		case tool.Timeout, tool.ValidationError, tool.RateLimited:
			want = claimed
		}
		if got := r.kind(claimed); got != want {
			t.Errorf("a child that claims %q gets %s, want %s", claimed, got, want)
		}
	}
	// A program may end with the bound of its calls, and with the kind of an event.
	scripts, programs := &run{job: &Job{}}, &run{job: &Job{Durable: &js.Durable{}}}
	programs.noteEvents([]byte(`{"events":[{"step":1,"error":{"error_type":"policy_denied"}}]}`))
	if scripts.kind(tool.RateLimited) != tool.ExecutionError || programs.kind(tool.RateLimited) != tool.RateLimited ||
		programs.kind(tool.PolicyDenied) != tool.PolicyDenied || programs.kind(tool.PermissionDenied) != tool.ExecutionError {
		t.Error("the kinds of programs are not accepted, or those of scripts are too many")
	}
}

func TestClip(t *testing.T) {
	t.Parallel()
	if got := clip(strings.Repeat("ü", 5000)); len(got) > maxMessage+3 || strings.ContainsRune(got, '\uFFFD') || !strings.HasSuffix(got, "…") {
		t.Errorf("clip left %d bytes that end in %q", len(got), got[len(got)-6:])
	}
	if clip("short") != "short" {
		t.Error("clip changed a short message")
	}
}
