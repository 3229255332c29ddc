package codingagents

import (
	"context"
	"regexp"
	"time"

	"github.com/helve-dev/helve/internal/x/gopool"
	"github.com/helve-dev/helve/tool"
)

type agent struct {
	Provider      string  `json:"provider" doc:"For run_coding_task."`
	DisplayName   string  `json:"displayName"`
	Installed     bool    `json:"installed"`
	Configured    bool    `json:"configured" doc:"Whether it has the API key it needs."`
	Version       *string `json:"version" doc:"Null if it is not installed or does not say."`
	ConfigService string  `json:"configService" doc:"Service of the config center where its operator sets it up."`
}

type agentsResult struct {
	Agents    []*agent `json:"agents"`
	Total     int      `json:"total"`
	Count     int      `json:"count"`
	Truncated bool     `json:"truncated"`
}

var _ = tool.Add(Set, tool.Spec[struct{}, agentsResult]{
	Name:        "list_coding_agents",
	Description: "List the coding agents that run_coding_task knows, each with whether it is installed and configured, and its version.",
	Tags:        []string{"coding", "agent", "status", "claude code", "codex", "gemini", "providers"},
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Errors:      []tool.Kind{},
	Example:     `{}`,
	Needs:       tool.NeedPrograms | tool.NeedSecrets,
	Timeout:     20 * time.Second,
	Run:         listCodingAgents,
})

// maxAgents limits the number of programs whose version is queried.
const maxAgents = 50

func listCodingAgents(ctx context.Context, call *tool.Call, _ struct{}) (agentsResult, error) {
	all, err := providers(ctx, call.Secrets)
	if err != nil {
		return agentsResult{}, err
	}
	res := agentsResult{Total: len(all), Truncated: len(all) > maxAgents}
	all = all[:min(len(all), maxAgents)]
	res.Count, res.Agents = len(all), make([]*agent, len(all))
	var asked gopool.Group
	turn := make(chan struct{}, atOnce)
	for i := range all {
		p := &all[i]
		a := &agent{Provider: p.id, DisplayName: p.title, Configured: p.configured(), ConfigService: p.service}
		res.Agents[i] = a
		switch _, err := call.Programs.Find(p.program); {
		case err == nil:
			a.Installed = true
			asked.Go(func() {
				turn <- struct{}{}
				defer func() { <-turn }()
				a.Version = version(ctx, call, p)
			})
		case !isMissing(err):
			asked.Wait()
			return agentsResult{}, err
		}
	}
	asked.Wait()
	return res, ctx.Err()
}

var versionForm = regexp.MustCompile(`\d+(\.\d+)+([-+._]?[0-9A-Za-z]+)*`)

// versionTime limits the version query of a program.
const versionTime = 5 * time.Second

func version(ctx context.Context, call *tool.Call, p *provider) *string {
	if len(p.version) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	ran, err := call.Programs.Run(ctx, tool.Program{
		Name: p.program, Args: p.version, Apart: true, MaxOutput: 4 << 10, MaxTotal: 1 << 20, Memory: memory,
		Env: append([]string{"NO_COLOR=1"}, p.env...),
	})
	if err != nil {
		return nil
	}
	if v := versionForm.Find(append(ran.Stdout, ran.Stderr...)); v != nil {
		text := string(v)
		return &text
	}
	return nil
}
