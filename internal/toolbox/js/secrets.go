package js

import (
	"cmp"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/helve-dev/helve/tool"
)

const (
	// shortestSecret is the length of the shortest value that is masked: shorter values
	// occur in every text.
	shortestSecret = 6
	concealed      = "•••"
)

// handed holds values that a script received and that must not appear in a log or an
// error, whose readers the script's author may not have considered. The results of a
// script are not masked.
type handed struct {
	mu    sync.Mutex
	known map[string]bool
	mask  *strings.Replacer // of all known values; nil if it must be rebuilt
}

// add records values, also in their escaped form.
func (s *handed) add(values ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, value := range values {
		for _, form := range []string{value, url.QueryEscape(value), url.PathEscape(value)} {
			if len(value) < shortestSecret || s.known[form] {
				continue
			}
			if s.known == nil {
				s.known = map[string]bool{}
			}
			s.known[form], s.mask = true, nil
		}
	}
}

// clean returns text without the recorded values.
func (s *handed) clean(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.known) == 0 {
		return text
	}
	if s.mask == nil {
		// The longest first, so that none leaves a rest of another.
		all := slices.SortedFunc(maps.Keys(s.known), func(a, b string) int {
			return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
		})
		var pairs []string
		for _, value := range all {
			pairs = append(pairs, value, concealed)
		}
		s.mask = strings.NewReplacer(pairs...)
	}
	return s.mask.Replace(text)
}

// Clean returns err without the values that the script received through these ports.
func (p *Ports) Clean(err error) error {
	e, ok := errors.AsType[*tool.Error](err)
	if !ok {
		return err
	}
	shown := *e
	shown.Msg = p.handed.clean(e.Msg)
	return &shown
}

// Conceal adds values that the script has from elsewhere, such as its environment.
func (p *Ports) Conceal(values ...string) { p.handed.add(values...) }
