package child

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox/wire"
	"github.com/helve-dev/helve/tool"
)

// runner runs the jobs of a child.
type runner struct {
	inbox    inbox
	host     *host
	watchdog *watchdog
	programs map[uint64]*compiled
}

// compiled is a source that the pool sent: a program, or the error of compiling it.
type compiled struct {
	program    *js.Program
	err        error
	name, code string
	uses       json.RawMessage // once they were asked for
}

// work executes the orders of the pool, until it closes the stream.
func (c *runner) work() error {
	for {
		switch f, err := c.inbox.order(); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case f.Program != nil:
			c.learn(f.Program)
		case f.Run != nil:
			c.run(f.Run)
		}
	}
}

func (c *runner) learn(p *wire.Program) {
	for _, number := range p.Forget {
		delete(c.programs, number)
	}
	var program *js.Program
	var err error
	if p.Kind == wire.Body {
		program, err = js.CompileBody(p.Name, p.Code)
	} else {
		program, err = js.CompileDurable(p.Name, p.Code, p.Kind == wire.DurableTool)
	}
	c.programs[p.Number] = &compiled{program: program, err: err, name: p.Name, code: p.Code}
}

// run runs one job. If the answer cannot be sent the pool has ended, and the end of the
// stream ends this process.
func (c *runner) run(r *wire.Run) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c.watchdog.guard(r.Memory)
	c.host.begin(r.ID)
	done := &wire.Done{Run: r.ID}
	value, err := c.value(ctx, r)
	if err != nil {
		done.Error = wire.Fail(err)
	} else {
		done.Value = value
	}
	c.host.end()
	c.watchdog.rest()
	if err := c.host.out.Write(wire.Frame{Done: done}); err != nil {
		done.Value, done.Error = nil, wire.Fail(tool.Fail(tool.ExecutionError, "the result cannot be sent; return less"))
		_ = c.host.out.Write(wire.Frame{Done: done})
	}
}

func (c *runner) value(ctx context.Context, r *wire.Run) ([]byte, error) {
	known, ok := c.programs[r.Program]
	switch {
	case !ok:
		return nil, tool.Fail(tool.ExecutionError, "the sandbox has lost the script; try again")
	case known.err != nil:
		return nil, known.err
	case r.CompileOnly && r.Durable != nil:
		return known.survey(r.Durable.Tool)
	case r.CompileOnly:
		return []byte("null"), js.CheckBody(known.name, known.code, r.Network, r.Files)
	case r.Uses && r.Durable != nil:
		if err := c.tell(ctx, known, r.Durable.Tool); err != nil {
			return nil, err
		}
	}
	return js.Run(ctx, &js.Task{
		Program: known.program,
		Args:    r.Args,
		Context: r.Context,
		Durable: r.Durable,
		Network: r.Network,
		Files:   r.Files,
		Host:    c.host,
		Lib:     func(name string) (*js.Program, error) { return c.host.lib(ctx, name) },

		MaxOutput: r.Output,
	})
}

// survey returns the calls of tools that the code of a program names.
func (p *compiled) survey(durableTool bool) (json.RawMessage, error) {
	if p.uses != nil {
		return p.uses, nil
	}
	uses, err := js.Uses(p.name, p.code, durableTool)
	if err != nil {
		return nil, err
	}
	p.uses, err = json.Marshal(uses)
	return p.uses, err
}

// tell sends what the code uses to the host, which may refuse it.
func (c *runner) tell(ctx context.Context, p *compiled, durableTool bool) error {
	uses, err := p.survey(durableTool)
	if err != nil || string(uses) == "[]" {
		return err
	}
	_, err = c.host.Do(ctx, js.OpUses, uses)
	return err
}
