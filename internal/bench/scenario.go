package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// scenario is a measurement of its own that ends in one line.
type scenario struct {
	name, about string
	run         func(ctx context.Context, f *fleet) (string, error)
}

func scenarios() []scenario {
	return []scenario{
		{"drain", "queue 100,000 calls while no worker runs, then start one", drain},
		{"sleepers", "10,000 calls that sleep for a second, on one worker of 2,000 slots", sleepers},
		{"kill", "kill -9 a worker in the middle of a call", kill},
		{"start", "how soon processes are ready", start},
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
// what it measured as one line. A call that does not succeed is an error.
func Scenario(ctx context.Context, name string, opts Options) (line string, err error) {
	for _, s := range scenarios() {
		if s.name != name {
			continue
		}
		opts.sayf("%s: %s", s.name, s.about)
		f, err := newFleet(ctx, opts)
		if err != nil {
			return "", err
		}
		line, err := s.run(ctx, f)
		return line, errors.Join(err, f.close())
	}
	return "", fmt.Errorf("there is no such scenario; there is %s", ScenarioHelp())
}

// calls is how many calls a scenario makes.
func (f *fleet) calls(usual int) int {
	if f.opts.Calls > 0 {
		return f.opts.Calls
	}
	return usual
}
