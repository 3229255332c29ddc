package shell

import (
	"context"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/lib/timelimit"
	"github.com/helve-dev/helve/tool"
)

const (
	defaultTime = 30 * time.Second
	maxTime     = 300 * time.Second
	// maxCommand is in bytes.
	maxCommand = 64 << 10
	// maxShown limits the returned stdout and stderr, each, in characters.
	maxShown = 20_000
	// keptOutput is enough for that, however wide the characters. floodedAt is the size
	// at which a command that keeps writing is ended.
	keptOutput = 4 * maxShown
	floodedAt  = 32 << 20
)

type runArgs struct {
	Command        string   `json:"command" min:"1" doc:"Command line for sh, such as: grep -c ERROR *.log | sort."`
	Cwd            string   `json:"cwd,omitempty" doc:"Directory of the workspace to run in; its top if left out."`
	TimeoutSeconds *float64 `json:"timeout_seconds,omitempty" doc:"Seconds it may take, at most 300; 30 if left out."`
	Timeout        *float64 `json:"timeout,omitempty" doc:"The same in milliseconds; counts if timeout_seconds is left out."`
}

type runResult struct {
	Stdout     string `json:"stdout"`
	Stderr     string `json:"stderr"`
	ExitCode   int    `json:"exitCode" doc:"0 is success; -1 if it was ended by a signal."`
	DurationMS int64  `json:"durationMs"`
	Truncated  bool   `json:"truncated"`

	metadata map[string]any
}

// Present adds the full size of truncated output.
func (r *runResult) Present(res *tool.Result) { res.Truncated, res.Metadata = r.Truncated, r.metadata }

var _ = tool.Add(Set, tool.Spec[runArgs, *runResult]{
	Name: "shell.run",
	Description: "Run a command line with sh in the workspace, without network, when no other tool does the job and the operator has turned " +
		"it on, and return its output and exit code.",
	Tags:        []string{"shell", "terminal", "command line", "sh", "bash", "execute", "run command", "pipe"},
	Risk:        tool.High,
	Mutates:     true,
	Destructive: true,
	Scopes:      tool.Scopes{Paths: []string{"workspace"}},
	Verbatim:    []string{"command", "cwd"},
	Errors:      []tool.Kind{tool.NotConfigured, tool.PathNotAllowed, tool.FileNotFound, tool.ExecutionError},
	Example:     `{"command":"wc -l notes.txt && ls docs"}`,
	Needs:       tool.NeedPrograms | tool.NeedFiles | tool.NeedSecrets,
	Timeout:     maxTime + 15*time.Second,
	Check:       checkRun,
	Run:         shellRun,
})

// checkRun refuses calls for which no person needs to be asked. If the engine passes no
// config center, the run itself checks whether the tool is enabled.
func checkRun(ctx context.Context, call *tool.Call, args runArgs) error {
	if call.Secrets != nil {
		if err := enabled(ctx, call.Secrets); err != nil {
			return err
		}
	}
	switch clean := path.Clean(strings.ReplaceAll(args.Cwd, `\`, "/")); {
	case strings.TrimSpace(args.Command) == "":
		return tool.Fail(tool.ValidationError, "command is empty; say what to run.")
	case len(args.Command) > maxCommand:
		return tool.Fail(tool.ValidationError, "command has %d bytes, at most %d are possible; write a script to a file and run that.",
			len(args.Command), maxCommand)
	case strings.ContainsRune(args.Command, 0):
		return tool.Fail(tool.ValidationError, "command holds a zero character, which no program can be given.")
	case path.IsAbs(clean), clean == "..", strings.HasPrefix(clean, "../"):
		return tool.Fail(tool.PathNotAllowed, "cwd must be a directory of the workspace, relative to its top, not '%.100s'.", args.Cwd)
	}
	_, err := timelimit.Of(args.TimeoutSeconds, args.Timeout, defaultTime, maxTime)
	return err
}

// service names the entries with which operators enable the tool.
const service = "shell"

// enabled refuses unless an operator has enabled the tool. Of several entries an
// explicit no takes precedence.
func enabled(ctx context.Context, secrets tool.Secrets) error {
	entries, err := secrets.Entries(ctx, service)
	if err != nil {
		return err
	}
	on := false
	for _, e := range entries {
		if !e.Active {
			continue
		}
		if text, said := e.Data["enabled"]; said {
			if yes, err := strconv.ParseBool(strings.TrimSpace(text)); err != nil || !yes {
				on = false
				break
			}
		}
		on = true
	}
	if !on {
		return tool.Fail(tool.NotConfigured,
			"Running command lines is turned off for this tenant; the operator turns it on: helve config set shell enabled=true")
	}
	return nil
}

func shellRun(ctx context.Context, call *tool.Call, args runArgs) (*runResult, error) {
	if err := checkRun(ctx, call, args); err != nil {
		return nil, err
	}
	within, err := timelimit.Of(args.TimeoutSeconds, args.Timeout, defaultTime, maxTime)
	if err != nil {
		return nil, err
	}
	if args.Cwd != "" {
		info, err := call.Files.Stat(args.Cwd)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			return nil, tool.Fail(tool.ValidationError, "cwd must be a directory, but '%s' is a file.", args.Cwd)
		}
	}
	bounded, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	ran, err := call.Programs.Run(bounded, tool.Program{
		Name: "sh", Args: []string{"-c", "--", args.Command}, Dir: args.Cwd, Env: []string{"NO_COLOR=1", "PAGER=cat", "TERM=dumb"},
		MaxOutput: keptOutput, MaxTotal: floodedAt,
	})
	switch {
	case err != nil && bounded.Err() != nil && ctx.Err() == nil:
		return nil, tool.Fail(tool.Timeout,
			"The command did not end within %s and was stopped; give it a longer timeout_seconds (at most %d) or less to do.",
			within, int(maxTime.Seconds())).Because(err)
	case err != nil:
		return nil, err
	}
	res := resultOf(ran)
	if res.Truncated {
		call.Note("showing at most %d characters of %v bytes of stdout and %v of stderr; write the output to a file of the workspace, "+
			"or filter it with head, tail or grep.", maxShown, res.metadata["stdout_bytes"], res.metadata["stderr_bytes"])
	}
	return res, nil
}

func resultOf(ran tool.Ran) *runResult {
	res := &runResult{ExitCode: ran.Code, DurationMS: ran.Duration.Milliseconds()}
	var cutOut, cutErr bool
	res.Stdout, cutOut = readable(ran.Stdout)
	res.Stderr, cutErr = readable(ran.Stderr)
	if res.Truncated = cutOut || cutErr || ran.StdoutCut+ran.StderrCut > 0; res.Truncated {
		res.metadata = map[string]any{
			"stdout_bytes": int64(len(ran.Stdout)) + ran.StdoutCut, "stderr_bytes": int64(len(ran.Stderr)) + ran.StderrCut,
		}
		if ran.Flooded {
			res.metadata["flooded"] = true
		}
	}
	return res
}

// readable returns text of at most maxShown characters.
func readable(out []byte) (text string, cut bool) {
	text = strings.ToValidUTF8(string(out), "\uFFFD")
	if utf8.RuneCountInString(text) <= maxShown {
		return text, false
	}
	n := 0
	for at := range text {
		if n == maxShown {
			return text[:at], true
		}
		n++
	}
	return text, false
}
