package codingagents

import "strings"

// redacted replaces a key.
const redacted = "[redacted]"

// redact removes a secret from a text that arrives in pieces.
type redact struct {
	secret string
	held   string // a possible beginning of the secret
}

// minSecret is the length of the shortest secret that is removed: removing a shorter
// one would hide large parts of normal text.
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

// rest returns the text that was held back.
func (r *redact) rest() string {
	held := r.held
	r.held = ""
	return held
}
