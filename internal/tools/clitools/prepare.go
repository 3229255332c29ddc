package clitools

import (
	"context"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/lib/gitview"
	"github.com/helve-dev/helve/tool"
)

// prepare returns the run of a program. A run without consent cannot write to the
// workspace, and reads no settings that start programs.
func (p *program) prepare(ctx context.Context, call *tool.Call, dir string, args []string) (tool.Program, error) {
	if _, err := call.Programs.Find(p.executable()); err != nil {
		if isMissing(err) && p.npm != "" {
			err = tool.Fail(tool.NotConfigured, "'%[1]s' is not installed; install_cli_tool with name='%[1]s' installs it.", p.name).Because(err)
		}
		return tool.Program{}, err
	}
	all := slices.Concat(p.args, args)
	run := tool.Program{Name: p.executable(), Args: all, Dir: dir, Network: p.network}
	shape := p.shapeOf(args)
	var err error
	switch {
	case shape != nil && shape.outside:
		run = tool.Program{Name: p.executable(), Args: all, Apart: true}
	case shape != nil && p.executable() == "git":
		run, err = viewed(ctx, call, dir, shape.insert(all))
	case shape != nil:
		run.Args, run.ReadOnly, run.Env = shape.insert(all), true, shape.env
	case p.executable() == "git":
		run.Env, err = gitview.Guard(), knownSettings(ctx, call, dir)
	}
	run.MaxOutput, run.MaxTotal = keptOutput, floodedAt
	run.Env = append([]string{"NO_COLOR=1", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0"}, run.Env...)
	return run, err
}

// knownSettings refuses a repository whose configuration may start a program: a person has
// agreed to the arguments of the call, and not to what the repository adds.
func knownSettings(ctx context.Context, call *tool.Call, dir string) error {
	unknown, err := unknownSettings(ctx, call, dir)
	if err == nil && len(unknown) > 0 {
		const most = 5
		err = tool.Fail(tool.PolicyDenied,
			"The configuration of this repository has settings that may start programs (%.300s); use the git_* tools, which do without them, "+
				"or remove the settings from .git/config.",
			strings.Join(unknown[:min(len(unknown), most)], ", "))
	}
	return err
}
