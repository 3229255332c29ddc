// Package javascript is the part of a worker that runs scripts: the tools of tools
// directories, in the process, and the tools that models wrote, in the sandbox.
//
// It promises that both share one budget for what is handed to scripts, and that no
// child of the sandbox runs before a tool needs one.
package javascript

import (
	"context"

	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/program"
	"github.com/helve-dev/helve/internal/toolbox/sandbox/child"
	_ "github.com/helve-dev/helve/internal/toolbox/sandbox/child/autoexec" // see its package comment
	"github.com/helve-dev/helve/tool"
)

// Part returns the part.
func Part() toolbox.Part {
	return toolbox.Part{
		Name: toolbox.JavaScript, Child: child.Main, Tune: js.TuneWorker, Ports: tool.NeedCustomTools | tool.NeedDurable, Attach: attach,
	}
}

func attach(ctx context.Context, host toolbox.Host) (toolbox.Attached, error) {
	budget := js.NewBudget(int64(host.Config.Sandbox.Handover))
	files, err := openScripts(host, budget)
	if err != nil {
		return toolbox.Attached{}, err
	}
	runs, turns := newLazySandbox(host, false), newLazySandbox(host, true)
	custom, err := openCustom(ctx, host, runs, turns, files.lib, budget)
	if err != nil {
		return toolbox.Attached{}, err
	}
	attached := toolbox.Attached{
		Custom: custom, Close: func() { runs.Close(); turns.Close() },
		Durable: &program.Programs{Sandbox: turns, Dispatchers: host.Queue.Programs},
	}
	if files != nil {
		attached.Follow = files.follow
	}
	return attached, nil
}
