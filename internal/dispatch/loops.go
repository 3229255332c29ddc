package dispatch

import "context"

// follow starts the loops that follow the state of NATS until ctx ends.
func (d *Dispatcher) follow(ctx context.Context) {
	go d.tendLanes(ctx)
}
