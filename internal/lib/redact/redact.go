// Package redact removes the secrets of a service's entry from texts that may repeat them: what
// a provider answers ends in messages and in the log.
//
// It promises that a secret is found in the forms in which protocols send it back: as it is, in
// JSON, in a URL and in Base64, alone or with the name of its user. It does not find a secret
// that a provider has changed or cut, and one of fewer than [Shortest] characters is left.
package redact

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
)

// Shortest is the length in bytes of the shortest secret: a shorter one would be found in
// texts that have nothing to do with it.
const Shortest = 2

// Mark replaces a secret.
const Mark = "…"

// names are parts of the names of fields whose values are secrets.
var names = []string{"auth", "cookie", "credential", "key", "pass", "private", "pwd", "secret", "token"}

// Secrets are the texts to remove. The zero value removes nothing.
type Secrets struct{ forms []string }

// Add adds the secrets among the fields of an entry.
func (s *Secrets) Add(fields map[string]string) {
	user := cmp.Or(fields["user"], fields["username"], fields["email"], fields["from"])
	for name, value := range fields {
		if slices.ContainsFunc(names, func(part string) bool { return strings.Contains(strings.ToLower(name), part) }) {
			s.add(user, value)
			s.add(user, strings.TrimSpace(value))
		}
	}
	// A long form may contain a short one.
	slices.SortFunc(s.forms, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
}

func (s *Secrets) add(user, secret string) {
	if len(secret) < Shortest {
		return
	}
	forms := []string{secret, url.QueryEscape(secret), url.PathEscape(secret)}
	if quoted, err := json.Marshal(secret); err == nil {
		forms = append(forms, string(quoted[1:len(quoted)-1]))
	}
	for _, text := range []string{
		secret, user + ":" + secret, "\x00" + user + "\x00" + secret, user + "\x00" + user + "\x00" + secret,
		"user=" + user + "\x01auth=Bearer " + secret + "\x01\x01",
	} {
		forms = append(forms, base64.StdEncoding.EncodeToString([]byte(text)), base64.RawURLEncoding.EncodeToString([]byte(text)))
	}
	for _, form := range forms {
		if !slices.Contains(s.forms, form) {
			s.forms = append(s.forms, form)
		}
	}
}

// Text returns a text without the secrets.
func (s *Secrets) Text(text string) string {
	for _, form := range s.forms {
		text = strings.ReplaceAll(text, form, Mark)
	}
	return text
}

// Error returns an error whose text has no secret; what it wraps stays available.
func (s *Secrets) Error(err error) error {
	if text, found := s.in(err); found {
		return &quiet{text, err}
	}
	return err
}

// Last is Error for an error that is only shown from here on: it wraps nothing in which a
// secret could still be.
func (s *Secrets) Last(err error) error {
	if text, found := s.in(err); found {
		return errors.New(text)
	}
	return err
}

// in returns the text of an error without the secrets, and reports whether it has some. The
// errors of some libraries panic when they are printed.
func (s *Secrets) in(err error) (text string, found bool) {
	if err == nil || len(s.forms) == 0 {
		return "", false
	}
	defer func() {
		if recover() != nil {
			text, found = "an error that cannot be printed", true
		}
	}()
	before := err.Error()
	text = s.Text(before)
	return text, text != before
}

// quiet is an error whose text has no secrets.
type quiet struct {
	text string
	err  error
}

// Error returns the text without secrets.
func (q *quiet) Error() string { return q.text }

// Unwrap returns the error itself.
func (q *quiet) Unwrap() error { return q.err }
