package codingagents

import (
	"regexp"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

// The limits and defaults of a task.
const (
	defaultTime   = 300 * time.Second
	maxTime       = 1800 * time.Second
	defaultBudget = 1.0
	maxBudget     = 1000.0
	defaultTurns  = 10
	maxTurns      = 1000
	// maxPrompt is in bytes: operating systems accept little more in one argument.
	maxPrompt = 100 << 10
)

type runArgs struct {
	Provider       string   `json:"provider" min:"1" max:"80" doc:"claude-code, codex, gemini-cli, or custom:NAME for one the operator added; list_coding_agents shows which are ready."`
	Prompt         string   `json:"prompt" min:"1" doc:"The task: be specific about files and the outcome you expect."`
	Cwd            string   `json:"cwd,omitempty" doc:"Directory of the workspace to work in; its top if left out."`
	Model          string   `json:"model,omitempty" max:"128" doc:"Model of the provider; its default if left out."`
	MaxBudgetUSD   *float64 `json:"max_budget_usd,omitempty" doc:"Most it may spend, in US dollars; 1.0 if left out. Only agents that tell their cost heed it."`
	MaxTurns       *float64 `json:"max_turns,omitempty" doc:"Most turns of the agent; 10 if left out. Only Claude Code and custom agents are told."`
	TimeoutSeconds *float64 `json:"timeout_seconds,omitempty" doc:"Seconds it may take, at most 1800; 300 if left out."`
}

// task is a validated task with all defaults filled in.
type task struct {
	prompt, cwd, model string
	budget             float64
	turns              int
	within             time.Duration
}

var modelForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+\[\]-]*$`)

// task returns the task for the arguments, or an error that names the wrong one.
func (a *runArgs) task() (*task, error) {
	t := &task{prompt: a.Prompt, cwd: a.Cwd, model: a.Model, budget: defaultBudget, turns: defaultTurns, within: defaultTime}
	if a.MaxBudgetUSD != nil {
		t.budget = min(*a.MaxBudgetUSD, maxBudget)
	}
	if a.MaxTurns != nil {
		t.turns = int(min(max(*a.MaxTurns, 0), maxTurns)) // a fraction is ignored
	}
	if a.TimeoutSeconds != nil {
		t.within = time.Duration(min(*a.TimeoutSeconds, maxTime.Seconds()) * float64(time.Second))
	}
	switch {
	case strings.TrimSpace(t.prompt) == "":
		return nil, tool.Fail(tool.ValidationError, "prompt is empty; say what the agent is to do.")
	case len(t.prompt) > maxPrompt:
		return nil, tool.Fail(tool.ValidationError, "prompt has %d bytes, at most %d are possible; write the details to a file and name it.",
			len(t.prompt), maxPrompt)
	case strings.ContainsRune(t.prompt, 0):
		return nil, tool.Fail(tool.ValidationError, "prompt holds a zero character, which no program can be given.")
	case t.model != "" && !modelForm.MatchString(t.model):
		return nil, tool.Fail(tool.ValidationError, "model '%.64s' is not the name of a model.", t.model)
	case t.budget <= 0, t.turns <= 0, t.within <= 0:
		return nil, tool.Fail(tool.ValidationError, "max_budget_usd, max_turns and timeout_seconds must be above 0.")
	}
	return t, outside(t.cwd)
}
