package codeexec

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestExecuteShell(t *testing.T) {
	failures(t, "execute_shell", `{"command":"echo hi"}`)
	tooltest.Run(t, Set, "execute_shell", tool.Call{Containers: &record{}}, []tooltest.Case{
		{Name: "no command", Args: `{}`, Fails: tool.ValidationError, Message: "command"},
		{Name: "blocked", Args: `{"command":"rm -rf /"}`, Fails: tool.PermissionDenied, Message: "blocked because it would delete everything"},
		{Name: "fork bomb", Args: `{"command":":(){ :|:& };:"}`, Fails: tool.PermissionDenied, Message: "start processes without end"},
	})
}

func TestExecuteShellOnDocker(t *testing.T) {
	tooltest.Run(t, Set, "execute_shell", genuine(t), []tooltest.Case{
		{Name: "pipes", Args: `{"command":"seq 5 | tac | tr '\\n' ' '; echo \"$BASH_VERSION\" >/dev/null"}`,
			Want: `{"stdout":"5 4 3 2 1 ","stderr":"","exitCode":0,
			"sandboxed":true,"executionMode":"docker","language":"shell","dockerImage":"helve-test","relaxedSecurity":false}`},
		{Name: "failure", Args: `{"command":"[[ a == b ]]"}`, Want: `{"stdout":"","stderr":"","exitCode":1,
			"sandboxed":true,"executionMode":"docker","language":"shell","dockerImage":"helve-test","relaxedSecurity":false}`},
		{Name: "killed", Args: `{"command":"kill -9 $$"}`,
			Want: `{"stdout":"","stderr":"","exitCode":137,"error":"It was killed by signal 9, as happens when it uses more than 512 MB of memory.",
			"sandboxed":true,"executionMode":"docker","language":"shell","dockerImage":"helve-test","relaxedSecurity":false}`},
		{Name: "many lines", Args: `{"command":"a=1\nfor i in 1 2; do\n  echo $((a + i))\ndone"}`, Check: func(t *testing.T, res tool.Result) {
			if !strings.Contains(string(res.Value), `"stdout":"2\n3\n"`) {
				t.Errorf("result %s, want 2 and 3", res.Value)
			}
		}},
	})
}
