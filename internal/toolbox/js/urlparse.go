package js

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// urlRecord is a URL in its parts, each in its escaped form.
type urlRecord struct {
	scheme             string
	username, password string
	host               string
	hasHost            bool
	port               string // empty for the scheme's default
	path               []string
	opaque             string // instead of path, as in mailto:a@b
	isOpaque           bool
	query, fragment    string
	hasQuery           bool
	hasFragment        bool
}

// defaultPort reports whether a scheme is one of the web's special schemes, and its
// port, which file does not have.
func defaultPort(scheme string) (port string, special bool) {
	switch scheme {
	case "http", "ws":
		return "80", true
	case "https", "wss":
		return "443", true
	case "ftp":
		return "21", true
	case "file":
		return "", true
	}
	return "", false
}

func isSpecial(scheme string) bool {
	_, special := defaultPort(scheme)
	return special
}

var schemePattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)

// parseURL parses a URL as browsers do, relative to base unless it is nil. The only
// difference is Windows paths: a drive letter is an ordinary name.
func parseURL(input string, base *urlRecord) (*urlRecord, bool) {
	input = strings.TrimFunc(input, func(c rune) bool { return c <= ' ' })
	input = withoutBreaks(input)
	u := &urlRecord{}
	rest, fragment, hasFragment := strings.Cut(input, "#")
	rest, query, hasQuery := strings.Cut(rest, "?")
	ok := u.readRest(rest, hasQuery, hasFragment, base)
	if hasQuery {
		u.query, u.hasQuery = escapeQuery(query, isSpecial(u.scheme)), true
	}
	if hasFragment {
		u.fragment, u.hasFragment = escape(fragment, fragmentSet), true
	}
	return u, ok
}

// withoutBreaks removes the characters that browsers remove anywhere.
func withoutBreaks(s string) string {
	return strings.Map(func(c rune) rune {
		if c == '\t' || c == '\n' || c == '\r' {
			return -1
		}
		return c
	}, s)
}

// readRest reads the part before query and fragment.
func (u *urlRecord) readRest(rest string, hasQuery, hasFragment bool, base *urlRecord) bool {
	scheme := schemePattern.FindString(rest)
	after := rest[len(scheme):]
	if scheme == "" {
		switch {
		case base == nil:
			return false
		case base.isOpaque:
			*u = *base
			return rest == "" && !hasQuery && hasFragment
		}
		u.scheme = base.scheme
		return u.readRelative(rest, hasQuery, base)
	}
	u.scheme = strings.ToLower(scheme[:len(scheme)-1])
	switch special := isSpecial(u.scheme); {
	case u.scheme == "file":
		if base == nil || base.scheme != "file" {
			base = &urlRecord{hasHost: true}
		}
		return u.readRelative(after, hasQuery, base)
	case special && base != nil && base.scheme == u.scheme && !strings.HasPrefix(after, "//"):
		return u.readRelative(after, hasQuery, base)
	case special:
		return u.readAuthority(strings.TrimLeft(after, `/\`))
	case strings.HasPrefix(after, "//"):
		return u.readAuthority(after[2:])
	case strings.HasPrefix(after, "/"):
		u.readPath(nil, after)
	default:
		u.opaque, u.isOpaque = escape(after, ""), true
	}
	return true
}

func (u *urlRecord) readRelative(rest string, hasQuery bool, base *urlRecord) bool {
	slashes := len(rest) - len(strings.TrimLeftFunc(rest, u.isSlash))
	switch {
	case slashes >= 2 && u.scheme == "file":
		return u.readAuthority(rest[2:])
	case slashes >= 2 && isSpecial(u.scheme):
		return u.readAuthority(rest[slashes:])
	case slashes >= 2:
		return u.readAuthority(rest[2:])
	}
	u.username, u.password, u.port = base.username, base.password, base.port
	u.host, u.hasHost = base.host, base.hasHost
	switch {
	case slashes > 0:
		u.readPath(nil, rest)
	case rest == "":
		u.path = slices.Clone(base.path)
		if !hasQuery {
			u.query, u.hasQuery = base.query, base.hasQuery
		}
		if u.scheme == "file" && len(u.path) == 0 {
			u.path = []string{""}
		}
	default:
		u.readPath(slices.Clone(base.path[:max(0, len(base.path)-1)]), rest)
	}
	return true
}

func (u *urlRecord) isSlash(c rune) bool { return c == '/' || c == '\\' && isSpecial(u.scheme) }

// readAuthority reads user, host, port and the path after them.
func (u *urlRecord) readAuthority(rest string) bool {
	authority, path := rest, ""
	if end := strings.IndexFunc(rest, u.isSlash); end >= 0 {
		authority, path = rest[:end], rest[end:]
	}
	place := authority
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		if place = authority[at+1:]; place == "" || u.scheme == "file" {
			return false
		}
		name, password, _ := strings.Cut(authority[:at], ":")
		u.username, u.password = escape(name, userinfoSet), escape(password, userinfoSet)
	}
	if !u.setPlace(place) {
		return false
	}
	u.readPath(nil, path)
	return true
}

// setPlace sets host and port, if both are valid.
func (u *urlRecord) setPlace(place string) bool {
	name, port := place, ""
	if colon := strings.LastIndexByte(place, ':'); colon > strings.LastIndexByte(place, ']') {
		name, port = place[:colon], place[colon+1:]
		if u.scheme == "file" || name == "" {
			return false
		}
	}
	if name == "" && isSpecial(u.scheme) && u.scheme != "file" {
		return false
	}
	host, ok := parseHost(name, isSpecial(u.scheme))
	if !ok {
		return false
	}
	if u.scheme == "file" && host == "localhost" {
		host = ""
	}
	before := u.port
	if !u.setPort(port) {
		u.port = before
		return false
	}
	u.host, u.hasHost = host, true
	return true
}

func (u *urlRecord) setPort(port string) bool {
	if strings.Trim(port, "0123456789") != "" {
		return false
	}
	u.port = ""
	if port == "" {
		return true
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if known, _ := defaultPort(u.scheme); err == nil && strconv.FormatUint(n, 10) != known {
		u.port = strconv.FormatUint(n, 10)
	}
	return err == nil
}

// readPath resolves a path against the base path.
func (u *urlRecord) readPath(path []string, rest string) {
	if rest == "" && !isSpecial(u.scheme) {
		u.path = nil
		return
	}
	if rest != "" && u.isSlash(rune(rest[0])) {
		rest = rest[1:]
	}
	for {
		end := strings.IndexFunc(rest, u.isSlash)
		segment := rest
		if end >= 0 {
			segment = rest[:end]
		}
		switch strings.ReplaceAll(strings.ToLower(segment), "%2e", ".") {
		case "..":
			path = path[:max(0, len(path)-1)]
			if end < 0 {
				path = append(path, "")
			}
		case ".":
			if end < 0 {
				path = append(path, "")
			}
		default:
			path = append(path, escape(segment, pathSet))
		}
		if end < 0 {
			u.path = path
			return
		}
		rest = rest[end+1:]
	}
}
