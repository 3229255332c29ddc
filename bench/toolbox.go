package bench

import (
	"bytes"
	"context"
	"fmt"

	"github.com/nats-io/nats.go"
)

// example is a call of a tool.
type example struct{ tool, arguments string }

// pure lists tools that only compute, after a tool that does nothing.
var pure = []example{
	{"debug.echo", `{"value":1}`},
	{"calculate", `{"expression":"15% of 80 + sqrt(2)"}`},
	{"convert_units", `{"value":26.2,"from":"mi","to":"km"}`},
	{"text_stats", `{"text":"The quick brown fox jumps over the lazy dog."}`},
}

// toolboxSlices is the number of slices in which each tool is timed: other load of the
// machine then affects all alike.
const toolboxSlices = 8

// toolbox times calls of pure tools over NATS in comparison with a tool that does
// nothing, by one caller.
func toolbox(ctx context.Context, f *fleet, s *Sheet) error { return timeTools(ctx, f, s, pure) }

// timeTools times all of the calls in comparison with the first.
func timeTools(ctx context.Context, f *fleet, s *Sheet, calls []example) error {
	if _, err := f.worker(ctx); err != nil {
		return err
	}
	if _, err := f.dispatcher(ctx); err != nil {
		return err
	}
	nc, err := nats.Connect(f.nats, nats.Name("helve-bench"))
	if err != nil {
		return err
	}
	defer nc.Close()
	probes := make([]probe, len(calls))
	for i, p := range calls {
		body := fmt.Appendf(nil, `{"calls":[{"tool":%q,"arguments":%s}]}`, p.tool, p.arguments)
		probes[i] = probe{name: p.tool, call: func(context.Context) error { return callTool(nc, body) }}
	}
	for range f.opts.Rounds * toolboxSlices {
		for i := range probes {
			if err := probes[i].time(ctx, f.opts.Time/toolboxSlices); err != nil {
				return fmt.Errorf("%s: %w", probes[i].name, err)
			}
		}
	}
	noop := probes[0].times.quantile(0.50)
	s.put("noop_p50_us", noop, "a tool that does nothing, over NATS by one caller, median")
	for i := range probes[1:] {
		p := &probes[i+1]
		took := p.times.quantile(0.50)
		s.put(p.name+"_p50_us", took, "")
		s.put(p.name+"_of_noop", took/noop, "of the time of the tool that does nothing")
	}
	return nil
}

func callTool(nc *nats.Conn, body []byte) error {
	reply, err := nc.Request("helve.v1.default.api.execute", body, callTimeout)
	if err != nil {
		return err
	}
	if !bytes.Contains(reply.Data, success) {
		return fmt.Errorf("the call did not succeed: %s %.500s", reply.Header.Get("Nats-Service-Error"), reply.Data)
	}
	return nil
}
