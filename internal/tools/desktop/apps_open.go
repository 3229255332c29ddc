package desktop

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

type appsOpenArgs struct {
	App  string   `json:"app" min:"1" max:"200" doc:"Name of the application, as the operator's list has it, such as firefox."`
	Args []string `json:"args,omitempty" max:"20" doc:"What it is to open, such as a web page or a document; no options."`
}

type appsOpenResult struct {
	Opened bool   `json:"opened"`
	App    string `json:"app"`
}

var _ = tool.Add(Set, tool.Spec[appsOpenArgs, appsOpenResult]{
	Name: "apps.open",
	Description: "Open an application on the person's desktop, one of those that the operator lists, when they ask for it, and return that " +
		"it was opened.",
	Tags:       []string{"application", "app", "open", "launch", "start", "program", "desktop", "run"},
	Pool:       pool,
	Risk:       tool.Medium,
	Mutates:    true,
	Idempotent: false,
	OpenWorld:  true,
	Scopes:     tool.Scopes{Apps: []string{"*"}},
	Verbatim:   []string{"app", "args"},
	Needs:      tool.NeedDesktop,
	Errors:     []tool.Kind{tool.NotConfigured, tool.ExecutionError},
	Example:    `{"app":"firefox"}`,
	Timeout:    15 * time.Second,
	Run:        appsOpen,
})

func appsOpen(ctx context.Context, call *tool.Call, args appsOpenArgs) (appsOpenResult, error) {
	if err := call.Desktop.Open(ctx, args.App, args.Args); err != nil {
		return appsOpenResult{}, err
	}
	return appsOpenResult{Opened: true, App: args.App}, nil
}
