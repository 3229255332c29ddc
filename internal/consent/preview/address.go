package preview

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// addresses warns of unusual parts of the addresses and paths in a text, and returns a
// remark with the ASCII form of the first host in another script. Secrets are already
// hidden in the text. The path is used only for warnings.
func (f *findings) addresses(path func() string, text string) (aside string) {
	found := 0
	for rest := text; ; {
		i := strings.Index(rest, "://")
		if i < 0 {
			break
		}
		rest = rest[i+len("://"):]
		authority := rest[:authorityEnd(rest)]
		if authority == "" {
			continue
		}
		found++
		if at := strings.LastIndexByte(authority, '@'); at >= 0 {
			authority = authority[at+1:]
			f.warn(path(), "the address has a part before '@' that is not its host, which is "+hostName(lookedUp(withoutPort(authority))))
		}
		if strings.HasPrefix(rest[len(authority):], `\`) {
			f.warn(path(), "the address has a backslash, which some programs read as a slash")
		}
		if name := f.host(path, authority); aside == "" && name != "" {
			aside = "host " + name
		}
	}
	f.schemeless(path, text)
	if strings.ContainsAny(text, " \t\r\n") {
		if found == 0 && spacedPath(text) {
			aside = f.resolve(path, text, aside)
		}
		return aside
	}
	if found == 0 {
		if name := f.host(path, bareHost(text)); name != "" {
			aside = "as a host " + name
		}
	}
	f.pathTricks(path, text)
	return f.resolve(path, text, aside)
}

// schemeless warns of addresses without a scheme, as programs such as curl take them, that
// have a part before their host: google.com@evil.example/x.
func (f *findings) schemeless(path func() string, text string) {
	for rest := text; ; {
		before, after, more := strings.Cut(rest, "@")
		if !more {
			return
		}
		rest = after
		end := authorityEnd(rest)
		from := strings.LastIndexAny(before, "/?#\\ \t\r\n\"'`<>{}|^") + 1
		if from == len(before) || strings.HasSuffix(before[:from], "://") || end == len(rest) || strings.IndexByte("/?#\\", rest[end]) < 0 {
			continue
		}
		host, port, ported := strings.Cut(rest[:end], ":")
		if ported && (port == "" || !numeric(port)) {
			continue // a file on another machine, as scp and git write it
		}
		if dot := strings.LastIndexByte(host, '.'); dot > 0 && len(host)-dot > 2 && strings.Trim(host[dot+1:], "0123456789") != "" {
			f.warn(path(), "the address has a part before '@' that is not its host, which is "+hostName(lookedUp(host)))
		}
	}
}

// resolve adds the resolved form of a path to the remark.
func (f *findings) resolve(path func() string, text, aside string) string {
	what := "as a path "
	if i := strings.Index(text, "://"); i >= 0 {
		rest := text[i+len("://"):]
		text, what = rest[authorityEnd(rest):], "its path "
		if end := strings.IndexAny(text, "?#"); end >= 0 {
			text = text[:end]
		}
	}
	to, odd, same := resolved(text)
	if same {
		return aside
	}
	if odd {
		f.warn(path(), "the path is "+hostName(to)+" when it is resolved")
	}
	if aside != "" {
		aside += "; "
	}
	return aside + what + hostName(to)
}

// bareHost returns the host of a text that is only a host, perhaps with a port or a mailbox
// before it, if a warning about it is due; else "".
func bareHost(text string) string {
	if ascii(text) && !strings.Contains(strings.ToLower(text), "xn--") {
		return ""
	}
	host := text[strings.LastIndexByte(text, '@')+1:]
	name, _, _ := strings.Cut(host, "/")
	name, _, _ = strings.Cut(name, ":")
	odd := func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.N, unicode.M) && !strings.ContainsRune("-_.。．｡", r)
	}
	last := strings.LastIndexAny(name, ".。．｡")
	if last <= 0 || strings.ContainsFunc(name, odd) {
		return ""
	}
	end := name[last:]
	if r, _ := utf8.DecodeLastRuneInString(end); unicode.IsDigit(r) || utf8.RuneCountInString(end) < 3 {
		return ""
	}
	return name
}

// pathTricks warns of names that change in a file system or by decoding twice.
func (f *findings) pathTricks(path func() string, text string) {
	text, _, _ = strings.Cut(text, "?")
	if doublyEncoded(text) {
		f.warn(path(), "holds %25 and two digits, which becomes another character when it is decoded twice")
	}
	if i := strings.Index(text, "://"); i >= 0 {
		rest := text[i+len("://"):]
		text = rest[authorityEnd(rest):]
	}
	if trailingDot(text) {
		f.warn(path(), "a name in the path ends in a dot, which some systems drop")
	}
}

// doublyEncoded reports whether an encoded percent sign would itself start an escape.
func doublyEncoded(text string) bool {
	for {
		i := strings.Index(text, "%25")
		if i < 0 {
			return false
		}
		text = text[i+len("%25"):]
		if len(text) >= 2 && isHex(text[0]) && isHex(text[1]) {
			return true
		}
	}
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// trailingDot reports whether a name in a path ends in a dot. A text without a slash is a
// path only if it has another dot, like a file name.
func trailingDot(text string) bool {
	names := strings.FieldsFunc(text, func(r rune) bool { return r == '/' || r == '\\' })
	for _, name := range names {
		base := strings.TrimRight(name, ".")
		if base != name && base != "" && (len(names) > 1 || strings.Contains(base, ".")) {
			return true
		}
	}
	return false
}
