package main

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/ports/confine"
	"github.com/helve-dev/helve/internal/x/device"
)

// safePart is the share of a machine's memory that stored messages may need.
const safePart = 2

// memoryPart compares the limits of the streams whose messages need memory of the NATS
// server with the available memory, if the server is on this machine.
func memoryPart(ctx context.Context, q *queue.Queue, opts queue.Options) confine.Part {
	p := confine.Part{Name: "nats_memory"}
	var most int64
	for _, stream := range []string{streams.Results, streams.Once, streams.Callbacks} {
		f, err := q.Fill(ctx, stream)
		if err != nil {
			p.Detail = "cannot see the streams: no dispatcher has prepared this NATS server, or the credentials are not a dispatcher's or a worker's"
			return p
		}
		if f.MaxMessages == 0 {
			p.Detail = stream + " may hold any number of messages, each of which needs memory; start a dispatcher of this version, which limits it"
			return p
		}
		most += f.MaxMessages * streams.KeptMessage
	}
	p.OK, p.Detail = true, fmt.Sprintf("up to %s for results, once-only records and callbacks", gib(most))
	memory := device.Memory()
	if opts.Local() && memory > 0 {
		p.Detail += " of the " + gib(memory) + " of this machine"
		if most > memory/safePart {
			p.OK = false
			p.Detail += "; lower streams.results_max_messages, streams.once_max_messages and callbacks.max_messages, or give NATS more memory"
		}
	}
	return p
}

func gib(n int64) string { return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30)) }
