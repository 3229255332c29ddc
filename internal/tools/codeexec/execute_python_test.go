package codeexec

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestExecutePython(t *testing.T) {
	failures(t, "execute_python", `{"code":"print(1)"}`)
	tooltest.Run(t, Set, "execute_python", tool.Call{Containers: &record{}}, []tooltest.Case{
		{Name: "no code", Args: `{"timeout":5}`, Fails: tool.ValidationError, Message: "code"},
	})
	tooltest.Run(t, Set, "execute_python", here(t, "python3"), []tooltest.Case{
		{Name: "result", Args: `{"code":"print(sum(range(101)))"}`, Want: `{"stdout":"5050\n","stderr":"","exitCode":0,"sandboxed":true,
			"executionMode":"docker","language":"python","dockerImage":"python:3.13-slim","relaxedSecurity":false}`},
		{Name: "exception", Args: `{"code":"x = 1\nprint(x / 0)"}`, Check: func(t *testing.T, res tool.Result) {
			if text := string(res.Value); !strings.Contains(text, "ZeroDivisionError") || !strings.Contains(text, `"exitCode":1`) || !strings.Contains(text, "print(x / 0)") {
				t.Errorf("result %s, want the exception and its line", text)
			}
		}},
		{Name: "not UTF-8", Args: `{"code":"import sys; sys.stdout.buffer.write(bytes([65, 255, 66]))"}`, Check: func(t *testing.T, res tool.Result) {
			if !strings.Contains(string(res.Value), `"stdout":"A`+"\uFFFD"+`B"`) {
				t.Errorf("result %s, want a mark for what is no text", res.Value)
			}
		}},
	})
}
