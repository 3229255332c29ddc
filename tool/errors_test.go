package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func TestAsError(t *testing.T) {
	own := Fail(RateLimited, "wait %d s", 3)
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	slow := &url.Error{Op: "Get", URL: "http://10.0.0.1/secret", Err: os.ErrDeadlineExceeded}
	for name, tt := range map[string]struct {
		err  error
		kind Kind
		msg  string
	}{
		"its own":          {own, RateLimited, "wait 3 s"},
		"its own, wrapped": {fmt.Errorf("step: %w", own), RateLimited, "wait 3 s"},
		"plain":            {errors.New("no such column"), ExecutionError, "Tool execution failed: no such column"},
		"deadline":         {fmt.Errorf("q: %w", context.DeadlineExceeded), Timeout, "the tool did not finish in time"},
		"cancelled":        {fmt.Errorf("q: %w", context.Canceled), Cancelled, "the call was cancelled"},
		"missing":          {&fs.PathError{Op: "open", Path: "/host/a", Err: syscall.ENOENT}, FileNotFound, "the file does not exist"},
		"refused":          {fmt.Errorf("q: %w", refused), NetworkError, "the network request failed"},
		"slow network":     {slow, Timeout, "the network did not answer in time"},
		"a full disk": {
			&fs.PathError{Op: "write", Path: "a", Err: syscall.ENOSPC}, ExecutionError, "Tool execution failed: write a: no space left on device",
		},
		"a bare number": {syscall.EROFS, ExecutionError, "Tool execution failed: read-only file system"},
	} {
		got := AsError(tt.err)
		if got.Kind != tt.kind || got.Msg != tt.msg {
			t.Errorf("%s: AsError = %s %q, want %s %q", name, got.Kind, got.Msg, tt.kind, tt.msg)
		}
		if !errors.Is(got, tt.err) && !errors.Is(tt.err, got) {
			t.Errorf("%s: AsError = %v, which has lost its cause", name, got)
		}
	}
	if got := AsError(nil); got != nil {
		t.Errorf("AsError(nil) = %v, want nil", got)
	}
}

func TestErrorText(t *testing.T) {
	e := Fail(NotConfigured, "set a key")
	if got, want := e.Error(), "not_configured: set a key"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
	cause := errors.New("vault sealed")
	if got, want := e.Because(cause).Error(), "not_configured: set a key: vault sealed"; got != want || !errors.Is(e, cause) {
		t.Errorf("Error() = %q, wraps its cause %v, want %q, true", got, errors.Is(e, cause), want)
	}
}

func TestKindsAreAllThere(t *testing.T) {
	kinds := Kinds()
	slices.Sort(kinds)
	if n := len(slices.Compact(slices.Clone(kinds))); n != 21 || len(kinds) != n {
		t.Errorf("%d kinds, %d of them different, want 21: the set is closed", len(kinds), n)
	}
	for _, k := range kinds {
		if strings.ToLower(string(k)) != string(k) || strings.ContainsAny(string(k), " -") {
			t.Errorf("kind %q is not snake_case", k)
		}
	}
}
