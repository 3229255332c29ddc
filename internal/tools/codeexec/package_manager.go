package codeexec

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

type packageManagerArgs struct {
	Command string  `json:"command" min:"1" doc:"What the manager is to do, such as 'install lodash'; the manager's name may stand before it."`
	Manager string  `json:"manager,omitempty" enum:"npm,yarn,pnpm,pip" doc:"Package manager; needed where command does not begin with it."`
	Timeout float64 `json:"timeout" default:"60000" doc:"Milliseconds it may take, at most 120000."`
}

type managedPackages struct {
	outcome

	Manager    string `json:"manager"`
	Subcommand string `json:"subcommand"`
}

var _ = tool.Add(Set, tool.Spec[packageManagerArgs, *managedPackages]{
	Name: "package_manager",
	Description: "Run npm, yarn, pnpm or pip on the workspace inside a container, to install, remove, list or look up packages of a " +
		"project, and return the manager's output and exit code.",
	Tags:       []string{"package", "npm", "pip", "install", "dependency", "yarn", "pnpm", "library", "module", "dependencies"},
	Risk:       tool.High,
	Mutates:    true,
	Idempotent: false,
	OpenWorld:  true,
	Scopes:     tool.Scopes{Paths: []string{"workspace"}, Hosts: []string{"*"}, Apps: dockerApp},
	Verbatim:   []string{"command", "manager"},
	Needs:      tool.NeedContainers,
	Errors:     []tool.Kind{tool.NotConfigured, tool.ExecutionError, tool.PathNotAllowed},
	Example:    `{"manager":"npm","command":"view lodash version"}`,
	Timeout:    160 * time.Second,
	Check: func(ctx context.Context, call *tool.Call, args packageManagerArgs) error {
		if _, err := orderOf(args.Manager, args.Command); err != nil {
			return err
		}
		return ready(ctx, call, args)
	},
	Run: packageManager,
})

var packaging = limit{usual: time.Minute, longest: 2 * time.Minute}

func packageManager(ctx context.Context, call *tool.Call, args packageManagerArgs) (*managedPackages, error) {
	order, err := orderOf(args.Manager, args.Command)
	if err != nil {
		return nil, err
	}
	o, err := packaging.contain(ctx, call, tool.Container{
		Image: order.manager.image, Command: order.command, Env: order.manager.env, Workspace: true, Network: order.network,
	}, args.Timeout)
	return &managedPackages{o, order.name, order.subcommand}, err
}
