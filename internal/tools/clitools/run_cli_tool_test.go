package clitools

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// ran decodes the result of a call.
func ran(t *testing.T, res tool.Result) runResult {
	t.Helper()
	var r runResult
	if err := json.Unmarshal(res.Value, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// says checks the output and the exit of a program.
func says(stdout string, code int) func(*testing.T, tool.Result) {
	return func(t *testing.T, res tool.Result) {
		if r := ran(t, res); r.Stdout != stdout || r.ExitCode != code || r.DurationMS < 0 {
			t.Errorf("result %s, want stdout %q and exit code %d", res.Value, stdout, code)
		}
	}
}

const showArgs = `for a in "$@"; do printf '[%s]' "$a"; done`

func TestRunCLITool(t *testing.T) {
	w := newWorld(t, acme+`  label: show
  data: {program: showargs}
`+acme+`  label: deploy
  data: {program: showargs, args: "make deploy", policy: prompt, description: "Ships it."}
`+acme+`  label: fails
  data: {program: fails}
`+acme+`  label: absent
  data: {program: nowhere-to-be-found}
`+acme+`  label: jq
  active: false
  data: {policy: blocked}
`)
	w.script("showargs", showArgs)
	w.script("fails", `echo out; echo err >&2; exit 3`)
	w.file("notes.txt", "one\ntwo\nthree\n")
	w.file("docs/deep/readme.md", "hello\n")
	tooltest.Run(t, Set, "run_cli_tool", w.call, []tooltest.Case{
		{Name: "of the catalogue", Args: `{"name":"wc","args":["-l","notes.txt"]}`, Check: func(t *testing.T, res tool.Result) {
			says("3 notes.txt\n", 0)(t, res)
			if ran(t, res).ToolName != "wc" || res.Truncated || res.Metadata["risk_score"] != 5 || res.Metadata["policy"] != allowed {
				t.Errorf("result %s, metadata %v", res.Value, res.Metadata)
			}
		}},
		{Name: "cwd", Args: `{"name":"grep","args":["-c","","readme.md"],"cwd":"docs/deep"}`, Check: says("1\n", 0)},
		{Name: "cwd with a slash", Args: `{"name":"grep","args":["-c","","deep/readme.md"],"cwd":"./docs/"}`, Check: says("1\n", 0)},
		{Name: "no arguments", Args: `{"name":"show","timeout":5000}`, Check: says("", 0)},
		{Name: "of the operator, with its own arguments", Args: `{"name":"deploy","args":["now"]}`, Check: says("[make][deploy][now]", 0)},
		{
			Name: "no shell", Args: `{"name":"show","args":["$(id)","a b","*","|","\"q'","; rm -rf .","","$HOME","\n","ä"]}`,
			Check: says("[$(id)][a b][*][|][\"q'][; rm -rf .][][$HOME][\n][ä]", 0),
		},
		{Name: "failure of the program", Args: `{"name":"fails","timeout_seconds":5.5}`, Check: func(t *testing.T, res tool.Result) {
			says("out\n", 3)(t, res)
			if r := ran(t, res); r.Stderr != "err\n" || r.Truncated {
				t.Errorf("result %s", res.Value)
			}
		}},
		{Name: "unknown", Args: `{"name":"nosuch"}`, Fails: tool.ValidationError, Message: "list_cli_tools"},
		{Name: "a path for a name", Args: `{"name":"../../bin/sh"}`, Fails: tool.ValidationError},
		{Name: "not installed", Args: `{"name":"absent"}`, Fails: tool.NotConfigured, Message: "not installed"},
		{
			Name:    "needs the network",
			Args:    `{"name":"curl","args":["https://example.com"]}`,
			Fails:   tool.NotConfigured,
			Message: `helve config set cli_tools curl network=true`,
		},
		{Name: "blocked by its risk", Args: `{"name":"docker","args":["ps"]}`, Fails: tool.PolicyDenied, Message: "blocked"},
		{Name: "arguments", Args: `{"name":"rg","args":["--pre=sh","x"]}`, Fails: tool.PolicyDenied, Message: "runs other programs"},
		{Name: "absolute cwd", Args: `{"name":"wc","cwd":"/etc"}`, Fails: tool.PathNotAllowed},
		{Name: "cwd above", Args: `{"name":"wc","cwd":"docs/../../u2"}`, Fails: tool.PathNotAllowed},
		{Name: "cwd missing", Args: `{"name":"wc","cwd":"nowhere"}`, Fails: tool.FileNotFound, Message: "nowhere"},
		{Name: "cwd is a file", Args: `{"name":"wc","cwd":"notes.txt"}`, Fails: tool.ValidationError, Message: "directory"},
		{Name: "no name", Args: `{}`, Fails: tool.ValidationError, Message: "name"},
		{Name: "no time", Args: `{"name":"wc","timeout_seconds":0}`, Fails: tool.ValidationError, Message: "above 0"},
		{Name: "less than none", Args: `{"name":"wc","timeout":-5}`, Fails: tool.ValidationError, Message: "above 0"},
		{Name: "args as text", Args: `{"name":"wc","args":"-l"}`, Fails: tool.ValidationError, Message: "args"},
		{Name: "a zero character", Args: `{"name":"wc","args":["a\u0000b"]}`, Fails: tool.ValidationError, Message: "zero"},
		{
			Name:    "too long",
			Args:    `{"name":"wc","args":["` + strings.Repeat("a", maxArgs) + `"]}`,
			Fails:   tool.ValidationError,
			Message: "at most",
		},
	})
}

func TestRunIsBounded(t *testing.T) {
	w := newWorld(t, acme+`  label: yes
  data: {program: "yes"}
`+acme+`  label: slow
  data: {program: slow}
`+acme+`  label: many
  data: {program: many}
`+acme+`  label: wide
  data: {program: wide}
`+acme+`  label: kill
  data: {program: killself}
`)
	w.script("slow", `sleep 600 & sleep 600`)
	w.script("many", `for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 600 & done; echo ok`)
	w.script("wide", `i=0; while [ $i -lt 900 ]; do printf 'ääääääääää'; printf 'eeeee' >&2; i=$((i+1)); done; printf '\377'`)
	w.script("killself", `kill -9 $$`)
	began := time.Now()
	tooltest.Run(t, Set, "run_cli_tool", w.call, []tooltest.Case{
		{Name: "flood", Args: `{"name":"yes"}`, Check: func(t *testing.T, res tool.Result) {
			r := ran(t, res)
			if !r.Truncated || !res.Truncated || len(r.Stdout) != maxStdout || res.Metadata["flooded"] != true || r.ExitCode != -1 {
				t.Errorf("%d bytes, truncated %v, metadata %v", len(r.Stdout), r.Truncated, res.Metadata)
			}
			if len(res.Notes) != 1 || !strings.Contains(res.Notes[0], fmt.Sprintf("of %v bytes of stdout", res.Metadata["stdout_bytes"])) {
				t.Errorf("notes %q, want one on what was cut", res.Notes)
			}
		}},
		{Name: "endless", Args: `{"name":"slow","timeout":300}`, Fails: tool.Timeout, Message: "300ms"},
		{Name: "endless, in seconds", Args: `{"name":"slow","timeout_seconds":0.2,"timeout":60000}`, Fails: tool.Timeout, Message: "200ms"},
		{Name: "leaves others behind", Args: `{"name":"many","timeout":10000}`, Check: says("ok\n", 0)},
		{Name: "wide characters", Args: `{"name":"wide"}`, Check: func(t *testing.T, res tool.Result) {
			r := ran(t, res)
			if r.Stdout != strings.Repeat("ä", maxStdout) || r.Stderr != strings.Repeat("e", maxStderr) ||
				res.Metadata["stdout_bytes"] != int64(18001) || res.Metadata["stderr_bytes"] != int64(4500) {
				t.Errorf("stdout %d bytes, stderr %d bytes, metadata %v", len(r.Stdout), len(r.Stderr), res.Metadata)
			}
		}},
		{Name: "signal", Args: `{"name":"kill"}`, Check: func(t *testing.T, res tool.Result) {
			if ran(t, res).ExitCode != -1 || res.Metadata["signal"] != "killed" {
				t.Errorf("result %s, metadata %v", res.Value, res.Metadata)
			}
		}},
	})
	if took := time.Since(began); took > time.Minute {
		t.Errorf("the cases took %v", took)
	}
}

func TestRunSeesNoSecrets(t *testing.T) {
	t.Setenv("HELVE_TEST_SECRET", "s3cr3t")
	w := newWorld(t, acme+`  label: env
  data: {program: env}
`)
	tooltest.Run(t, Set, "run_cli_tool", w.call,
		[]tooltest.Case{{Name: "env", Args: `{"name":"env"}`, Check: func(t *testing.T, res tool.Result) {
			if out := ran(t, res).Stdout; strings.Contains(out, "s3cr3t") || strings.Contains(out, "HELVE") || !strings.Contains(out, "PATH=") {
				t.Errorf("the program sees %s", out)
			}
		}}})
}

// A link that leads out of the workspace is no directory to run in, and a program
// that lies in the workspace is not run by its name.
func TestRunStaysInTheWorkspace(t *testing.T) {
	w := newWorld(t, acme+`  label: mine
  data: {program: mine}
`)
	if err := os.Symlink(t.TempDir(), filepath.Join(w.dir, "out")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.dir, "mine"), []byte("#!/bin/sh\necho ran\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	tooltest.Run(t, Set, "run_cli_tool", w.call, []tooltest.Case{
		{Name: "link out", Args: `{"name":"wc","cwd":"out"}`, Fails: tool.PathNotAllowed},
		{Name: "program of the workspace", Args: `{"name":"mine"}`, Fails: tool.NotConfigured},
	})
}

// A failure of the port is an error of the tool, without a path of the host.
func TestRunOfABrokenProgram(t *testing.T) {
	w := newWorld(t, acme+`  label: broken
  data: {program: broken}
`)
	w.script("broken", "")
	if err := os.WriteFile(filepath.Join(w.bin, "broken"), []byte("\x7fELF is not one"), 0o700); err != nil {
		t.Fatal(err)
	}
	tooltest.Run(t, Set, "run_cli_tool", w.call, []tooltest.Case{
		{Name: "not a program", Args: `{"name":"broken"}`, Fails: tool.ExecutionError, Message: "could not be"},
	})
}

// Without a config center, as in the engine's check, only the arguments are checked.
func TestCheckWithoutSecrets(t *testing.T) {
	if err := checkRun(t.Context(), &tool.Call{}, runArgs{Name: "docker"}); err != nil {
		t.Errorf("checkRun = %v, want the policy to be left to the run", err)
	}
	zero := 0.0
	if err := checkRun(t.Context(), &tool.Call{}, runArgs{Name: "wc", Timeout: &zero}); err == nil {
		t.Error("checkRun let a timeout of 0 pass")
	}
}

// TestRiskOfTheCall: a call of a known program that only reads is of low risk; a
// program with policy prompt or with the network keeps the risk of the definition.
func TestRiskOfTheCall(t *testing.T) {
	w := newWorld(t, acme+`  label: deploy
  data: {program: showargs, policy: prompt}
`+acme+`  label: show
  data: {program: showargs, policy: allowed, risk: 10}
`+acme+`  label: jq
  data: {network: "true"}
`)
	w.script("showargs", showArgs)
	for name, want := range map[string]tool.Risk{"wc": tool.Low, "deploy": "", "show": "", "jq": "", "node": ""} {
		call := w.call
		if err := checkRun(t.Context(), &call, runArgs{Name: name, Args: []string{"a"}}); err != nil || call.Risk != want {
			t.Errorf("%s: risk %q, %v, want %q", name, call.Risk, err, want)
		}
	}
	call := w.call
	if err := checkRun(t.Context(), &call, runArgs{Name: "docker"}); tool.AsError(err) == nil || tool.AsError(err).Kind != tool.PolicyDenied {
		t.Errorf("a blocked program: %v, want policy_denied", err)
	}
}
