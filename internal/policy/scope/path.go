package scope

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// Path refuses, with path_not_allowed, a path that is not within every one of within. p
// is relative to the workspace, as sent to the tool: here "workspace/a" is a directory
// that happens to have that name. If nothing restricts paths it does not examine p.
func Path(p string, within ...tool.Scopes) error {
	return paths(p, within, func(r route) bool { return r.holds })
}

// Way is [Path] that also allows the directories on the way to an allowed path, which a
// listing, or creating a directory further down, must pass.
func Way(p string, within ...tool.Scopes) error {
	return paths(p, within, func(r route) bool { return r.holds || r.leads })
}

// Tree is [Path] for a directory with everything below it.
func Tree(p string, within ...tool.Scopes) error {
	return paths(p, within, func(r route) bool { return r.tree })
}

// AnyPath reports whether within allows every path.
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

// relative distinguishes a path below the workspace from a path that some system would
// interpret differently.
func relative(p string) bool {
	clean := path.Clean(p)
	return p != "" && !path.IsAbs(p) && !strings.ContainsAny(p, "\\\x00") && clean != ".." && !strings.HasPrefix(clean, "../")
}

// maxDepth limits the names in an entry: states of a match are bits.
const maxDepth = 32

// anyDepth matches any number of names.
const anyDepth = "**"

// parsePath returns the names of an entry; an empty result means the whole workspace.
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

// route is the relation of a path to an entry.
type route struct {
	holds bool // the entry matches the path
	leads bool // the entry matches something below the path
	tree  bool // the entry matches the path and everything below it
}

// follow matches the names of p, a clean path, against an entry. Bit i of at is set if
// the names so far can be the first i parts of the entry, so the time is limited
// whatever the stars.
func follow(parts []string, p string) route {
	end := uint64(1) << len(parts)
	// A plain name includes everything below it, a pattern only what it matches.
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

// skip adds to at the states reached when ** matches no name.
func skip(parts []string, at uint64) uint64 {
	for i, part := range parts {
		if part == anyDepth && at&(1<<i) != 0 {
			at |= 1 << (i + 1)
		}
	}
	return at
}

// like reports whether name matches pattern, in which * matches any text. If a match
// fails it continues from the last *, which suffices.
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
