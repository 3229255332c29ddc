package clitools

import (
	"context"
	"errors"
	"path"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/timelimit"
	"github.com/helve-dev/helve/tool"
)

// The output that a model receives, in characters.
const (
	maxStdout = 8000
	maxStderr = 2000
)

const (
	defaultTime = 60 * time.Second
	maxTime     = 300 * time.Second
	// maxArgs limits all arguments of a call together, in bytes: operating systems
	// accept little more.
	maxArgs = 100 << 10
	// keptOutput is enough for the shown output, however wide its characters are.
	// floodedAt is the size at which a program that keeps writing is ended.
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

// Present adds the full size of truncated output, and the reasons for the risk.
func (r *runResult) Present(res *tool.Result) {
	res.Truncated, res.Metadata = r.Truncated, r.metadata
}

var _ = tool.Add(Set, tool.Spec[runArgs, *runResult]{
	Name: "run_cli_tool",
	Description: "Run a command-line program such as git, jq, rg or prettier in the workspace with the given arguments, when no other tool " +
		"does the job, and return its exit code and output.",
	Tags:      []string{"cli", "tool", "execute", "system", "command line", "program", "terminal", "run command"},
	Risk:      tool.High,
	Mutates:   true,
	OpenWorld: true,
	Scopes:    tool.Scopes{Paths: []string{"workspace"}, Hosts: []string{"*"}},
	Verbatim:  []string{"name", "args", "cwd"},
	Errors:    []tool.Kind{tool.NotConfigured, tool.PathNotAllowed, tool.FileNotFound, tool.ExecutionError},
	Example:   `{"name":"wc","args":["-l","notes.txt"]}`,
	Needs:     tool.NeedPrograms | tool.NeedFiles | tool.NeedSecrets,
	Timeout:   maxTime + 15*time.Second,
	Check:     checkRun,
	Run:       runCLITool,
})

// checkRun refuses calls for which no person needs to be asked. If the engine passes no
// config center, the run itself checks the policy.
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
	if _, err := timelimit.Of(args.TimeoutSeconds, args.Timeout, defaultTime, maxTime); err != nil {
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
	if err == nil && p.shapeOf(args.Args) != nil {
		call.Risk = tool.Low // it only reads, and starts no other program
	}
	return err
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
		return nil, tool.Fail(tool.NotConfigured,
			"'%[1]s' is of no use without the network, which it does not have here; the operator grants it: "+
				"helve config set cli_tools %[1]s network=true",
			p.name)
	}
	dir, err := directory(call.Files, args.Cwd)
	if err != nil {
		return nil, err
	}
	run, err := p.prepare(ctx, call, dir, args.Args)
	if err != nil {
		return nil, err
	}
	within, err := timelimit.Of(args.TimeoutSeconds, args.Timeout, defaultTime, maxTime)
	if err != nil {
		return nil, err
	}
	bounded, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	ran, err := call.Programs.Run(bounded, run)
	switch {
	case err != nil && bounded.Err() != nil && ctx.Err() == nil:
		return nil, tool.Fail(tool.Timeout,
			"'%s' did not end within %s and was stopped; give it a longer timeout_seconds (at most %d) or less to do.",
			p.name, within, int(maxTime.Seconds())).Because(err)
	case err != nil:
		return nil, err
	}
	res := resultOf(p, risk, ran)
	if res.Truncated {
		call.Note(
			"showing at most %d characters of %v bytes of stdout and %d of %v of stderr; have the program write to a file, or ask it for less.",
			maxStdout, res.metadata["stdout_bytes"], maxStderr, res.metadata["stderr_bytes"],
		)
	}
	return res, nil
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

// directory checks a directory of the workspace and returns it in the form that
// programs use.
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
