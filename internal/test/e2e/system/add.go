package system

import (
	"context"
	"fmt"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/app/dispatcher"
	"github.com/helve-dev/helve/internal/tools"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/worker"
	"github.com/helve-dev/helve/worker/parts"
)

// AddWorker starts one more worker and returns a function that drains it.
func (s *System) AddWorker() (drain func() error, err error) {
	program := s.plan.Program
	program.Sets, program.Parts = append(tools.Builtin(), contractTools()), parts.All()
	return s.embed(program, s.Config)
}

// AddOwnWorker starts a worker that has only the tools of some sets and returns a function
// that drains it.
func (s *System) AddOwnWorker(t testing.TB, set *tool.Set, change func(*config.Config), more ...*tool.Set) (drain func() error) {
	t.Helper()
	cfg := s.Config
	cfg.Diagnostics, cfg.ToolsDirs = false, nil
	if change != nil {
		change(&cfg)
	}
	drain, err := s.embed(worker.Program{Sets: append(more, set)}, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return drain
}

// embed starts a worker of a program.
func (s *System) embed(program worker.Program, cfg config.Config) (drain func() error, err error) {
	p, _, err := s.add("worker", func(ctx context.Context, ready func(string)) error {
		return program.Embed(ctx, cfg, s.Kit, ready)
	})
	return p.drain, err
}

// AddDispatcher starts one more dispatcher, the next of URLs, and returns a function that
// drains it. The first one shares its telemetry with the workers, unless
// the plan has them apart.
func (s *System) AddDispatcher() (drain func() error, err error) {
	kit := s.Kit
	if len(s.URLs) > 0 || s.plan.Apart {
		if kit, err = s.newKit("dispatcher"); err != nil {
			return nil, err
		}
	}
	cfg := s.Config
	p, url, err := s.add("dispatcher", func(ctx context.Context, ready func(string)) error {
		return dispatcher.Run(ctx, cfg, kit, ready, s.plan.Options)
	})
	s.URLs, s.Drains = append(s.URLs, url), append(s.Drains, p.drain)
	return p.drain, err
}

// add starts a process, which is drained with the system.
func (s *System) add(kind string, run func(ctx context.Context, ready func(string)) error) (*process, string, error) {
	name := fmt.Sprintf("%s %d of %s", kind, len(s.stops), s.dir)
	p, address, err := spawn(name, run)
	s.onStop(name, p.drain)
	if err != nil {
		err = fmt.Errorf("%w\nthe log ends with:\n%s", err, s.Logs.tail())
	}
	return p, address, err
}
