package filesystem

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// maxMoves is the maximum number of files that one call moves.
const maxMoves = 10_000

// planMoves returns the moves in the order of a walk. It refuses all of them if one
// file would replace another.
func planMoves(ctx context.Context, files tool.Files, args *moveGlobArgs) ([]moved, error) {
	patterns, deep, err := movePatterns(args.Patterns)
	if err != nil {
		return nil, err
	}
	if err := mayHold(files, args.To); err != nil {
		return nil, err
	}
	var plan []moved
	err = files.Walk(args.From, func(p string, e tool.Entry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if e.IsDir() && !deep {
			return fs.SkipDir
		}
		rel := below(args.From, p)
		if !e.Type().IsRegular() && e.Type() != fs.ModeSymlink || !meant(patterns, rel) {
			return nil
		}
		to := path.Join(args.To, path.Base(rel))
		if args.KeepPaths {
			to = path.Join(args.To, rel)
		}
		if to == p {
			return nil // it is there already
		}
		if len(plan) == maxMoves {
			return tool.Fail(tool.ValidationError, "The patterns match more than %d files; narrow them and move the files in several calls.",
				maxMoves)
		}
		plan = append(plan, moved{p, to})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return plan, collisions(files, plan)
}

// movePatterns also reports whether any pattern matches below the first level.
func movePatterns(texts []string) (all globs, deep bool, err error) {
	for _, text := range texts {
		if path.IsAbs(text) || slices.Contains(strings.Split(text, "/"), "..") {
			return nil, false, tool.Fail(tool.PathNotAllowed, "Access denied: the pattern %q leads out of from; patterns are relative to it.", text)
		}
		g, err := globOf(text, false)
		if err != nil {
			return nil, false, err
		}
		all = append(all, g)
		deep = deep || g.path || strings.Contains(text, "**")
	}
	return all, deep, nil
}

// meant reports whether a pattern matches rel, as in a shell: it matches the whole
// path, and hidden files only if the pattern names them.
func meant(patterns globs, rel string) bool {
	hidden := strings.HasPrefix(rel, ".") || strings.Contains(rel, "/.")
	return slices.ContainsFunc(patterns, func(g glob) bool {
		return (g.dots || !hidden) && g.expr.MatchString(rel)
	})
}

// mayHold refuses a path that is not a directory and cannot become one.
func mayHold(files tool.Files, dir string) error {
	info, err := files.Stat(dir)
	switch {
	case missing(err):
		return nil
	case err != nil:
		return err
	case !info.IsDir():
		return tool.Fail(tool.ValidationError, "to must be a directory: %s is a file.", dir)
	}
	return nil
}

// collisions refuses moves that would replace a file: an existing one or another moved
// one.
func collisions(files tool.Files, plan []moved) error {
	const told = 5
	var all []string
	count := 0
	by := map[string]string{}
	for _, m := range plan {
		what := ""
		if other, twice := by[m.To]; twice {
			what = fmt.Sprintf("%s and %s would both become %s", other, m.From, m.To)
		} else if _, err := files.Lstat(m.To); err == nil {
			what = fmt.Sprintf("%s exists already", m.To)
		}
		by[m.To] = m.From
		if what == "" {
			continue
		}
		if count++; count <= told {
			all = append(all, showName(what))
		}
	}
	if count == 0 {
		return nil
	}
	if count > told {
		all = append(all, fmt.Sprintf("and %d more", count-told))
	}
	return tool.Fail(tool.ValidationError, "Nothing was moved: %s; narrow the patterns, or move these one by one.", strings.Join(all, "; "))
}
