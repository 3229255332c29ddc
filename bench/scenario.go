package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// scenario is a measurement of its own.
type scenario struct {
	name, about string
	run         func(ctx context.Context, f *fleet, s *Sheet) error
}

func scenarios() []scenario {
	return []scenario{
		{"drain", "queue 100,000 calls while no worker runs, then start one", inWords(drain)},
		{"growth", "10,000,000 calls, and the memory of every process after each 100,000", growth},
		{"fairness", "20 quiet tenants alone, and beside a tenant with 100,000 queued calls", fairness},
		{"sleepers", "10,000 calls that sleep for a second, on one worker of 2,000 slots", inWords(sleepers)},
		{"kill", "kill -9 a worker in the middle of a call", inWords(kill)},
		{
			"recovery",
			"kill -9 a worker, a dispatcher and a NATS server with 1,000,000 queued calls; the rate with three copies beside that with one",
			recovery,
		},
		{"restarts", "two dispatchers behind a round-robin proxy, one of which is restarted every 5 s", restarts},
		{"sizing", "CPU of every process and bytes of every stream for a call, and memory of idle processes", sizing},
		{"rolling", "restart dispatchers, workers and the servers of a cluster one after the other under 2,000 calls/s", rolling},
		{"autoscale", "bursts of calls while 1 to 20 workers are started and stopped by the backlog", autoscale},
		{"start", "how soon processes are ready", inWords(start)},
		{"gate", "what policy, tokens and grants cost a call", gates},
		{"consent", "park 10,000 calls, wait, decide them all", consents},
		{"js", "scripts in process and in the sandbox, beside QuickJS and Node", scripts},
		{"toolbox", "pure tools beside a tool that does nothing", toolbox},
		{"data", "tools of personal data beside a tool that does nothing, by 1 and by 64 callers", data},
		{"rows", "1,000,000 documents of 1,000 users in the store of personal data: lists, filters and searches of one user", rows},
		{"outward", "tools that ask a server, by 64 callers, beside a tool that does nothing; 2,000 calls that wait for a server", outwards},
		{"schedules", "10,000 scheduled tasks that are due at one moment, and some that are due alone", schedules},
		{"audit", "20,000 records a second, sealed and indexed, then verified and asked for", audits},
		{
			"console",
			"the lists of the console after 1,000,000 calls while 10,000 wait for people, and 2,000 open consoles on one dispatcher", consoles,
		},
		{"programs", "programs beside the calls that they make, how soon they wake, and 10,000 that wait", programs},
		{"listeners", "1,000 open event streams and 1,000 MCP clients on one dispatcher", listeners},
	}
}

// inWords returns a scenario whose result is one line.
func inWords(run func(context.Context, *fleet) (string, error)) func(context.Context, *fleet, *Sheet) error {
	return func(ctx context.Context, f *fleet, s *Sheet) (err error) {
		s.Text, err = run(ctx, f)
		return err
	}
}

// ScenarioHelp lists the scenarios, for a command's help.
func ScenarioHelp() string {
	var parts []string
	for _, s := range scenarios() {
		parts = append(parts, fmt.Sprintf("%s (%s)", s.name, s.about))
	}
	return strings.Join(parts, ", ") + "."
}

// Scenario runs the scenario called name with its own processes and returns its
// results. A call that does not succeed is an error, and so is anything that was lost
// or done twice.
func Scenario(ctx context.Context, name string, opts Options) (sheet *Sheet, err error) {
	for _, s := range scenarios() {
		if s.name != name {
			continue
		}
		opts.sayf("%s: %s", s.name, s.about)
		sheet := &Sheet{Scenario: name, Machine: ThisMachine(), Load: loadAverage()}
		f, err := newFleet(ctx, opts)
		if err != nil {
			return nil, err
		}
		if err := errors.Join(s.run(ctx, f, sheet), f.close()); err != nil {
			return nil, err
		}
		return sheet, nil
	}
	return nil, fmt.Errorf("there is no such scenario; there is %s", ScenarioHelp())
}

// calls returns the number of calls of a scenario.
func (f *fleet) calls(usual int) int {
	if f.opts.Calls > 0 {
		return f.opts.Calls
	}
	return usual
}
