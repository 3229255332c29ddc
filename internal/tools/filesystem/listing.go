package filesystem

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/lib/calc"
	"github.com/helve-dev/helve/tool"
)

// Limits of a listing.
const (
	listDefault = 1000
	listMax     = 10_000

	maxUnreadable = 100
)

// Types of directory entries.
const (
	typeFile      = "file"
	typeDirectory = "directory"
	typeLink      = "symlink"
	typeOther     = "other"
)

func typeOf(mode fs.FileMode) string {
	switch mode.Type() {
	case 0:
		return typeFile
	case fs.ModeDir:
		return typeDirectory
	case fs.ModeSymlink:
		return typeLink
	default:
		return typeOther
	}
}

// item is a directory entry.
type item struct {
	Name     string    `json:"name"`
	Path     string    `json:"path" doc:"Relative to the workspace."`
	Type     string    `json:"type" enum:"file,directory,symlink,other"`
	Size     int64     `json:"size" doc:"In bytes; 0 unless it is a file."`
	Modified time.Time `json:"modified"`
	// JSON cannot represent the name, so callers cannot send it back unchanged.
	Unnameable bool `json:"unnameable,omitzero" doc:"true where the name is not UTF-8: what is wrong shows as U+FFFD, and only patterns and operations on its directory reach it."`
}

func itemOf(p string, info fs.FileInfo) item {
	it := item{
		Name: showName(path.Base(p)), Path: showName(p), Type: typeOf(info.Mode()),
		Modified: second(info.ModTime()), Unnameable: !utf8.ValidString(p),
	}
	if it.Type == typeFile {
		it.Size = info.Size()
	}
	return it
}

// showName returns a name as a result can represent it.
func showName(name string) string { return strings.ToValidUTF8(name, "\ufffd") }

// second formats a time for results.
func second(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// listArgs holds the parameters that listings share.
type listArgs struct {
	Recursive     bool    `json:"recursive" default:"false" doc:"Also list what is in the directories, and so on."`
	Pattern       string  `json:"pattern,omitzero" alias:"filePattern" max:"1000" doc:"List only what matches, such as *.txt or *.{md,txt}; with a slash it means the path below the directory, as deep as it goes, as in **/test/*.go."`
	IncludeHidden bool    `json:"includeHidden" default:"false" doc:"Also list names that begin with a dot."`
	Limit         float64 `json:"limit,omitzero" alias:"maxResults" doc:"Most entries to return."`
}

func listLimit() *tool.Limit {
	return &tool.Limit{Param: "limit", Max: listMax, Default: listDefault}
}

// listed is the outcome of a listing.
type listed struct {
	Count     int  `json:"count" doc:"How many are returned."`
	Total     int  `json:"total" doc:"How many there are."`
	Truncated bool `json:"truncated"`
	// Without this note a partial listing would look complete.
	Unreadable []string `json:"unreadable,omitzero" doc:"Directories that could not be listed."`
}

// list returns the contents of a directory, in the order of a walk.
func list(ctx context.Context, call *tool.Call, dir string, args *listArgs) ([]item, listed, error) {
	patterns, err := globsOf(args.Pattern, false)
	if err != nil {
		return nil, listed{}, err
	}
	limit := calc.ToInt(args.Limit)
	if limit < 1 {
		limit = listDefault
	}
	// A pattern with a path matches entries further down.
	deep := args.Recursive || slices.ContainsFunc(patterns, func(g glob) bool { return g.path })
	items, sum := []item{}, listed{}
	err = call.Files.Walk(dir, func(p string, e tool.Entry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			if len(sum.Unreadable) < maxUnreadable {
				sum.Unreadable = append(sum.Unreadable, showName(p))
			}
			return fs.SkipDir
		case !args.IncludeHidden && strings.HasPrefix(e.Name(), "."):
			return passOver(e)
		}
		if args.Pattern == "" || patterns.match(below(dir, p)) {
			sum.Total++
			if len(items) < min(limit, listMax) {
				info, err := e.Info()
				if err != nil {
					return err
				}
				items = append(items, itemOf(p, info))
			}
		}
		if !deep {
			return passOver(e)
		}
		return nil
	})
	if err != nil {
		return nil, listed{}, err
	}
	sum.Count = len(items)
	sum.Truncated = sum.Count < sum.Total
	noteShown(call, sum.Count, sum.Total, "entries", fmt.Sprintf("set limit (at most %d), or narrow path or pattern", listMax))
	if n := len(sum.Unreadable); n > 0 {
		call.Note("%d directories could not be listed; unreadable names them.", n)
	}
	return items, sum, nil
}

// noteShown adds a note if not all entries are returned; rest explains how to get the
// others.
func noteShown(call *tool.Call, shown, total int, what, rest string) {
	if shown < total {
		call.Note("showing %d of %d %s; %s.", shown, total, what, rest)
	}
}

// passOver makes a walk skip a directory.
func passOver(e fs.DirEntry) error {
	if e.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// below returns the path of a visited entry, relative to dir.
func below(dir, p string) string {
	if dir = path.Clean(dir); dir == "." {
		return p
	}
	return strings.TrimPrefix(p, dir+"/")
}
