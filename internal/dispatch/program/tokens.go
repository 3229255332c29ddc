package program

import (
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/bus/programs"
	"github.com/helve-dev/helve/internal/durable"
)

// aroundOf returns the programs around a program, the innermost first.
func aroundOf(k programs.Key, p *durable.Program) (keys []programs.Key) {
	for _, of := range p.Around {
		keys = append(keys, programs.Key{Tenant: k.Tenant, CallID: of.CallID})
	}
	return keys
}

// tokenFor returns a confirm token for a step of a program that names its tool, of those that
// persons have minted for the program or for one around it; empty for none. Its worker checks what
// else the token is bound to.
func (s *Service) tokenFor(k programs.Key, step *durable.Step) string {
	of := s.index.get(k)
	if of == nil {
		return ""
	}
	names := append([]string{step.Tool}, through(step)...)
	for _, key := range append([]programs.Key{k}, of.around...) {
		if of = s.index.get(key); of == nil {
			continue
		}
		for _, t := range slices.Backward(of.tokens) {
			if t.ExpiresMS > time.Now().UnixMilli() && slices.ContainsFunc(names, func(name string) bool { return slices.Contains(t.Tools, name) }) {
				return t.Text
			}
		}
	}
	return ""
}
