package preview

import (
	"bytes"
	"slices"
	"strings"
)

// programs are programs with a short option for a secret. The option alone is ambiguous:
// mkdir -p and mysql -p differ. Attached are the options with the secret directly after
// them, apart those with it in the next word.
var programs = map[string]struct{ attached, apart []string }{
	"mysql": {attached: []string{"-p"}}, "mysqldump": {attached: []string{"-p"}}, "mysqladmin": {attached: []string{"-p"}},
	"mysqlimport": {attached: []string{"-p"}}, "mysqlsh": {attached: []string{"-p"}},
	"mariadb": {attached: []string{"-p"}}, "mariadb-dump": {attached: []string{"-p"}}, "mariadb-admin": {attached: []string{"-p"}},
	"sshpass": {attached: []string{"-p"}, apart: []string{"-p"}},
	"mongo":   {apart: []string{"-p"}}, "mongosh": {apart: []string{"-p"}}, "mongodump": {apart: []string{"-p"}},
	"mongorestore": {apart: []string{"-p"}},
	"redis-cli":    {apart: []string{"-a"}}, "docker": {apart: []string{"-p"}}, "podman": {apart: []string{"-p"}},
	"helm": {apart: []string{"-p"}},
	"7z":   {attached: []string{"-p"}}, "7za": {attached: []string{"-p"}}, "7zr": {attached: []string{"-p"}},
	"rar": {attached: []string{"-p", "-hp"}}, "unrar": {attached: []string{"-p"}},
	"zip": {apart: []string{"-P"}, attached: []string{"-P"}}, "unzip": {apart: []string{"-P"}, attached: []string{"-P"}},
	"ldapsearch": {apart: []string{"-w"}, attached: []string{"-w"}}, "ldapmodify": {apart: []string{"-w"}, attached: []string{"-w"}},
	"sqlcmd": {apart: []string{"-P"}, attached: []string{"-P"}}, "bcp": {apart: []string{"-P"}, attached: []string{"-P"}},
	"htpasswd": {}, "openssl": {apart: []string{"-k", "-K"}}, "az": {apart: []string{"-p"}}, "oc": {apart: []string{"-p"}},
}

// login are the options that take USER:PASSWORD.
var login = map[string]bool{"-u": true, "--user": true, "--proxy-user": true, "-U": true, "--http-user": true}

// published are the subcommands whose -p is not a password.
var published = map[string]bool{"run": true, "create": true, "ps": true, "port": true, "compose": true, "exec": true}

// command records the program whose arguments follow.
func (s *scan) command(from, end int) {
	word := s.text[from:end]
	if _, known := programs[word]; known {
		s.program = word
	} else if (s.program == "docker" || s.program == "podman") && published[word] {
		s.program = ""
	}
}

// option hides the secret of a short option, and the password in -u USER:PASSWORD.
// It reports whether it hid one.
func (s *scan) option(from, end int) bool {
	word := s.text[from:end]
	if !strings.HasPrefix(word, "-") || from > 0 && strings.IndexByte(" \t\"'=,[(\n", s.text[from-1]) < 0 {
		return false
	}
	if login[word] && s.login(end) {
		return true
	}
	if attached, ok := strings.CutPrefix(word, "-u"); ok && attached != "" && s.curl && strings.HasPrefix(s.text[end:], ":") {
		return s.value(end+1, 0)
	}
	p := programs[s.program]
	if slices.Contains(p.apart, word) {
		start, mark := behind(s.text, end)
		return start > end && s.value(start, mark)
	}
	for _, o := range p.attached {
		if strings.HasPrefix(word, o) && len(word) > len(o) {
			return s.value(from+len(o), 0)
		}
		if word == o && end < len(s.text) && s.text[end] > ' ' { // the secret begins with a sign
			start := run(s.text, end, isQuote)
			var mark byte
			if start > end {
				mark = s.text[start-1]
			}
			return s.value(start, mark)
		}
	}
	return false
}

// login hides the text after the colon, or the percent sign, of a user's name.
func (s *scan) login(end int) bool {
	start, mark := behind(s.text, end)
	if start <= end {
		return false
	}
	stop := valueEnd(s.text, start, mark)
	at := strings.IndexAny(s.text[start:stop], ":%")
	if at < 0 || at == 0 || numeric(s.text[start:start+at]) || strings.HasPrefix(s.text[start+at:], "://") {
		return false
	}
	return s.value(start+at+1, mark)
}

// value hides a value up to its end.
func (s *scan) value(from int, mark byte) bool {
	stop := valueEnd(s.text, from, mark)
	if stop <= from || strings.Contains(s.text[from:stop], "://") { // an address is shown
		return false
	}
	s.hide(from, stop)
	return true
}

// behind returns the start of the word after an option, and the quote before it.
func behind(text string, end int) (start int, mark byte) {
	i := run(text, end, isSpace)
	if i == end && i < len(text) && text[i] == '=' {
		i++
	}
	start = run(text, i, isQuote)
	if start > i && text[start-1] != '\\' {
		mark = text[start-1]
	}
	return start, mark
}

func numeric(text string) bool { return strings.Trim(text, "0123456789") == "" }

// fragment hides the fragment of an address unless it is a plain name: the values of
// name=value, and every generated text. It is not sent to servers.
func (s *scan) fragment() {
	from := s.at + 1
	end := min(len(s.text), from+maxFragment)
	if size := strings.IndexAny(s.text[from:end], "#\\ \t\r\n\"'`<>{}|^"); size >= 0 {
		end = from + size
	}
	text := s.text[from:end]
	s.at, s.url = from, false
	if !strings.Contains(text, "=") {
		if madeUp(text) {
			s.hide(from, end)
		}
		return
	}
	for part := range strings.SplitSeq(text, "&") {
		if name, value, ok := strings.Cut(part, "="); ok && value != "" {
			s.hide(from+len(name)+1, from+len(part))
		}
		from += len(part) + 1
	}
}

// maxFragment bounds the examined bytes of one fragment.
const maxFragment = 4096

// madeUp reports whether a text looks generated: it has a run of 16 or more letters, digits
// and signs of base64 with both letters and digits.
func madeUp(text string) bool {
	length, letter, digit := 0, false, false
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			digit = true
		case inWord(c) && c != '-' && c != '_', c == '%', c == '+':
			letter = true
		case c == '-', c == '_', c == '.', c == '~':
		default:
			length, letter, digit = 0, false, false
			continue
		}
		if length++; length >= 16 && letter && digit {
			return true
		}
	}
	return false
}

// programIn returns the program that a string of the arguments names, "" for none: its
// options may be in another string.
func programIn(args []byte) string {
	found := ""
	for name := range programs {
		if bytes.Contains(args, []byte(`"`+name+`"`)) && (found == "" || name < found) {
			found = name
		}
	}
	return found
}
