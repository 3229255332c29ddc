package codingagents

import "strings"

// redacted stands where a key stood.
const redacted = "[redacted]"

// redact keeps a secret out of a text that comes in pieces.
type redact struct {
	secret string
	held   string // what may be the beginning of the secret
}

// minSecret is the shortest text that is taken for a key: a shorter one would
// blacken half of what is written.
const minSecret = 6

func (r *redact) write(text string) string {
	if len(r.secret) < minSecret {
		return text
	}
	all := strings.ReplaceAll(r.held+text, r.secret, redacted)
	n := min(len(all), len(r.secret)-1)
	for n > 0 && !strings.HasPrefix(r.secret, all[len(all)-n:]) {
		n--
	}
	r.held = all[len(all)-n:]
	return all[:len(all)-n]
}

// rest returns what was held back.
func (r *redact) rest() string {
	held := r.held
	r.held = ""
	return held
}
