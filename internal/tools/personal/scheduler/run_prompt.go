package scheduler

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/openai"
	"github.com/helve-dev/helve/tool"
)

// runPrompt is the tool that a task of type prompt calls.
const runPrompt = "run_prompt"

// Bounds of one run of a prompt.
const (
	maxTurns      = 16      // requests to the model
	maxTurnCalls  = 50      // calls of tools
	maxTurnTokens = 4096    // of one message of the model
	maxTokens     = 200_000 // of all requests and messages
)

type promptArgs struct {
	Prompt string `json:"prompt" doc:"What the model is to do. It cannot ask back." min:"1" max:"100000"`
}

type promptResult struct {
	Answer string       `json:"answer" doc:"The last message of the model."`
	Model  string       `json:"model"`
	Turns  int          `json:"turns" doc:"The number of requests to the model."`
	Tokens int          `json:"tokens" doc:"What the requests and messages took, as the service counts."`
	Calls  []promptCall `json:"calls" doc:"The calls that the model made, in their order."`
}

type promptCall struct {
	Tool   string    `json:"tool"`
	Status string    `json:"status" enum:"success,error"`
	Error  tool.Kind `json:"error_type,omitempty"`
}

var _ = tool.Add(Set, tool.Spec[promptArgs, *promptResult]{
	Name: runPrompt,
	Description: "Have the configured model do what a prompt says with the person's tools, as a scheduled task of type prompt does, " +
		"and return its answer and the calls it made; a call that needs the person's approval is refused.",
	Tags:         []string{"prompt", "model", "agent", "delegate", "automation"},
	Example:      `{"prompt":"Add a note with the titles of my open tasks."}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      true, // it is not run again: the model would not make the same calls
	OpenWorld:    true,
	Scopes:       tool.Scopes{Hosts: []string{"*"}}, // base_url may name any host
	Needs:        tool.NeedTools | tool.NeedCatalogue | tool.NeedSecrets | tool.NeedHTTP,
	Errors:       []tool.Kind{tool.NotConfigured, tool.NetworkError, tool.ExecutionError},
	Timeout:      10 * time.Minute,
	Check: func(_ context.Context, _ *tool.Call, args promptArgs) error {
		if strings.TrimSpace(args.Prompt) == "" {
			return tool.Fail(tool.ValidationError, "prompt is blank")
		}
		return nil
	},
	Run: func(ctx context.Context, call *tool.Call, args promptArgs) (*promptResult, error) {
		model, err := openai.Open(ctx, call, "to run a prompt")
		if err != nil {
			return nil, err
		}
		offered, err := offer(ctx, call.Catalogue)
		if err != nil {
			return nil, err
		}
		return (&conversation{call: call, model: model, tools: offered, res: promptResult{Calls: []promptCall{}}}).run(ctx, args.Prompt)
	},
})

// conversation is one run of a prompt.
type conversation struct {
	call     *tool.Call
	model    *openai.Client
	tools    []openai.TurnTool
	messages []any
	res      promptResult
}

// message is a message that this side writes.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	CallID  string `json:"tool_call_id,omitempty"`
}

// run sends messages until the model calls no tool, or a bound is reached.
func (c *conversation) run(ctx context.Context, prompt string) (*promptResult, error) {
	now := c.call.Clock.Now().UTC().Format(time.RFC3339)
	c.messages = []any{
		message{Role: "system", Content: "You work for a person with the person's tools. It is " + now +
			". Nobody reads along: do not ask back, do what can be done, and end with a short answer."},
		message{Role: "user", Content: prompt},
	}
	for c.res.Turns < maxTurns && c.res.Tokens < maxTokens {
		turn, err := c.model.Turn(ctx, c.messages, c.tools, maxTurnTokens)
		if err != nil {
			return nil, c.after(err)
		}
		c.res.Turns++
		c.res.Tokens += turn.Tokens
		c.res.Model, c.res.Answer = turn.Model, turn.Text
		if len(turn.Calls) == 0 {
			return &c.res, nil
		}
		c.messages = append(c.messages, turn.Message)
		for _, m := range c.answer(ctx, turn.Calls) {
			c.messages = append(c.messages, m)
		}
		if ctx.Err() != nil {
			return nil, tool.AsError(ctx.Err())
		}
	}
	return nil, c.after(tool.Fail(tool.ExecutionError,
		"the model did not come to an end within %d requests and %d tokens; split the prompt into smaller ones", maxTurns, maxTokens))
}

// after adds to an error what the model did before it.
func (c *conversation) after(err error) error {
	e := tool.AsError(err)
	done := 0
	for _, made := range c.res.Calls {
		if made.Status == success {
			done++
		}
	}
	if done == 0 {
		return err
	}
	return tool.Fail(e.Kind, "%s (%d calls of tools had succeeded before)", e.Msg, done).Because(err)
}

// offer returns the tools for the model: all that the agent has, or the tools that find and
// call others if those are too many.
func offer(ctx context.Context, all tool.Catalogue) ([]openai.TurnTool, error) {
	const most = 40
	found, err := all.Search(ctx, tool.Search{Limit: most + 1})
	if err != nil {
		return nil, err
	}
	list := found.Tools
	if found.Total > most {
		list = nil
		for _, name := range []string{"search_tools", "get_tool_help", useTool} {
			if def, ok := all.Lookup(name); ok {
				list = append(list, def)
			}
		}
	}
	var offered []openai.TurnTool
	for _, def := range list {
		if forbidden(def) == nil {
			offered = append(offered, openai.TurnTool{
				Name:        strings.ReplaceAll(def.Name, ".", "_"),
				Description: def.Description,
				Parameters:  def.Parameters,
			})
		}
	}
	if len(offered) == 0 {
		return nil, tool.Fail(tool.ExecutionError,
			"the agent has none of the tools that a prompt needs: search_tools, get_tool_help and use_tool")
	}
	return offered, nil
}

// forbidden returns why the model may not call a tool.
func forbidden(def *tool.Definition) error {
	switch {
	case def.Name == batchTool:
		return fmt.Errorf("%s is not for prompts: call several tools in one message", def.Name)
	case def.Category == Set.Category() && def.Mutates:
		return fmt.Errorf("a prompt cannot call %s: tasks that make or start tasks could grow without end", def.Name)
	}
	return nil
}
