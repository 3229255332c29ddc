package filesystem

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

// hunt goes through the files of a directory, in the order of a walk, until it
// has enough or its time is up.
type hunt struct {
	dir    string
	hidden bool
	only   globs // of which files; nil means all
	// more is called for each file, and with folders for each directory too. It
	// returns false when there is enough.
	folders bool
	more    func(ctx context.Context, p string, e tool.Entry) (bool, error)
}

// maxFound bounds how many matches a search counts beyond those it returns.
const maxFound = 10_000

// hunted is what all searches say of how far they came.
type hunted struct {
	Truncated bool `json:"truncated" doc:"true if there are more than are returned, or may be because the time was up."`
	TimedOut  bool `json:"timedOut,omitzero" doc:"true if the time was up; search a smaller part of the workspace."`
	Skipped   int  `json:"skipped,omitzero" doc:"Files and directories that could not be read."`
}

func (h *hunt) run(ctx context.Context, call *tool.Call) (hunted, error) {
	var sum hunted
	searching, cancel := inTime(ctx, call)
	defer cancel()
	visit := func(p string, e tool.Entry, err error) error {
		switch {
		case searching.Err() != nil:
			return searching.Err()
		case err != nil:
			sum.Skipped++
			return fs.SkipDir
		case !h.hidden && strings.HasPrefix(e.Name(), ".") && p != path.Clean(h.dir):
			return passOver(e)
		case !e.Type().IsRegular() && !(e.IsDir() && h.folders):
			return nil
		case h.only != nil && !h.only.match(below(h.dir, p)):
			return nil
		}
		more, err := h.more(searching, p, e)
		switch {
		case searching.Err() != nil:
			return searching.Err()
		case err != nil:
			sum.Skipped++
		case !more:
			sum.Truncated = true
			return fs.SkipAll
		}
		return nil
	}
	err := h.walk(call.Files, visit)
	if err != nil && ctx.Err() == nil && errors.Is(err, searching.Err()) {
		sum.Truncated, sum.TimedOut = true, true
		return sum, nil
	}
	return sum, err
}

// walk visits what is below the directory, or the file that it is instead.
func (h *hunt) walk(files tool.Files, visit tool.Visit) error {
	info, err := files.Stat(h.dir)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return files.Walk(h.dir, visit)
	}
	p := path.Clean(h.dir)
	if err := visit(p, single{fs.FileInfoToDirEntry(info), files, p}, nil); !errors.Is(err, fs.SkipAll) {
		return err
	}
	return nil
}

// single is one file that was named, as a walk would come to it.
type single struct {
	fs.DirEntry

	files tool.Files
	path  string
}

// Open opens the file.
func (s single) Open() (fs.File, error) { return s.files.Open(s.path) }

// inTime ends a little before the call does, so that what was found until then
// can be returned.
func inTime(ctx context.Context, call *tool.Call) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	const most = 500 * time.Millisecond
	rest := call.Deadline.Sub(call.Clock.Now())
	return context.WithDeadline(ctx, end.Add(-min(most, max(rest/10, 0))))
}

// named matches names: by a pattern if the query is one, and else by a part of
// the name. A pattern with a slash means the path below the searched directory.
type named struct {
	patterns globs
	part     *needle
}

func namedOf(query string, exact bool) (*named, error) {
	if !isGlob(query) || unclosed(query) { // a[0 is a part of a name, too
		return &named{part: needleOf(query, exact)}, nil
	}
	g, err := globOf(query, !exact)
	if err != nil {
		return nil, err
	}
	return &named{patterns: globs{g}, part: needleOf(query, exact)}, nil
}

func (n *named) match(rel string) bool {
	name := path.Base(rel)
	if strings.Contains(string(n.part.text), "/") {
		name = rel
	}
	return n.patterns.match(rel) || n.part.index([]byte(name)) >= 0
}

// holds reports whether a file is text that holds the needle, with found as in
// [needle.lines].
func (n *needle) holds(ctx context.Context, e tool.Entry, found func(number int, line string) bool) error {
	f, err := e.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = n.lines(&interruptible{ctx: ctx, r: f}, found)
	return err
}
