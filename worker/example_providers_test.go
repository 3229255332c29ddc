package worker_test

import (
	"context"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/worker"
)

// Add tools while the worker runs, such as those that a service offers at the moment. They
// may be for some agents only.
func ExampleProviders_Add() { //nolint:testableexamples // Main runs until it is told to stop
	worker.Program{
		Started: func(ctx context.Context, providers *worker.Providers) error {
			return providers.Add(ctx, worker.Provider{
				Name: "greetings", Tools: greetings.Tools(),
				For: &tool.Contexts{Agents: []string{"receptionist"}},
			})
		},
	}.Main()
}
