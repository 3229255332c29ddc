package filesystem

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

// hunt visits the files of a directory, in the order of a walk, until it has enough
// matches or its time is over.
type hunt struct {
	dir    string
	hidden bool
	only   globs // of the files to visit; nil means all
	// more is called for each file, and if folders is set for each directory too. It
	// returns false to stop.
	folders bool
	more    func(ctx context.Context, p string, e tool.Entry) (bool, error)
}

// maxFound limits the number of matches that a search counts beyond the returned ones.
const maxFound = 10_000

// hunted holds the fields that all searches return about their coverage.
type hunted struct {
	Truncated bool `json:"truncated" doc:"true if there are more than are returned, or may be because the time was up."`
	TimedOut  bool `json:"timedOut,omitzero" doc:"true if the time was up; search a smaller part of the workspace."`
	Skipped   int  `json:"skipped,omitzero" doc:"Files and directories that could not be read."`
	Floor     bool `json:"totalIsFloor,omitzero" doc:"true if total is a lower bound, because the search ended early or something could not be read."`
}

// why returns the reason why a total is a lower bound.
func (h *hunted) why() string {
	switch {
	case h.TimedOut:
		return "the time was up; search a smaller part of the workspace"
	case h.Truncated:
		return fmt.Sprintf("only %d are counted; narrow the search", maxFound)
	}
	return fmt.Sprintf("%d files or directories could not be read", h.Skipped)
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
		err = nil
	}
	if sum.Floor = sum.Truncated || sum.Skipped > 0; sum.Floor && err == nil {
		call.Note("There may be more matches than total says, because %s.", sum.why())
	}
	return sum, err
}

// walk visits the entries below the directory, or the single file.
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

// single is one named file, in the form of a walk's entry.
type single struct {
	fs.DirEntry

	files tool.Files
	path  string
}

// Open opens the file.
func (s single) Open() (fs.File, error) { return s.files.Open(s.path) }

// inTime returns a context that ends a little before the call, so that the matches up
// to then can be returned.
func inTime(ctx context.Context, call *tool.Call) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	const most = 500 * time.Millisecond
	rest := call.Deadline.Sub(call.Clock.Now())
	return context.WithDeadline(ctx, end.Add(-min(most, max(rest/10, 0))))
}

// named returns a matcher for names: a pattern if the query is one, otherwise a
// substring. A pattern with a slash matches the path below the searched directory.
type named struct {
	patterns globs
	part     *needle
}

func namedOf(query string, exact bool) (*named, error) {
	if !isGlob(query) || unclosed(query) { // a[0 is a substring too
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

// holds reports whether a file is text that contains the needle, and calls found as in
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
