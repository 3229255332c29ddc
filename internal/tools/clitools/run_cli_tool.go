package clitools

import (
	"context"
	"errors"
	"path"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

// What a model is given of the output, in characters.
const (
	maxStdout = 8000
	maxStderr = 2000
)

const (
	defaultTime = 60 * time.Second
	maxTime     = 300 * time.Second
	// maxArgs bounds all arguments of a call together, in bytes: a system takes
	// little more.
	maxArgs = 100 << 10
	// keptOutput is enough for what is shown, however wide its characters are, and
	// floodedAt is where a program is ended that does not stop to write.
	keptOutput = 64 << 10
	floodedAt  = 32 << 20
)

type runArgs struct {
	Name           string   `json:"name" min:"1" max:"64" doc:"The CLI tool, such as git, jq or prettier; list_cli_tools shows those there are."`
	Args           []string `json:"args,omitempty" max:"500" doc:"Its arguments, one item each. No shell reads them: quotes, * and | are plain characters."`
	Cwd            string   `json:"cwd,omitempty" doc:"Directory of the workspace to run in; its top if left out."`
	TimeoutSeconds *float64 `json:"timeout_seconds,omitempty" doc:"Seconds it may take, at most 300; 60 if left out."`
	Timeout        *float64 `json:"timeout,omitempty" doc:"The same in milliseconds; counts if timeout_seconds is left out."`
}

type runResult struct {
	ToolName   string `json:"toolName"`
	ExitCode   int    `json:"exitCode" doc:"0 is success; -1 if it was ended by a signal."`
	Stdout     string `json:"stdout"`
	Stderr     string `json:"stderr"`
	DurationMS int64  `json:"durationMs"`
	Truncated  bool   `json:"truncated"`

	metadata map[string]any
}

// Present tells the full size of what was cut, and how the risk was judged.
func (r *runResult) Present(res *tool.Result) {
	res.Truncated, res.Metadata = r.Truncated, r.metadata
}

var _ = tool.Add(Set, tool.Spec[runArgs, *runResult]{
	Name:        "run_cli_tool",
	Description: "Run a command-line program such as git, jq, rg or prettier in the workspace with the given arguments, when no other tool does the job, and return its exit code and output.",
	Tags:        []string{"cli", "tool", "execute", "system", "command line", "program", "terminal", "run command"},
	Risk:        tool.High,
	Mutates:     true,
	OpenWorld:   true,
	Scopes:      tool.Scopes{Paths: []string{"workspace"}, Hosts: []string{"*"}},
	Verbatim:    []string{"name", "args", "cwd"},
	Errors:      []tool.Kind{tool.NotConfigured, tool.PathNotAllowed, tool.FileNotFound, tool.ExecutionError},
	Example:     `{"name":"wc","args":["-l","notes.txt"]}`,
	Needs:       tool.NeedPrograms | tool.NeedFiles | tool.NeedSecrets,
	Timeout:     maxTime + 15*time.Second,
	Check:       checkRun,
	Run:         runCLITool,
})

// checkRun refuses what nobody need be asked about. An engine that gives it no
// config center leaves the policy to the run.
func checkRun(ctx context.Context, call *tool.Call, args runArgs) error {
	size := 0
	for _, arg := range args.Args {
		size += len(arg) + 1
		if strings.ContainsRune(arg, 0) {
			return tool.Fail(tool.ValidationError, "An argument holds a zero character, which no program can be given.")
		}
	}
	if size > maxArgs {
		return tool.Fail(tool.ValidationError, "The arguments have %d bytes; at most %d can be given: write them to a file.", size, maxArgs)
	}
	if clean := path.Clean(strings.ReplaceAll(args.Cwd, `\`, "/")); path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") {
		return tool.Fail(tool.PathNotAllowed, "cwd must be a directory of the workspace, relative to its top, not '%.100s'.", args.Cwd)
	}
	if _, err := args.within(); err != nil {
		return err
	}
	if call.Secrets == nil {
		return nil
	}
	p, err := find(ctx, call.Secrets, args.Name)
	if err != nil {
		return err
	}
	_, err = p.permit(args.Args)
	return err
}

// within is how long the program may take.
func (a *runArgs) within() (time.Duration, error) {
	seconds := defaultTime.Seconds()
	switch {
	case a.TimeoutSeconds != nil:
		seconds = *a.TimeoutSeconds
	case a.Timeout != nil:
		seconds = *a.Timeout / 1000
	}
	if seconds <= 0 {
		return 0, tool.Fail(tool.ValidationError, "timeout_seconds and timeout must be above 0.")
	}
	return time.Duration(min(seconds, maxTime.Seconds()) * float64(time.Second)), nil
}

func runCLITool(ctx context.Context, call *tool.Call, args runArgs) (*runResult, error) {
	p, err := find(ctx, call.Secrets, args.Name)
	if err != nil {
		return nil, err
	}
	risk, err := p.permit(args.Args)
	if err != nil {
		return nil, err
	}
	if p.reach == needed && !p.network {
		return nil, tool.Fail(tool.NotConfigured, "'%s' is of no use without the network, which it does not have here; the operator can grant it by an entry of that label with network=true in the service 'cli_tools'.", p.name)
	}
	dir, err := directory(call.Files, args.Cwd)
	if err != nil {
		return nil, err
	}
	run, err := p.locate(call, dir)
	if err != nil {
		return nil, err
	}
	run.Args = append(run.Args, args.Args...)
	run.MaxOutput, run.MaxTotal, run.Network = keptOutput, floodedAt, p.network
	run.Env = []string{"NO_COLOR=1", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0"}
	within, err := args.within()
	if err != nil {
		return nil, err
	}
	bounded, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	ran, err := call.Programs.Run(bounded, run)
	switch {
	case err != nil && bounded.Err() != nil && ctx.Err() == nil:
		return nil, tool.Fail(tool.Timeout, "'%s' did not end within %s and was stopped; give it a longer timeout_seconds (at most %d) or less to do.", p.name, within, int(maxTime.Seconds())).Because(err)
	case err != nil:
		return nil, err
	}
	return resultOf(p, risk, ran), nil
}

func resultOf(p *program, risk int, ran tool.Ran) *runResult {
	res := &runResult{ToolName: p.name, ExitCode: ran.Code, DurationMS: ran.Duration.Milliseconds()}
	var cutOut, cutErr bool
	res.Stdout, cutOut = readable(ran.Stdout, maxStdout)
	res.Stderr, cutErr = readable(ran.Stderr, maxStderr)
	res.Truncated = cutOut || cutErr || ran.StdoutCut+ran.StderrCut > 0
	res.metadata = map[string]any{"risk_score": risk, "policy": p.rule()}
	if res.Truncated {
		res.metadata["stdout_bytes"] = int64(len(ran.Stdout)) + ran.StdoutCut
		res.metadata["stderr_bytes"] = int64(len(ran.Stderr)) + ran.StderrCut
	}
	if ran.Signal != "" {
		res.metadata["signal"] = ran.Signal
	}
	if ran.Flooded {
		res.metadata["flooded"] = true
	}
	return res
}

// directory is a directory of the workspace, as programs are told it.
func directory(files tool.Files, cwd string) (string, error) {
	if cwd == "" || cwd == "." {
		return "", nil
	}
	info, err := files.Stat(cwd)
	switch {
	case err != nil:
		if e, ok := errors.AsType[*tool.Error](err); ok && e.Kind == tool.FileNotFound {
			return "", tool.Fail(tool.FileNotFound, "The directory '%s' is not in the workspace.", cwd).Because(err)
		}
		return "", err
	case !info.IsDir():
		return "", tool.Fail(tool.ValidationError, "cwd must be a directory, but '%s' is a file.", cwd)
	}
	return cwd, nil
}
