package programs

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/ports/confine"
)

// Probe reports what this host offers to confine programs, by starting launchers. The
// first part reports whether programs run at all.
func (p *Programs) Probe(ctx context.Context) []confine.Part {
	runs := confine.Part{Name: "programs", Mandatory: true}
	best, err := p.space(ctx)
	switch {
	case p.options.Unconfined:
		runs.OK, runs.Detail = true, "run unconfined, as the operator wants it: they reach all that the worker does"
	case err != nil:
		runs.Detail = err.Error()
	default:
		runs.OK, runs.Detail = true, "confined; namespaces: "+best.name
	}
	parts := []confine.Part{runs}
	version, err := confine.LandlockVersion()
	part := confine.Part{Name: "programs_landlock", Mandatory: true, OK: err == nil, Detail: fmt.Sprintf("version %d", version)}
	if err != nil {
		part.Detail = err.Error()
	}
	parts = append(parts, part)
	for _, s := range spaces() {
		part := confine.Part{Name: "programs_in", OK: true, Detail: s.name}
		if err := p.try(ctx, &s); err != nil {
			part.OK, part.Detail = false, s.name+": "+err.Error()
		}
		parts = append(parts, part)
	}
	return parts
}
