package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/helve-dev/helve/tool"
)

func TestFailure(t *testing.T) {
	const host = "/srv/helve/workspaces/t1/secret"
	denied := &fs.PathError{Op: "open", Path: host, Err: syscall.EACCES}
	for name, tt := range map[string]struct {
		err  error
		kind tool.Kind
		msg  string
	}{
		"plain":           {errors.New("no such column"), tool.ExecutionError, "Tool execution failed: no such column"},
		"kind of its own": {tool.Fail(tool.RateLimited, "slow down"), tool.RateLimited, "slow down"},
		"wrapped kind":    {fmt.Errorf("step 2: %w", tool.Fail(tool.RateLimited, "slow down")), tool.RateLimited, "slow down"},
		"path":            {denied, tool.ExecutionError, "Tool execution failed: permission denied"},
		"wrapped path":    {fmt.Errorf("%s: %w", host, denied), tool.ExecutionError, "Tool execution failed: permission denied"},
		"path in a path": {
			&fs.PathError{Op: "a", Path: host, Err: &fs.PathError{Op: "b", Path: host, Err: errors.New("is odd")}}, tool.ExecutionError,
			"Tool execution failed: is odd",
		},
		"missing": {&fs.PathError{Op: "open", Path: host, Err: syscall.ENOENT}, tool.FileNotFound, "the file does not exist"},
		"link": {
			&os.LinkError{Op: "rename", Old: host, New: host, Err: errors.New("cross-device link")}, tool.ExecutionError,
			"Tool execution failed: cross-device link",
		},
		"system call":      {os.NewSyscallError("write", syscall.ENOSPC), tool.ExecutionError, "Tool execution failed: no space left on device"},
		"errno":            {syscall.EROFS, tool.ExecutionError, "Tool execution failed: read-only file system"},
		"path of no error": {&fs.PathError{Op: "open", Path: "a"}, tool.ExecutionError, "Tool execution failed"},
		"nil *tool.Error":  {(*tool.Error)(nil), tool.ExecutionError, "Tool execution failed without saying why"},
		"foreign kind":     {tool.Fail("teapot", "short and stout"), tool.ExecutionError, "short and stout"},
		"no message":       {&tool.Error{Kind: tool.NetworkError}, tool.NetworkError, "Tool execution failed"},
		"not text":         {tool.Fail(tool.NetworkError, "a\xffb"), tool.NetworkError, "a\uFFFDb"},
		"own deadline":     {context.DeadlineExceeded, tool.Timeout, "the tool did not finish in time"},
	} {
		t.Run(name, func(t *testing.T) {
			out := holding(t, returning(nil, tt.err)).execute(t.Context(), job(`{"path":"a"}`))
			wantKind(t, out, tt.kind)
			if !strings.HasPrefix(out.Err.Msg, tt.msg) || strings.Contains(out.Err.Msg, host) {
				t.Errorf("message = %q, want %q and no path of the host", out.Err.Msg, tt.msg)
			}
		})
	}
}

func TestPresentable(t *testing.T) {
	for _, fill := range []string{"a", "é", "€", "🪓"} {
		for shift := range 4 { // so that the cut falls on each byte of a character
			e := tool.Fail(tool.ExecutionError, "%s", strings.Repeat("x", shift)+strings.Repeat(fill, 5000))
			got := presentable(e)
			if n := len(got.Msg); n > maxMessage || n < maxMessage-8 || !utf8.ValidString(got.Msg) || !strings.HasSuffix(got.Msg, "…") {
				t.Errorf("message of %s after %d: %d bytes, valid %v, want at most %d and a mark",
					fill, shift, n, utf8.ValidString(got.Msg), maxMessage)
			}
			if len(e.Msg) <= maxMessage {
				t.Errorf("the error itself was cut to %d bytes: it may be shared", len(e.Msg))
			}
		}
	}
	full := strings.Repeat("a", maxMessage)
	if got := presentable(tool.Fail(tool.ExecutionError, "%s", full)).Msg; got != full {
		t.Errorf("a message of %d bytes was cut to %d", maxMessage, len(got))
	}
}

func TestUsable(t *testing.T) {
	var answer tool.Result
	raw, err := tool.New(returning(nil, nil).Definition, 0, func(context.Context, *tool.Call, json.RawMessage) (tool.Result, error) {
		return answer, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w := holding(t, raw)
	for name, tt := range map[string]struct {
		res  tool.Result
		want string // "" is an execution_error
	}{
		"nothing":        {tool.Result{}, "null"},
		"an object":      {tool.Result{Value: []byte(`{"a":1}`)}, `{"a":1}`},
		"a double key":   {tool.Result{Value: []byte(`{"a":1,"a":2}`)}, `{"a":1,"a":2}`},
		"garbage":        {tool.Result{Value: []byte(`{"a":`)}, ""},
		"two values":     {tool.Result{Value: []byte(`1 2`)}, ""},
		"not UTF-8":      {tool.Result{Value: []byte("\"\xff\"")}, ""},
		"odd metadata":   {tool.Result{Value: []byte(`1`), Metadata: map[string]any{"f": func() {}}}, ""},
		"plain metadata": {tool.Result{Value: []byte(`1`), Metadata: map[string]any{"f": 1}}, "1"},
	} {
		answer = tt.res
		out := w.execute(t.Context(), job(`{"path":"a"}`))
		if tt.want != "" {
			wantValue(t, out, tt.want)
		} else if out.Err == nil || out.Err.Kind != tool.ExecutionError {
			t.Errorf("%s: %s, error %v, want an execution_error", name, out.Result.Value, out.Err)
		}
	}
}

func TestNilResultIsNull(t *testing.T) {
	wantValue(t, holding(t, returning(nil, nil)).execute(t.Context(), job(`{"path":"a"}`)), "null")
}
