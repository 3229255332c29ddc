//go:build linux

package programs

import (
	"context"
	"testing"
)

// Spaces returns the names of the sets of namespaces that work on this host.
func Spaces(t testing.TB, o Options) (names []string) {
	t.Helper()
	p := New(o)
	for _, s := range spaces() {
		if err := p.try(t.Context(), &s); err == nil {
			names = append(names, s.name)
		} else {
			t.Logf("%s: %v", s.name, err)
		}
	}
	return names
}

// In has p start programs in the set of that name.
func (p *Programs) In(name string) *Programs {
	for _, s := range spaces() {
		if s.name == name {
			p.found = &s
		}
	}
	return p
}

// Space is the name of the set that p has found.
func (p *Programs) Space(ctx context.Context) (string, error) {
	s, err := p.space(ctx)
	if err != nil {
		return "", err
	}
	return s.name, nil
}
