package codingagents

import (
	"context"
	"errors"
	"path"
	"time"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// maxShown limits the text of a session that a model receives, in characters.
const maxShown = 8000

type runResult struct {
	ResultID   *string  `json:"resultId" doc:"For get_task_result; null if it could not be kept."`
	SessionID  string   `json:"sessionId" doc:"The call under whose events the text was streamed."`
	Output     string   `json:"output" doc:"The end of what the agent wrote, as plain text."`
	Provider   string   `json:"provider"`
	Model      *string  `json:"model" doc:"Null if the agent chose."`
	DurationMS int64    `json:"durationMs"`
	CostUSD    *float64 `json:"costUsd" doc:"Null if the agent did not tell."`
	ExitCode   int      `json:"exitCode" doc:"-1 if it was ended before it exited."`
	State      string   `json:"state" enum:"completed,failed,budget_exceeded,output_exceeded"`
	Error      *string  `json:"error,omitempty" doc:"Why it did not complete."`

	truncated bool
	metadata  map[string]any
}

// Present adds the full size of truncated text.
func (r *runResult) Present(res *tool.Result) { res.Truncated, res.Metadata = r.truncated, r.metadata }

var _ = tool.Add(Set, tool.Spec[runArgs, *runResult]{
	Name: "run_coding_task",
	Description: "Give a coding task to an agent program such as Claude Code, Codex or Gemini CLI, which works on the files of the " +
		"workspace by itself, wait for it, and return what it wrote, its cost and the id under which the result is kept.",
	Tags: []string{
		"coding", "agent", "delegation", "development", "claude code", "codex", "gemini", "delegate", "programming", "refactor",
	},
	Risk:        tool.High,
	Mutates:     true,
	Destructive: true,
	OpenWorld:   true,
	Scopes:      tool.Scopes{Paths: []string{"workspace"}, Hosts: []string{"*"}},
	Verbatim:    []string{"provider", "prompt", "cwd", "model"},
	Errors:      []tool.Kind{tool.NotConfigured, tool.PathNotAllowed, tool.FileNotFound, tool.ExecutionError},
	Example:     `{"provider":"claude-code","prompt":"Add a section on installation to docs/readme.md.","max_budget_usd":0.5}`,
	Needs:       tool.NeedPrograms | tool.NeedStore | tool.NeedSecrets | tool.NeedFiles,
	// A session that uses all of its time is stored and reported.
	Timeout: maxTime + 30*time.Second,
	Check:   checkTask,
	Run:     runCodingTask,
})

// checkTask refuses calls for which no person needs to be asked. If the engine passes
// no config center, the run itself checks the provider.
func checkTask(ctx context.Context, call *tool.Call, args runArgs) error {
	if _, err := args.task(); err != nil {
		return err
	}
	if call.Secrets == nil {
		return nil
	}
	p, err := find(ctx, call.Secrets, args.Provider)
	if err == nil && !p.configured() {
		err = p.missingKey()
	}
	return err
}

func runCodingTask(ctx context.Context, call *tool.Call, args runArgs) (*runResult, error) {
	t, err := args.task()
	if err != nil {
		return nil, err
	}
	p, err := find(ctx, call.Secrets, args.Provider)
	if err != nil {
		return nil, err
	}
	if err := ready(call, p); err != nil {
		return nil, err
	}
	if t.cwd, err = directory(call.Files, t.cwd); err != nil {
		return nil, err
	}
	if err := p.unconfigured(call.Files, t.cwd); err != nil {
		return nil, err
	}
	release, err := occupy(ctx, call, t.within)
	if err != nil {
		return nil, err
	}
	defer release()
	s := &session{call: call, provider: p, task: t}
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	k := s.kept()
	lost := k.store(ctx, call)
	return s.result(k, lost)
}

// unconfigured refuses a directory in which, or above which, files of the workspace have
// settings for the program: a person has agreed to the task, and not to what they start.
func (p *provider) unconfigured(files tool.Files, cwd string) error {
	for at := path.Clean(cwd); ; at = path.Dir(at) {
		for _, name := range p.settings {
			if _, err := files.Stat(path.Join(at, name)); err == nil {
				return tool.Fail(tool.PolicyDenied, "%s would obey '%s', which may start programs; move it away, or work in another directory.",
					p.title, path.Join(at, name))
			}
		}
		if at == "." {
			return nil
		}
	}
}

// ready refuses a provider that cannot run here.
func ready(call *tool.Call, p *provider) error {
	if _, err := call.Programs.Find(p.program); err != nil {
		if isMissing(err) {
			return tool.Fail(tool.NotConfigured,
				"%s is not installed on this worker: the operator %s, or adds its directory to programs.path and programs.readable.",
				p.title, p.installing()).Because(err)
		}
		return err
	}
	if !p.configured() {
		return p.missingKey()
	}
	return nil
}

func isMissing(err error) bool {
	e, ok := errors.AsType[*tool.Error](err)
	return ok && e.Kind == tool.NotConfigured
}

// result returns the outcome for the caller. A session that ran out of time or was
// cancelled is a failure whose message names the stored session.
func (s *session) result(k *kept, lost error) (*runResult, error) {
	where := "get_task_result with result_id " + k.ID + " shows what it wrote"
	if lost != nil {
		where = "what it wrote could not be kept"
	}
	switch s.state {
	case timedOut:
		return nil, tool.Fail(tool.Timeout, "%s did not end within %s and was stopped; %s.", s.provider.title, s.task.within, where).Because(lost)
	case cancelled:
		return nil, tool.Fail(tool.Cancelled, "The session was cancelled; %s.", where).Because(lost)
	}
	r := &runResult{
		ResultID: &k.ID, SessionID: s.call.ID, Output: textcut.Last(k.Output, maxShown), Provider: k.Provider, Model: k.Model,
		DurationMS: k.DurationMS, CostUSD: k.CostUSD, ExitCode: k.ExitCode, State: s.state, Error: k.Error,
	}
	if lost != nil {
		r.ResultID = nil
	}
	if r.truncated = k.Truncated || len(r.Output) < len(k.Output); r.truncated {
		r.metadata = map[string]any{"output_bytes": s.text.total, "output_characters_kept": utf8.RuneCountInString(k.Output)}
	}
	return r, nil
}

// directory checks a directory of the workspace and returns it in the form that
// programs use.
func directory(files tool.Files, cwd string) (string, error) {
	if cwd == "" || cwd == "." {
		return "", nil
	}
	info, err := files.Stat(cwd)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", tool.Fail(tool.ValidationError, "cwd must be a directory, but '%s' is a file.", cwd)
	}
	return cwd, nil
}
