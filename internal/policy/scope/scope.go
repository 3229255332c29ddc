// Package scope decides what a call may reach according to its scopes.
//
// A call gets scopes from several sides: its tool's definition, rules of the policy,
// the confirm token and the grant that let it run. Each side can only narrow, so what a
// call reaches must be within every one of them. Within one [tool.Scopes] an empty list
// of a kind does not restrict that kind.
//
// # The forms of an entry
//
//	paths  workspace, .       all of it
//	       notes, notes/a.md  that file, or that directory and everything below it;
//	                          workspace/notes is the same as notes
//	       notes/*.md         * stands for any part of one name. An entry that
//	                          ends in a name with * matches the files and
//	                          directories of that name, not their contents
//	       notes/**, **/a.md  ** matches any number of names, including none
//	hosts  *                  every host
//	       example.com        that name, not its subdomains
//	       *.example.com      its subdomains, not the name itself
//	       192.0.2.1, ::1     that address
//	       HOST:PORT          any of these at one port; without it at every port
//	                          (the guard closes the ports of services that tools must not use)
//	apps   org.example.Mail   that app
//	       org.example.*      every app whose name has this prefix
//
// Hosts are compared in ASCII and lower case without a dot at the end; paths and apps
// byte by byte, so that a difference in case or in Unicode spelling is refused.
//
// # What it promises
//
// In doubt it refuses: an entry that [Check] refuses allows nothing. A refusal lists
// what is allowed. Calls without a restriction cost no allocation.
//
// # What it does not promise
//
// It checks names only. The ports ensure that a path is not reached through a link, and
// check redirects.
package scope

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// Check returns an error that names every invalid entry of s. An invalid entry allows
// nothing.
func Check(s tool.Scopes) error {
	var errs []error
	for _, kind := range []struct {
		name    string
		entries []string
		check   func(string) error
	}{
		{"path", s.Paths, func(e string) error { _, err := parsePath(e); return err }},
		{"host", s.Hosts, func(e string) error { _, err := parseHost(e); return err }},
		{"app", s.Apps, checkApp},
	} {
		for _, entry := range kind.entries {
			if err := kind.check(entry); err != nil {
				errs = append(errs, fmt.Errorf("%s scope %q: %w", kind.name, entry, err))
			}
		}
	}
	return errors.Join(errs...)
}

// written refuses entries that are certainly mistakes, of any kind.
func written(entry string) error {
	switch {
	case strings.TrimSpace(entry) == "":
		return errors.New("it is empty; leave it out")
	case strings.TrimSpace(entry) != entry:
		return errors.New("it begins or ends with a space")
	case strings.ContainsFunc(entry, unicode.IsControl):
		return errors.New("it holds a control character")
	}
	return nil
}

// Limits of the text of a refusal.
const (
	maxListed = 5
	maxShown  = 100
)

// allowed returns the end of a refusal: the allowed values.
func allowed(entries []string) string {
	shown := make([]string, 0, maxListed)
	for _, entry := range entries[:min(len(entries), maxListed)] {
		shown = append(shown, clip(entry))
	}
	list := strings.Join(shown, ", ")
	if more := len(entries) - maxListed; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

func clip(s string) string { return textcut.Clip(s, maxShown) }
