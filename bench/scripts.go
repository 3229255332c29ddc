package bench

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/tool"
)

// The scripts that run in every engine.
const (
	noopBody  = `return args.a`
	smallBody = `const seen = new Map();
for (const word of args.text.split(" ")) seen.set(word, (seen.get(word) || 0) + 1);
return [...seen].sort((a, b) => b[1] - a[1]).slice(0, 5);`
	noopArgs  = `{"a":"x"}`
	smallArgs = `{"text":"the quick brown fox jumps over the lazy dog and the cat looks at the dog"}`
	fibBody   = `const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2)); return fib(25);`
)

// asFile returns a body as an operator's file.
func asFile(body string) string { return "async function execute(args) {\n" + body + "\n}\n" }

// scripts measures JavaScript: in this process, in the sandbox, and in alternatives.
func scripts(ctx context.Context, f *fleet, s *Sheet) error {
	pool, err := sandbox.New(sandbox.Options{Program: f.opts.Child})
	if err != nil {
		return err
	}
	defer pool.Close()
	probes, err := scriptProbes(pool)
	if err != nil {
		return err
	}
	probes = append(probes, quickProbes()...)
	for range f.opts.Rounds {
		for _, p := range probes {
			if err := p.time(ctx, f.opts.Time/4); err != nil {
				return fmt.Errorf("%s: %w", p.about, err)
			}
		}
	}
	for _, p := range probes {
		s.put(p.name+"_p50_us", p.times.quantile(0.50), p.about)
		s.put(p.name+"_p99_us", p.times.quantile(0.99), "the same, 99th percentile")
	}
	for _, part := range []func() error{
		func() error { return cageFloor(ctx, f, s, probes) },
		func() error { return nodeEach(ctx, s) },
		func() error { return cageRate(ctx, f, s, pool) },
		func() error { return freshChildren(ctx, f, s) },
		func() error { return leakSeen(ctx, f, s, pool) },
		func() error { return cageLimits(ctx, s, f.opts.Child) },
		func() error { return bodies(ctx, f, s) },
		func() error { return manyScripts(s) },
	} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// scriptProbes returns those of goja, in this process and in the sandbox.
func scriptProbes(pool *sandbox.Pool) ([]*probe, error) {
	var probes []*probe
	for _, c := range []struct{ name, body, args string }{
		{"noop", noopBody, noopArgs}, {"small", smallBody, smallArgs}, {"fib25", fibBody, `{}`},
	} {
		here, err := js.Compile(c.name+".js", asFile(c.body))
		if err != nil {
			return nil, err
		}
		probes = append(probes,
			&probe{name: "js_" + c.name, about: c.name + ", in process", slow: c.body == fibBody, call: func(ctx context.Context) error {
				_, err := js.Run(ctx, &js.Task{Program: here, Function: "execute", Args: json.RawMessage(c.args)})
				return err
			}},
			&probe{name: "cage_" + c.name, about: c.name + ", in the sandbox", slow: c.body == fibBody, call: func(ctx context.Context) error {
				_, err := pool.Run(ctx, sandbox.Job{Tenant: "bench", Name: c.name, Code: c.body, Args: json.RawMessage(c.args)})
				return err
			}},
		)
	}
	bridged, err := js.Compile("bridged.js", asFile(`return typeof console.log + typeof fetch + typeof URL + typeof crypto`))
	if err != nil {
		return nil, err
	}
	return append(probes,
		&probe{name: "js_bridges", about: "four bridges named, in process", call: func(ctx context.Context) error {
			_, err := js.Run(ctx, &js.Task{Program: bridged, Function: "execute", Args: json.RawMessage(`{}`), Network: true, Host: mute{}})
			return err
		}},
		&probe{name: "cage_round_trip", about: "a call of another tool from the sandbox, answered immediately",
			call: func(ctx context.Context) error {
				_, err := pool.Run(ctx, sandbox.Job{
					Tenant: "bench", Name: "asks", Code: `return await utils.callTool("x", {})`, Args: json.RawMessage(`{}`), Host: mute{},
				})
				return err
			}},
	), nil
}

// mute is a host that answers everything with null.
type mute struct{}

// Do implements [js.Host].
func (mute) Do(context.Context, js.Op, json.RawMessage) (json.RawMessage, error) {
	return json.RawMessage("null"), nil
}

// expect returns an error if a run that must fail did not.
func expect(err error, kind tool.Kind) error {
	if err == nil || tool.AsError(err).Kind != kind {
		return fmt.Errorf("a run that must end in %s ended in %w", kind, err)
	}
	return nil
}
