package js

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/dop251/goja"
	"github.com/google/uuid"
)

// validationRow returns true or false, and false for all values that are not strings.
var validationRow = row{
	"isEmail": validate(isEmail),
	"isUrl":   validate(isURL),
	"isJson":  validate(func(text string) bool { return json.Valid([]byte(text)) }),
	"isUuid":  validate(func(text string) bool { return len(text) == 36 && uuid.Validate(text) == nil }),
}

func validate(is func(string) bool) func(use) goja.Value {
	return func(u use) goja.Value {
		s, ok := u.Argument(0).(goja.String)
		return u.value(ok && s.Length() <= maxText && is(s.String()))
	}
}

// The parts of an address, by RFC 5321 and 6531, without quoted names and numeric
// hosts. Compiling them takes a millisecond, which every child of a sandbox would pay
// at its start, so the first use compiles them.
var (
	mailName = pattern(`^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_{|}~\x60-]+(\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_{|}~\x60-]+)*$`)
	mailHost = pattern(`^([\p{L}\p{M}\p{N}]([\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.)+\p{L}([\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])$`)
)

func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// isEmail accepts name@host.tld.
func isEmail(text string) bool {
	name, host, _ := strings.Cut(text, "@")
	return len(text) <= 254 && len(name) <= 64 && mailName().MatchString(name) && mailHost().MatchString(host)
}

// urlSchemes lists the schemes of addresses with a host, which javascript: and data:
// are not.
var urlSchemes = []string{"http", "https", "ftp", "ws", "wss"}

// isURL accepts an absolute address with a host.
func isURL(text string) bool {
	if strings.ContainsAny(text, " \t\r\n\"<>\\^`{|}") {
		return false
	}
	u, err := url.Parse(text)
	return err == nil && slices.Contains(urlSchemes, u.Scheme) && u.Hostname() != ""
}
