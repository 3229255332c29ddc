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
}

func TestExecutePythonOnDocker(t *testing.T) {
	tooltest.Run(t, Set, "execute_python", genuine(t), []tooltest.Case{
		{Name: "result", Args: `{"code":"print(sum(range(101)))"}`, Want: `{"stdout":"5050\n","stderr":"","exitCode":0,"sandboxed":true,
			"executionMode":"docker","language":"python","dockerImage":"helve-test","relaxedSecurity":false}`},
		{Name: "exception", Args: `{"code":"x = 1\nprint(x / 0)"}`, Check: func(t *testing.T, res tool.Result) {
			if text := string(res.Value); !strings.Contains(text, "ZeroDivisionError") || !strings.Contains(text, `"exitCode":1`) ||
				!strings.Contains(text, "print(x / 0)") {
				t.Errorf("result %s, want the exception and its line", text)
			}
		}},
		{Name: "memory", Args: `{"code":"kept = []\nwhile True: kept.append(bytearray(1 << 20))","timeout":30000}`,
			Check: func(t *testing.T, res tool.Result) {
				if text := string(res.Value); !strings.Contains(text, "more than 512 MB of memory") || !strings.Contains(text, `"exitCode":137`) {
					t.Errorf("result %s, want it to say that memory ran out", text)
				}
			}},
		{
			Name:    "time",
			Args:    `{"code":"import time\nprint('begun', flush=True)\ntime.sleep(600)","timeout":1500}`,
			Fails:   tool.Timeout,
			Message: "within 1.5s and was killed",
		},
		{Name: "output", Args: `{"code":"while True: print('x' * 1000)","timeout":30000}`, Check: func(t *testing.T, res tool.Result) {
			if text := string(res.Value); !strings.Contains(text, "wrote too much: over ") || !res.Truncated {
				t.Errorf("result of %d bytes, truncated %v, want that it was killed for its output", len(text), res.Truncated)
			}
		}},
		{Name: "input", Args: `{"code":"import sys; print(repr(sys.stdin.read()))"}`,
			Want: `{"stdout":"''\n","stderr":"","exitCode":0,"sandboxed":true,
			"executionMode":"docker","language":"python","dockerImage":"helve-test","relaxedSecurity":false}`},
		{Name: "not UTF-8", Args: `{"code":"import sys; sys.stdout.buffer.write(bytes([65, 255, 66]))"}`,
			Check: func(t *testing.T, res tool.Result) {
				if !strings.Contains(string(res.Value), `"stdout":"A`+"\uFFFD"+`B"`) {
					t.Errorf("result %s, want a mark for what is no text", res.Value)
				}
			}},
	})
}
