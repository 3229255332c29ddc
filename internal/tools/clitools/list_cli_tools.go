package clitools

import (
	"context"
	"errors"
	"time"

	"github.com/helve-dev/helve/tool"
)

type listed struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Category    string  `json:"category"`
	Installed   bool    `json:"installed"`
	Version     *string `json:"version" doc:"Null if it is not installed, is blocked or does not say."`
	RiskLevel   string  `json:"riskLevel" enum:"low,medium,high"`
	RiskScore   int     `json:"riskScore" doc:"0 to 100, before arguments raise it."`
	Policy      policy  `json:"policy" enum:"allowed,prompt,blocked"`
	Network     bool    `json:"network" doc:"Whether it reaches the network."`
	NPXPackage  *string `json:"npxPackage" doc:"The npm package that install_cli_tool installs, if there is one."`
	Custom      bool    `json:"custom" doc:"Whether the operator added it."`

	program *program
}

type listResult struct {
	Tools     []*listed `json:"tools"`
	Total     int       `json:"total"`
	Count     int       `json:"count"`
	Installed int       `json:"installed" doc:"How many of them are installed."`
	Truncated bool      `json:"truncated"`
}

var _ = tool.Add(Set, tool.Spec[struct{}, listResult]{
	Name: "list_cli_tools",
	Description: "List the command-line programs that run_cli_tool can run, each with its category, risk and policy, whether it is " +
		"installed and in which version.",
	Tags:       []string{"cli", "tool", "discovery", "status", "programs", "installed", "command line"},
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Scopes:     tool.Scopes{Paths: []string{"workspace"}},
	Errors:     []tool.Kind{},
	Example:    `{}`,
	Needs:      tool.NeedPrograms | tool.NeedSecrets,
	Timeout:    30 * time.Second,
	Run:        listCLITools,
})

func listCLITools(ctx context.Context, call *tool.Call, _ struct{}) (listResult, error) {
	all, err := known(ctx, call.Secrets)
	if err != nil {
		return listResult{}, err
	}
	res := listResult{Total: len(all), Count: len(all), Tools: make([]*listed, len(all))}
	var ask []*listed
	for i := range all {
		p := &all[i]
		l := &listed{
			Name: p.name, Description: p.does, Category: p.category, RiskLevel: level(p.risk), RiskScore: p.risk, Policy: p.rule(),
			Network: p.network, Custom: p.custom, program: p,
		}
		if p.npm != "" {
			l.NPXPackage = &p.npm
		}
		res.Tools[i] = l
		switch _, err := call.Programs.Find(p.executable()); {
		case err == nil:
			l.Installed = true
			res.Installed++
			if l.Policy != blocked { // a blocked program is not run at all
				ask = append(ask, l)
			}
		case !isMissing(err):
			return listResult{}, err
		}
	}
	versions(ctx, call, ask)
	return res, ctx.Err()
}

func isMissing(err error) bool {
	e, ok := errors.AsType[*tool.Error](err)
	return ok && e.Kind == tool.NotConfigured
}
