package filesystem

import (
	"cmp"
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

type moveGlobArgs struct {
	From      string   `json:"from" alias:"source" doc:"Directory whose files are moved, relative to the workspace."`
	Patterns  []string `json:"patterns" min:"1" max:"100" doc:"Which files, as paths below from: * and ? within a name, [a-z], {a,b}, and ** for any number of directories; *.txt means files in from itself, **/*.txt also those further down."`
	To        string   `json:"to" alias:"destination" doc:"Directory they are moved into; it is made if it is missing."`
	KeepPaths bool     `json:"keep_paths" alias:"keepPaths" default:"false" doc:"Keep each file's directories below from instead of putting all files into one directory."`
	DryRun    bool     `json:"dry_run" alias:"dryRun" default:"false" doc:"Change nothing and say what would be moved."`
}

// moved is a file with its old and new path.
type moved struct {
	From string `json:"from"`
	To   string `json:"to"`
}

type unmoved struct {
	moved

	Error string `json:"error"`
}

type moveGlobResult struct {
	Success   bool      `json:"success" doc:"false if some files could not be moved."`
	From      string    `json:"from"`
	To        string    `json:"to"`
	DryRun    bool      `json:"dry_run"`
	Moved     []moved   `json:"moved" doc:"What was moved, or with dry_run would be."`
	Failed    []unmoved `json:"failed" doc:"What stayed where it was, and why."`
	Count     int       `json:"count" doc:"How many moved are listed."`
	Total     int       `json:"total" doc:"How many were moved, or would be."`
	Truncated bool      `json:"truncated" doc:"true if not all of them are listed."`
}

var _ = tool.Add(Set, tool.Spec[moveGlobArgs, *moveGlobResult]{
	Name: "files.move_glob",
	Description: "Move all files that match patterns from one directory of the workspace to another, after a dry_run on request, " +
		"and return what was moved; nothing moves if a file would be replaced.",
	Tags:    []string{"files", "move", "glob", "pattern", "sort", "organise", "bulk"},
	Example: `{"from":"docs","patterns":["*.md"],"to":"archive","dry_run":true}`,
	Risk:    tool.Medium,
	Mutates: true,
	Reads:   func(a moveGlobArgs) bool { return a.DryRun },
	Repeats: func(a moveGlobArgs) bool { return a.DryRun },
	Scopes:  tool.Scopes{Paths: []string{"workspace"}},
	Needs:   tool.NeedFiles,
	Errors:  []tool.Kind{tool.PathNotAllowed, tool.FileNotFound, tool.ExecutionError},
	Timeout: time.Minute,
	Run:     moveGlob,
})

func moveGlob(ctx context.Context, call *tool.Call, args moveGlobArgs) (*moveGlobResult, error) {
	plan, err := planMoves(ctx, call.Files, &args)
	if err != nil {
		return nil, err
	}
	res := &moveGlobResult{Success: true, From: args.From, To: args.To, DryRun: args.DryRun, Moved: []moved{}, Failed: []unmoved{}}
	if args.DryRun || len(plan) == 0 {
		res.list(call, plan)
		return res, nil
	}
	if err := call.Files.MkdirAll(args.To); err != nil {
		return nil, err
	}
	var done []moved
	var first error
	for _, m := range plan {
		err := ctx.Err()
		if err == nil {
			err = inDirectory(call.Files, m.To, func() error { return call.Files.Move(m.From, m.To) })
		}
		if err == nil {
			done = append(done, m)
			continue
		}
		first = cmp.Or(first, err)
		res.fail(m, err)
	}
	if len(done) == 0 {
		return nil, first
	}
	res.list(call, done)
	return res, nil
}

// maxShownMoves is the number of moves that a result lists.
const maxShownMoves = 1000

func (r *moveGlobResult) list(call *tool.Call, done []moved) {
	for _, m := range done[:min(len(done), maxShownMoves)] {
		r.Moved = append(r.Moved, moved{showName(m.From), showName(m.To)})
	}
	r.Count, r.Total = len(r.Moved), len(done)
	r.Truncated = r.Truncated || r.Count < r.Total
	noteShown(call, r.Count, r.Total, "moved files", "list_files shows what is in "+showName(r.To))
}

func (r *moveGlobResult) fail(m moved, err error) {
	r.Success = false
	if len(r.Failed) == maxShownMoves {
		r.Truncated = true
		return
	}
	r.Failed = append(r.Failed, unmoved{moved{showName(m.From), showName(m.To)}, tool.AsError(err).Msg})
}
