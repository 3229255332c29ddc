package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/internal/ports/netguard"
	"github.com/helve-dev/helve/internal/toolbox/js/library"
	"github.com/helve-dev/helve/tool"
)

// jsCase is one case of a NAME.test.json.
type jsCase struct {
	// Name is the tool's name in a group, and any label for a single tool.
	Name string `json:"name"`
	// Args holds the arguments, {} if omitted.
	Args json.RawMessage `json:"args"`
	// Want is the expected result, ErrorType the expected error type. Without either
	// the call only has to succeed.
	Want      json.RawMessage `json:"want"`
	ErrorType tool.Kind       `json:"error_type"`
	// Steps are the calls that the code of a durable tool makes, each with its outcome.
	Steps []jsStep `json:"steps"`
}

func jsTestCommand() *cobra.Command {
	var f jsFlags
	cmd := &cobra.Command{
		Use:   "test DIR",
		Short: "Run the cases in each NAME.test.json of a directory",
		Long: "Run the cases in each NAME.test.json of a directory, in their order, as a worker\n" +
			"would run the calls. A file is an array of\n\n" +
			`  {"name", "args", "want"?, "error_type"?, "steps"?}` + "\n\n" +
			"where name is any label for the tool of NAME.json, and in a group the name of the\n" +
			"tool; without want and error_type the call has to succeed. Each case has an empty\n" +
			"workspace of its own. The exit code is 1 if a case fails.\n\n" +
			"The calls of a durable tool get their outcomes from steps, those of each tool in\n" +
			"their order; an ask is a call of ask_user, and a sleep takes no time:\n\n" +
			`  {"tool", "arguments"?, "result" | "error": {"error_type", "message"}}`,
		Example: "  helve js test tools",
		Args:    cobra.ExactArgs(1),
	}
	f.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		opts, err := f.options(args[0])
		if err != nil {
			return err
		}
		opts.Console = printer(cmd.ErrOrStderr())
		l, err := f.open(opts)
		if err != nil {
			return err
		}
		guard, err := f.guard()
		if err != nil {
			return err
		}
		defer guard.Close()
		files, err := filepath.Glob(filepath.Join(glob(args[0]), "*.test.json"))
		if err != nil {
			return err
		}
		run := &jsTests{cmd: cmd, library: l, guard: guard, out: cmd.OutOrStdout()}
		for _, path := range files {
			run.file(path)
		}
		if run.failed > 0 {
			return fmt.Errorf("%d of %d cases failed", run.failed, run.failed+run.passed)
		}
		fmt.Fprintf(run.out, "ok: %d cases\n", run.passed)
		return nil
	}
	return cmd
}

// glob quotes a directory whose name contains special characters of patterns.
func glob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// jsTests runs cases and counts them.
type jsTests struct {
	cmd            *cobra.Command
	library        *library.Library
	guard          *netguard.Guard
	out            io.Writer
	passed, failed int
}

func (r *jsTests) fail(where, reason string) {
	r.failed++
	fmt.Fprintf(r.out, "FAIL %s: %s\n", where, reason)
}

func (r *jsTests) file(path string) {
	name := filepath.Base(path)
	cases, err := readCases(path)
	if err != nil {
		r.fail(name, err.Error())
		return
	}
	manifest := strings.TrimSuffix(name, ".test.json") + ".json"
	for i, c := range cases {
		where := fmt.Sprintf("%s[%d] %s", name, i, c.Name)
		t, err := r.find(manifest, c.Name)
		if err != nil {
			r.fail(where, err.Error())
			continue
		}
		r.one(where, t, c)
	}
}

func readCases(path string) ([]jsCase, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if err := schema.Strict(text); err != nil {
		return nil, err
	}
	var cases []jsCase
	if err := jsonv2.Unmarshal(text, &cases, jsonv2.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("want an array of {name, args, want?, error_type?, steps?}: %w", err)
	}
	for i, c := range cases {
		if c.ErrorType != "" && (c.Want != nil || !slices.Contains(tool.Kinds(), c.ErrorType)) {
			return nil, fmt.Errorf("case %d: error_type must be one of %v, and cannot be combined with want", i, tool.Kinds())
		}
		for n := range c.Steps {
			if problem := c.Steps[n].check(); problem != "" {
				return nil, fmt.Errorf("case %d: steps[%d]: %s", i, n, problem)
			}
		}
	}
	return cases, nil
}

// find returns the tool of a case: the single tool of the file, or the named one.
func (r *jsTests) find(manifest, name string) (library.Loaded, error) {
	for _, t := range r.library.Tools() {
		if t.File == manifest && (t.Entry < 0 || t.Tool.Name == name) {
			return t, nil
		}
	}
	base := strings.TrimSuffix(manifest, ".json")
	for _, p := range r.library.Problems() {
		if !p.Warning && base == strings.TrimSuffix(strings.TrimSuffix(p.File, ".json"), ".js") {
			return library.Loaded{}, errors.New("the tool could not be loaded: " + p.String())
		}
	}
	return library.Loaded{}, fmt.Errorf("%s has no tool %q", manifest, name)
}

// one runs a case in a workspace of its own.
func (r *jsTests) one(where string, t library.Loaded, c jsCase) {
	files, done, err := workspaces("")
	if err != nil {
		r.fail(where, err.Error())
		return
	}
	defer done()
	args := c.Args
	if args == nil {
		args = json.RawMessage("{}")
	}
	if c.Steps != nil && !t.Tool.Durable {
		r.fail(where, "steps are for durable tools")
		return
	}
	steps := &jsSteps{console: printer(r.cmd.ErrOrStderr()), steps: c.Steps}
	out := (&local{t, files, r.guard, steps}).call(r.cmd.Context(), tool.Call{}, args)
	problem := judgeCase(c, out)
	if why := steps.left(); why != "" {
		problem = why
	}
	if problem != "" {
		r.fail(where, problem)
		return
	}
	r.passed++
	fmt.Fprintf(r.out, "ok   %s (%.1f ms)\n", where, float64(out.Ran.Microseconds())/1e3)
}

// judgeCase returns the problem of an outcome, or "".
func judgeCase(c jsCase, out engine.Outcome) string {
	switch {
	case out.Control != nil:
		return out.Control.Error()
	case c.ErrorType != "" && out.Err == nil:
		return fmt.Sprintf("want %s, got the result %.200s", c.ErrorType, out.Result.Value)
	case c.ErrorType != "" && out.Err.Kind != c.ErrorType:
		return fmt.Sprintf("want %s, got %s: %s", c.ErrorType, out.Err.Kind, out.Err.Msg)
	case c.ErrorType == "" && out.Err != nil:
		return fmt.Sprintf("%s: %s", out.Err.Kind, out.Err.Msg)
	case c.ErrorType == "" && c.Want != nil:
		return jsDiff(c.Want, out.Result.Value)
	}
	return ""
}
