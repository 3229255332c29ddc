package bench

import (
	"slices"

	"github.com/helve-dev/helve/bench/storm"
)

// Faults returns o with the programs for a run under faults, all of them roles of the
// command line node.
func Faults(node []string, o storm.Options) storm.Options {
	o.Broker = func(addr, dir string, routes []string) []string {
		return slices.Concat(node, []string{roleBroker, dir, addr}, routes)
	}
	o.Dispatcher, o.Worker = slices.Concat(node, []string{roleDispatcher}), slices.Concat(node, []string{roleWorker})
	o.Process = dieWithParent()
	return o
}
