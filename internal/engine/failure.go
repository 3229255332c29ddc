package engine

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// maxMessage is the longest a message may be, in bytes.
const maxMessage = 4 << 10

// failure makes a *tool.Error of what a tool returned, without paths of the
// host where the standard library put them in.
func failure(err error) *tool.Error {
	if own, ok := errors.AsType[*tool.Error](err); ok {
		if own == nil {
			return tool.Fail(tool.ExecutionError, "Tool execution failed without saying why").Because(errors.New("a nil *tool.Error was returned"))
		}
		return own
	}
	e := tool.AsError(err)
	if reason := systemReason(err); reason != "" && e.Kind == tool.ExecutionError {
		e.Msg = "Tool execution failed: " + reason
	}
	return e
}

// systemReason is the innermost reason of an error that names a file or a
// system call, or "" for other errors.
func systemReason(err error) string {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno.Error()
	}
	var inner error
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		inner = e.Err
	} else if e, ok := errors.AsType[*os.LinkError](err); ok {
		inner = e.Err
	}
	if inner == nil {
		return ""
	}
	return cmp.Or(systemReason(inner), inner.Error())
}

// presentable returns e as a caller may see it: a kind of the closed set and a
// message that is there, is text and is not too long. E itself is not changed;
// it may be shared.
func presentable(e *tool.Error) *tool.Error {
	out := *e
	if !slices.Contains(kinds, out.Kind) {
		out.Kind = tool.ExecutionError
	}
	out.Msg = strings.ToValidUTF8(out.Msg, "�")
	if out.Msg == "" {
		out.Msg = "Tool execution failed"
	}
	out.Msg = textcut.Fit(out.Msg, maxMessage)
	return &out
}

var kinds = tool.Kinds()

// encodable returns the metadata of an error, nil if it cannot be sent: the error matters
// more.
func encodable(meta map[string]any) map[string]any {
	if len(meta) == 0 {
		return nil
	}
	if _, err := json.Marshal(meta); err != nil {
		return nil
	}
	return meta
}

// usable returns what a tool answered if it can be sent on: nothing is null,
// and all of it is JSON.
func usable(res tool.Result) (tool.Result, error) {
	if len(res.Value) == 0 {
		res.Value = json.RawMessage("null")
	}
	if !jsontext.Value(res.Value).IsValid(jsontext.AllowDuplicateNames(true)) {
		return tool.Result{}, tool.Fail(tool.ExecutionError, "the tool returned a result that is not JSON")
	}
	if len(res.Content) > 0 && !blocks(res.Content) {
		return tool.Result{}, tool.Fail(tool.ExecutionError, "the tool returned content that is no JSON array")
	}
	if len(res.Metadata) > 0 {
		if _, err := json.Marshal(res.Metadata); err != nil {
			return tool.Result{}, tool.Fail(tool.ExecutionError, "the tool returned metadata that cannot be encoded as JSON").Because(err)
		}
	}
	return res, nil
}

// blocks reports whether content is a JSON array.
func blocks(content json.RawMessage) bool {
	value := jsontext.Value(content)
	return value.Kind() == '[' && value.IsValid(jsontext.AllowDuplicateNames(true))
}
