package main

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/js/library"
	"github.com/helve-dev/helve/tool"
)

// jsRunCommand runs one tool once.
func jsRunCommand() *cobra.Command {
	var f jsFlags
	var function, args, data string
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "Run a tool once, as a worker would",
		Long: "Run the tool of FILE, NAME.js beside its NAME.json, as a worker would: arguments\n" +
			"are checked and get their defaults, time is limited, HTTP is guarded, and files\n" +
			"are in DATA/workspaces/TENANT/USER, or without --data in a temporary\n" +
			"workspace. No consent is requested. A durable tool gets no answers to its calls\n" +
			"here; give them as steps to helve js test.\n\n" +
			"The result is printed as JSON; the script's log, its time and its memory go to\n" +
			"standard error. The exit code is 1 if the call ends in an error.",
		Example: `  helve js run tools/weather.js --args '{"city": "Tokyo"}' --env API_KEY=k`,
		Args:    cobra.ExactArgs(1),
	}
	f.register(cmd)
	cmd.Flags().StringVar(&function, "function", "", "`NAME` of the function, or of the tool, in a group")
	cmd.Flags().StringVar(&args, "args", "{}", "arguments as a `JSON` object")
	cmd.Flags().StringVar(&data, "data", "", "`DIR` of workspaces")
	cmd.RunE = func(cmd *cobra.Command, paths []string) error {
		if !json.Valid([]byte(args)) {
			return cli.Usage("--args is not JSON")
		}
		dir, name := filepath.Split(paths[0])
		opts, err := f.options(filepath.Clean(dir))
		if err != nil {
			return err
		}
		opts.Console = printer(cmd.ErrOrStderr())
		l, err := f.open(opts)
		if err != nil {
			return err
		}
		t, err := choose(l, base(name), function, cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		return f.run(cmd, t, data, args)
	}
	return cmd
}

// base returns the name of a pair without its ending.
func base(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, ".json"), ".js")
}

// choose returns the selected tool, and reports the problems of its files.
func choose(l *library.Library, base, function string, stderr io.Writer) (library.Loaded, error) {
	var found []library.Loaded
	var offered []string
	for _, t := range l.Tools() {
		if t.File != base+".json" {
			continue
		}
		offered = append(offered, t.Function)
		if function == "" || function == t.Function || function == t.Tool.Name {
			found = append(found, t)
		}
	}
	for _, p := range l.Problems() {
		ours := p.File == base+".json" || p.File == base+".js" || strings.HasPrefix(p.File, "lib/")
		if ours && (len(found) != 1 || p.Tool == "" || p.Tool == found[0].Tool.Name) {
			fmt.Fprintln(stderr, p)
		}
	}
	switch {
	case len(offered) == 0:
		return library.Loaded{}, fmt.Errorf("there is no tool in %s.js and %s.json that can be run", base, base)
	case len(found) == 0:
		return library.Loaded{}, cli.Usage("--function %s is not in %s.json; it has %s", function, base, strings.Join(offered, ", "))
	case len(found) > 1 && function == "":
		return library.Loaded{}, cli.Usage("%s.json is a group; choose with --function: %s", base, strings.Join(offered, ", "))
	}
	if i := slices.IndexFunc(found, func(t library.Loaded) bool { return t.Tool.Name == function }); i >= 0 {
		return found[i], nil // two tools may share a function, but not a name
	}
	return found[0], nil
}

func (f *jsFlags) run(cmd *cobra.Command, t library.Loaded, data, args string) error {
	files, done, err := workspaces(data)
	if err != nil {
		return err
	}
	defer done()
	guard, err := f.guard()
	if err != nil {
		return err
	}
	defer guard.Close()
	var as tool.Call
	for name, into := range map[string]*string{"tenant": &as.Tenant, "user": &as.User, "agent": &as.Agent, "conversation": &as.Conversation} {
		*into, _ = cmd.Flags().GetString(name)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out := (&local{t, files, guard, &jsSteps{console: printer(cmd.ErrOrStderr())}}).call(cmd.Context(), as, json.RawMessage(args))
	runtime.ReadMemStats(&after)
	fmt.Fprintf(cmd.ErrOrStderr(), "time %.1f ms, memory %.1f MB\n",
		float64(out.Ran.Microseconds())/1e3, float64(after.TotalAlloc-before.TotalAlloc)/1e6)
	if out.Err != nil {
		return tool.Fail(out.Err.Kind, "%s", out.Err.Msg) // without the wrapped cause, which repeats a host's error
	}
	if out.Control != nil {
		return out.Control
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", out.Result.Value)
	return err
}

// printer prints the log of scripts; it is safe for concurrent use.
func printer(w io.Writer) func(*tool.Call, js.LogLine) {
	var mu sync.Mutex
	return func(_ *tool.Call, line js.LogLine) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(w, "%s: %s\n", line.Level, line.Message)
	}
}
