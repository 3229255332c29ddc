package dynamic

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/tool"
)

// TestRun: the code gets exactly what its permissions allow.
func TestRun(t *testing.T) {
	t.Parallel()
	r, cage := open(t, queuetest.Connect(t, queuetest.Server(t)))
	one := sample("adder")
	one.Limits = tool.CustomLimits{TimeoutSeconds: 0.5, CPUSeconds: 1, MemoryMB: 16, OutputKB: 2}
	one.RequiredAPIKeys = []tool.RequiredAPIKey{{Name: "bank"}}
	if _, err := r.Create(t.Context(), caller(), one); err != nil {
		t.Fatal(err)
	}
	run := func() (tool.Result, error) {
		entry, err := r.Lookup("acme", "u1", "adder")
		if err != nil {
			t.Fatal(err)
		}
		if want := tool.NeedTools | tool.NeedFiles | tool.NeedHTTP | tool.NeedSecrets; entry.Tool.Needs != want {
			t.Errorf("it needs %b, want %b", entry.Tool.Needs, want)
		}
		inv, err := entry.Tool.Bind(json.RawMessage(`{"n":1}`))
		if err != nil {
			t.Fatal(err)
		}
		call := caller()
		call.Depth = 2
		if _, err := entry.Reserve(t.Context(), call); err != nil || !slices.Equal(cage.reserved, []string{"acme/u1/2"}) {
			t.Errorf("it reserves %q, %v", cage.reserved, err)
		}
		return inv.Run(t.Context(), call)
	}
	if res, err := run(); err != nil || string(res.Value) != `"return args.n"` {
		t.Fatalf("run = %s, %v", res.Value, err)
	}
	job := cage.jobs[0]
	ports := job.Host.(*js.Ports)
	if job.Tenant != "acme" || job.Depth != 2 || !job.Network || !job.Files || string(job.Args) != `{"n":1}` ||
		job.Context != (js.Context{ToolName: "adder", CallID: "c1", ConversationID: "talk", UserID: "u1"}) ||
		job.Limits != (sandbox.Limits{Wall: 500 * time.Millisecond, CPU: time.Second, Memory: 16 << 20, Output: 2 << 10}) ||
		!ports.Network || !ports.Files || !slices.Equal(ports.Services, []string{"bank"}) {
		t.Errorf("the job is %+v with %+v", job, ports)
	}
	if _, err := r.Update(t.Context(), caller(), "adder", func(c *tool.CustomTool) error {
		c.Code, c.Permissions = "return 2", nil
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	entry, err := r.Lookup("acme", "u1", "adder")
	if err != nil || entry.Tool.Needs != tool.NeedTools|tool.NeedSecrets {
		t.Errorf("after the change it needs %b, %v", entry.Tool.Needs, err)
	}
}

// TestRunJudgedVersion: code that was not judged is not run.
func TestRunJudgedVersion(t *testing.T) {
	t.Parallel()
	r, cage := open(t, queuetest.Connect(t, queuetest.Server(t)))
	if _, err := r.Create(t.Context(), caller(), sample("adder")); err != nil {
		t.Fatal(err)
	}
	judged, err := r.Lookup("acme", "u1", "adder")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Update(t.Context(), caller(), "adder", func(c *tool.CustomTool) error {
		c.Code = "return 'evil'"
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	inv, err := judged.Tool.Bind(json.RawMessage(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = inv.Run(t.Context(), caller())
	wantKind(t, err, tool.ToolNotAvailable)
	if len(cage.jobs) != 0 {
		t.Errorf("%d jobs ran", len(cage.jobs))
	}
}

func TestCodesAreBounded(t *testing.T) {
	var c codes
	code := strings.Repeat("x", maxCode)
	for i := range 2 * maxCodes / maxCode {
		c.put(codeID{"a", i}, code)
		if _, ok := c.get(codeID{"a", 0}); !ok {
			t.Fatal("the code that runs all the time was pushed out")
		}
	}
	if c.bytes > maxCodes || len(c.at)*maxCode != c.bytes {
		t.Errorf("%d bytes of %d codes are kept, want at most %d", c.bytes, len(c.at), maxCodes)
	}
	if _, ok := c.get(codeID{"a", 1}); ok {
		t.Error("the code that was used longest ago is still there")
	}
}

func TestForbidden(t *testing.T) {
	for code, want := range map[string]string{
		"process . exit(1)":         "'process.exit'",
		"const required = 1":        "",
		"require ('x'); global.y=1": "'require(', 'global.'",
		"return args.important":     "",
		"globalThis.z":              "'globalThis.'",
		"x.myglobal.y":              "",
	} {
		if got := forbiddenIn(code); got != want {
			t.Errorf("forbiddenIn(%s) = %s, want %s", code, got, want)
		}
	}
}
