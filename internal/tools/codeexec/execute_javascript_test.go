package codeexec

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/docker"
	"github.com/helve-dev/helve/internal/ports/docker/dockertest"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestExecuteJavaScript(t *testing.T) {
	failures(t, "execute_javascript", `{"code":"console.log(1)"}`)
}

func TestExecuteJavaScriptOnDocker(t *testing.T) {
	tooltest.Run(t, Set, "execute_javascript", genuine(t), []tooltest.Case{
		{Name: "result", Args: `{"code":"console.log([1,2,3].map(n => n * n).join())"}`,
			Want: `{"stdout":"1,4,9\n","stderr":"","exitCode":0,"sandboxed":true,
			"executionMode":"docker","language":"javascript","dockerImage":"helve-test","relaxedSecurity":false}`},
		{Name: "exit code", Args: `{"code":"console.error('no'); process.exit(3)","timeout":20000}`,
			Want: `{"stdout":"","stderr":"no\n","exitCode":3,"sandboxed":true,
			"executionMode":"docker","language":"javascript","dockerImage":"helve-test","relaxedSecurity":false}`},
		{Name: "exception", Args: `{"code":"throw new Error('broken ünï')"}`, Check: func(t *testing.T, res tool.Result) {
			if text := string(res.Value); !strings.Contains(text, "broken ünï") || !strings.Contains(text, `"exitCode":1`) ||
				!strings.Contains(text, "/work/main.js:1") {
				t.Errorf("result %s, want the exception and where it was", text)
			}
		}},
		{Name: "network", Args: `{"code":"fetch('http://192.0.2.1/').catch(e => console.log(e.cause.code))"}`,
			Want: `{"stdout":"ENETUNREACH\n","stderr":"","exitCode":0,"sandboxed":true,
			"executionMode":"docker","language":"javascript","dockerImage":"helve-test","relaxedSecurity":false}`},
		{Name: "files", Args: `{"code":"const fs = require('fs'); fs.writeFileSync('a', 'x'); console.log(process.cwd(), fs.readdirSync('.').sort().join()); fs.writeFileSync('/etc/x', '')"}`,
			Check: func(t *testing.T, res tool.Result) {
				if text := string(res.Value); !strings.Contains(text, `/work a,main.js\n`) || !strings.Contains(text, "EROFS") {
					t.Errorf("result %s, want a file in /work and none in /etc", text)
				}
			}},
	})
}

func TestExecuteJavaScriptRefuses(t *testing.T) {
	tooltest.Run(t, Set, "execute_javascript", tool.Call{Containers: &record{}}, []tooltest.Case{
		{Name: "no code", Args: `{}`, Fails: tool.ValidationError, Message: "code"},
		{Name: "empty", Args: `{"code":""}`, Fails: tool.ValidationError, Message: "code"},
		{Name: "type", Args: `{"code":5}`, Fails: tool.ValidationError, Message: "code"},
		{Name: "timeout", Args: `{"code":"1","timeout":"soon"}`, Fails: tool.ValidationError, Message: "timeout"},
	})
	tooltest.Run(t, Set, "execute_javascript", on(t, &dockertest.Engine{Images: []string{}}, docker.Options{}), []tooltest.Case{
		{Name: "no image", Args: `{"code":"1"}`, Fails: tool.NotConfigured, Message: "docker pull node:22-slim"},
	})
}
