package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/ports/confine"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/internal/toolbox/sandbox/child"
)

// trialPart runs a script as a worker would, because the parts may exist but not work
// together.
func trialPart(ctx context.Context, cfg config.Config) confine.Part {
	p := confine.Part{Name: "trial", Mandatory: true}
	o := sandbox.Options{Slots: 1}
	if cfg.Sandbox.Program != "" {
		o.Program = []string{cfg.Sandbox.Program, child.Argument}
	}
	began := time.Now()
	pool, err := sandbox.New(o)
	if err != nil {
		p.Detail = err.Error()
		return p
	}
	defer pool.Close()
	if _, err := pool.Run(ctx, sandbox.Job{Tenant: "doctor", Name: "trial", Code: "return args", Args: json.RawMessage("{}")}); err != nil {
		p.Detail = err.Error()
		return p
	}
	p.OK, p.Detail = true,
		"a script ran in a locked-down child, "+time.Since(began).Round(time.Millisecond).String()+" from its start to its answer"
	return p
}
