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
		{"sleepers", "10,000 calls that sleep for a second, on one worker of 2,000 slots", inWords(sleepers)},
		{"kill", "kill -9 a worker in the middle of a call", inWords(kill)},
		{"restarts", "two dispatchers behind a round-robin proxy, one of which is restarted every 5 s", restarts},
		{"start", "how soon processes are ready", inWords(start)},
		{"gate", "what policy, tokens and grants cost a call", gates},
		{"consent", "park 10,000 calls, wait, decide them all", consents},
		{"js", "scripts in process and in the cage, beside QuickJS and Node", scripts},
		{"toolbox", "pure tools beside one that does nothing", toolbox},
		{"audit", "20,000 records a second, sealed and indexed, then verified and asked for", audits},
		{"listeners", "1,000 open event streams and 1,000 MCP clients on one dispatcher", listeners},
	}
}

// inWords is a scenario that ends in one line.
func inWords(run func(context.Context, *fleet) (string, error)) func(context.Context, *fleet, *Sheet) error {
	return func(ctx context.Context, f *fleet, s *Sheet) (err error) {
		s.Text, err = run(ctx, f)
		return err
	}
}

// ScenarioHelp names the scenarios, for a command's help.
func ScenarioHelp() string {
	var parts []string
	for _, s := range scenarios() {
		parts = append(parts, fmt.Sprintf("%s (%s)", s.name, s.about))
	}
	return strings.Join(parts, ", ") + "."
}

// Scenario runs the scenario called name on processes of its own and returns
// what it measured. A call that does not succeed is an error, and so is
// anything that was lost or done twice.
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

// calls is how many calls a scenario makes.
func (f *fleet) calls(usual int) int {
	if f.opts.Calls > 0 {
		return f.opts.Calls
	}
	return usual
}
