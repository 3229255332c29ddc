package scope

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// Path refuses, with path_not_allowed, a path that is not within every one of
// within. p is relative to the workspace, as a tool sends it: here
// "workspace/a" is a directory that happens to have that name. Where nothing
// restricts paths it does not look at p.
func Path(p string, within ...tool.Scopes) error {
	return paths(p, within, func(r route) bool { return r.holds })
}

// Way is [Path] for what lies on the way to something within reach, too: the
// directories that a listing, or the making of one further down, must pass.
func Way(p string, within ...tool.Scopes) error {
	return paths(p, within, func(r route) bool { return r.holds || r.leads })
}

// Tree is [Path] for a directory with everything below it.
func Tree(p string, within ...tool.Scopes) error {
	return paths(p, within, func(r route) bool { return r.tree })
}

// AnyPath reports whether within leave every path within reach.
func AnyPath(within ...tool.Scopes) bool {
	return !slices.ContainsFunc(within, func(s tool.Scopes) bool { return !anyPath(s.Paths) })
}

func anyPath(entries []string) bool {
	return len(entries) == 0 || slices.ContainsFunc(entries, func(e string) bool { return e == "workspace" || e == "." })
}

func paths(p string, within []tool.Scopes, enough func(route) bool) error {
	for _, s := range within {
		if anyPath(s.Paths) {
			continue
		}
		clean := path.Clean(p)
		passes := func(entry string) bool {
			parts, err := parsePath(entry)
			return err == nil && enough(follow(parts, clean))
		}
		if !relative(p) || !slices.ContainsFunc(s.Paths, passes) {
			return tool.Fail(tool.PathNotAllowed, "Access denied: %s is outside what this call may reach; allowed: %s", clip(p), allowed(s.Paths))
		}
	}
	return nil
}

// relative tells a path below the workspace from what some system would take
// for something else.
func relative(p string) bool {
	clean := path.Clean(p)
	return p != "" && !path.IsAbs(p) && !strings.ContainsAny(p, "\\\x00") && clean != ".." && !strings.HasPrefix(clean, "../")
}

// maxDepth bounds the names in an entry: states of a match are bits.
const maxDepth = 32

// anyDepth stands for any number of names.
const anyDepth = "**"

// parsePath returns the names of an entry; none are the whole workspace.
func parsePath(entry string) ([]string, error) {
	if err := written(entry); err != nil {
		return nil, err
	}
	switch {
	case strings.Contains(entry, "://"):
		return nil, errors.New("it is a URL; name a path relative to the workspace")
	case strings.Contains(entry, `\`):
		return nil, errors.New("paths use forward slashes")
	case path.IsAbs(entry) || entry == "~" || strings.HasPrefix(entry, "~/") || len(entry) > 1 && entry[1] == ':':
		return nil, errors.New("it must be relative to the workspace")
	case slices.Contains(strings.Split(entry, "/"), ".."):
		return nil, errors.New("it must not hold the name .. anywhere")
	}
	clean := path.Clean(entry)
	if clean == "." || clean == "workspace" {
		return nil, nil
	}
	parts := strings.Split(strings.TrimPrefix(clean, "workspace/"), "/")
	if len(parts) > maxDepth {
		return nil, errors.New("it is too deep; name a directory nearer to the workspace")
	}
	for _, part := range parts {
		if part != anyDepth && strings.Contains(part, anyDepth) {
			return nil, errors.New("** must be a name of its own, as in notes/**")
		}
	}
	return parts, nil
}

// route is how a path lies to an entry.
type route struct {
	holds bool // the entry means the path
	leads bool // the entry means something below the path
	tree  bool // the entry means the path and everything below it
}

// follow takes the names of p, a clean path, through those of an entry. Bit i
// of at is set where the names so far can be the first i parts of the entry, so
// the time is bounded whatever the stars.
func follow(parts []string, p string) route {
	end := uint64(1) << len(parts)
	// A plain name holds everything below it, a pattern only what it matches.
	last := anyDepth
	if len(parts) > 0 {
		last = parts[len(parts)-1]
	}
	deep := last == anyDepth || !strings.Contains(last, "*")
	at := skip(parts, 1)
	for name := range strings.SplitSeq(p, "/") {
		if name == "." { // the workspace itself
			break
		}
		var next uint64
		for i, part := range parts {
			switch {
			case at&(1<<i) == 0:
			case part == anyDepth:
				next |= 1 << i
			case like(part, name):
				next |= 1 << (i + 1)
			}
		}
		if deep {
			next |= at & end
		}
		at = skip(parts, next)
	}
	holds := at&end != 0
	return route{holds: holds, leads: at&^end != 0, tree: holds && deep}
}

// skip adds to at what is reached when ** stands for no name.
func skip(parts []string, at uint64) uint64 {
	for i, part := range parts {
		if part == anyDepth && at&(1<<i) != 0 {
			at |= 1 << (i + 1)
		}
	}
	return at
}

// like reports whether name matches pattern, in which * is any text. Where a
// match fails it goes on from the last *, which suffices.
func like(pattern, name string) bool {
	star, mark, i := -1, 0, 0
	for n := 0; n < len(name); {
		switch {
		case i < len(pattern) && pattern[i] == '*':
			star, mark = i, n
			i++
		case i < len(pattern) && pattern[i] == name[n]:
			i++
			n++
		case star >= 0:
			mark++
			i, n = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[i:], "*") == ""
}
