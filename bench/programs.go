package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/helve-dev/helve/client"
)

const (
	programSteps = 1000
	programOnce  = 100 // calls, and programs of one step, that are made one after the other
	programWakes = 20
	// programsAsleep is the number of programs that wait while memory is measured.
	programsAsleep = 10_000
	programLimit   = 5 * time.Minute
	// programPatience is the longest wait for the end of one program.
	programPatience = time.Minute
)

// programs measures what programs add to the calls that they make, beside the same calls made by
// a caller: one step, many after each other, many at the same time; how soon a program goes on
// after a person's answer, with a short and with a long journal; and what waiting programs hold.
func programs(ctx context.Context, f *fleet, s *Sheet) error {
	f.settings = append(f.settings, "HELVE_DURABLE_MAX_WAITING=20000", "HELVE_DURABLE_MAX_WAITING_TENANT=20000")
	if _, err := f.worker(ctx); err != nil {
		return err
	}
	dispatcher, err := f.dispatcher(ctx)
	if err != nil {
		return err
	}
	c, err := client.New(f.nats)
	if err != nil {
		return err
	}
	defer c.Close()
	p := programming{c, f, s}
	steps := min(programSteps, f.calls(programSteps))
	for _, part := range []func(context.Context, int) error{p.one, p.sequence, p.parallel, p.wakes} {
		if err := part(ctx, steps); err != nil {
			return err
		}
	}
	return p.asleep(ctx, dispatcher, f.calls(programsAsleep))
}

// programming is a caller that measures programs.
type programming struct {
	c *client.Client
	f *fleet
	s *Sheet
}

// call makes one call and waits for its end.
func (p programming) call(ctx context.Context, id, tool string, args any) error {
	res, err := p.c.Execute(ctx, client.Request{
		Context: client.Context{User: "ann"}, Wait: programPatience, Consent: client.ConsentWait,
		Calls: []client.Call{{ID: id, Tool: tool, Arguments: args}},
	})
	if err != nil {
		return err
	}
	if r := res.Results[0]; r.Status != "success" {
		return fmt.Errorf("%s ended in %s %s: %s", tool, r.Status, r.ErrorType, r.Message)
	}
	return nil
}

func (p programming) run(ctx context.Context, id, code string) error {
	return p.call(ctx, id, "run_program", map[string]string{"code": code})
}

func (p programming) echo(ctx context.Context) error {
	return p.call(ctx, "", "debug.echo", map[string]int{"value": 1})
}

// middle returns the median time of something that is done n times, in microseconds.
func middle(n int, do func() error) (float64, error) {
	var times histogram
	for range n {
		began := time.Now()
		if err := do(); err != nil {
			return 0, err
		}
		times.add(time.Since(began))
	}
	return times.quantile(0.5), nil
}

// one compares a call with a program that makes it.
func (p programming) one(ctx context.Context, n int) error {
	n = min(n, programOnce)
	if err := errors.Join(p.echo(ctx), p.run(ctx, "", "return 1")); err != nil { // the first of each opens what they need
		return err
	}
	call, err := middle(n, func() error { return p.echo(ctx) })
	if err != nil {
		return err
	}
	nested, err := middle(n, func() error { return p.run(ctx, "", "return await tools.debug.echo({value: 1})") })
	if err != nil {
		return err
	}
	p.s.put("call_p50_us", call, "a call, median of one caller")
	p.s.put("program_p50_us", nested, "a program that makes that call, median of one caller")
	p.s.put("program_per_call", nested/call, "the second in terms of the first")
	return nil
}

// rate returns how many of n calls are made a second.
func rate(n int, do func() error) (float64, error) {
	began := time.Now()
	err := do()
	return float64(n) / time.Since(began).Seconds(), err
}

// sequence compares calls after each other with steps after each other.
func (p programming) sequence(ctx context.Context, n int) error {
	calls, err := rate(n, func() error {
		for range n {
			if err := p.echo(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	steps, err := rate(n, func() error {
		return p.run(ctx, "", fmt.Sprintf("for (let i = 0; i < %d; i++) await tools.debug.echo({value: 1})", n))
	})
	p.s.put("calls_per_s", calls, fmt.Sprintf("%d calls of one caller, one after the other", n))
	p.s.put("steps_per_s", steps, "as many steps of one program, one after the other")
	p.s.put("steps_per_call", steps/calls, "the second in terms of the first")
	return err
}

// parallelCallers is the number of callers, and of steps at the same time.
const parallelCallers = 64

// parallel compares callers at the same time with steps at the same time.
func (p programming) parallel(ctx context.Context, n int) error {
	rounds := max(1, n/parallelCallers)
	n = rounds * parallelCallers
	calls, err := rate(n, func() error {
		failed := make([]error, parallelCallers)
		var all sync.WaitGroup
		for i := range failed {
			all.Go(func() {
				for range rounds {
					failed[i] = errors.Join(failed[i], p.echo(ctx))
				}
			})
		}
		all.Wait()
		return errors.Join(failed...)
	})
	if err != nil {
		return err
	}
	steps, err := rate(n, func() error {
		return p.run(ctx, "", fmt.Sprintf(
			"for (let i = 0; i < %d; i++) await Promise.all(Array.from({length: %d}, () => tools.debug.echo({value: 1})))", rounds, parallelCallers))
	})
	p.s.put("parallel_calls_per_s", calls, fmt.Sprintf("%d calls of %d callers", n, parallelCallers))
	p.s.put("parallel_steps_per_s", steps, fmt.Sprintf("as many steps of one program, %d at the same time", parallelCallers))
	p.s.put("parallel_steps_per_call", steps/calls, "the second in terms of the first")
	return err
}

// wakes measures how soon a program goes on after its person has answered: one with nothing in its
// journal, and one with as many entries as steps.
func (p programming) wakes(ctx context.Context, n int) error {
	const ask = "await program.ask('Go on?', {type: 'boolean'})"
	short, err := p.wake(ctx, programWakes, "short", ask)
	if err != nil {
		return err
	}
	const steps = "for (let i = 0; i < %d; i++) await tools.debug.echo({value: 1});"
	long, err := p.wake(ctx, programWakes/4, "long", fmt.Sprintf(steps, n)+ask)
	p.s.put("wake_p50_ms", short/1000, "from a person's answer to the end of the program that it wakes, median")
	p.s.put("wake_replay_p50_ms", long/1000, fmt.Sprintf("the same with %d steps in the journal", n))
	return err
}

func (p programming) wake(ctx context.Context, times int, name, code string) (float64, error) {
	var took histogram
	for i := range times {
		id := fmt.Sprintf("wake-%s-%d", name, i)
		consent, err := p.waiting(ctx, id, code)
		if err != nil {
			return 0, err
		}
		began := time.Now()
		_, err = p.c.Decide(ctx, consent, client.Decision{Grant: true, Answer: json.RawMessage(`{"answer":true}`)})
		if err == nil {
			err = p.run(ctx, id, code) // joins it
		}
		if err != nil {
			return 0, err
		}
		took.add(time.Since(began))
	}
	return took.quantile(0.5), nil
}

// waiting makes a program and waits until it waits for its person, and returns the consent.
func (p programming) waiting(ctx context.Context, id, code string) (consent string, err error) {
	_, err = p.c.Execute(ctx, client.Request{
		Context: client.Context{User: "ann"}, Wait: client.NoWait,
		Calls: []client.Call{{ID: id, Tool: "run_program", Arguments: map[string]string{"code": code}}},
	})
	for end := time.Now().Add(programPatience); err == nil && time.Now().Before(end); wait(ctx, 5*time.Millisecond) {
		var r client.Result
		if r, err = p.c.Get(ctx, id); err == nil && r.State == "waiting" && len(r.WaitingFor) == 1 && r.WaitingFor[0].ConsentID != "" {
			return r.WaitingFor[0].ConsentID, nil
		}
	}
	if err == nil {
		err = fmt.Errorf("it did not come to wait for its person in %v", programPatience)
	}
	return "", fmt.Errorf("program %s: %w", id, err)
}

// asleep measures what programs hold that wait for a time.
func (p programming) asleep(ctx context.Context, dispatcher *node, n int) error {
	before, err := dispatcher.held(ctx)
	if err != nil {
		return err
	}
	p.f.opts.sayf("programs: %d that sleep", n)
	err = inParallel(ctx, n, func(ctx context.Context, i int) error {
		_, err := p.c.Execute(ctx, client.Request{
			Context: client.Context{User: "ann"}, Wait: client.NoWait,
			Calls: []client.Call{{
				ID: fmt.Sprintf("asleep-%d", i), Tool: "run_program",
				Arguments: map[string]string{"code": "await program.sleep('30m')"},
			}},
		})
		return err
	})
	if err != nil {
		return err
	}
	at := dispatcher.ready["http"]
	for end := time.Now().Add(programLimit); ; wait(ctx, 100*time.Millisecond) {
		asleep, err := metric(ctx, at, `helve_programs{state="waiting"}`)
		if err != nil {
			return err
		}
		if int(asleep) >= n {
			break
		}
		if time.Now().After(end) {
			return fmt.Errorf("%.0f of %d programs wait after %v", asleep, n, programLimit)
		}
	}
	after, err := dispatcher.held(ctx)
	p.s.put("asleep", float64(n), "programs that wait")
	p.s.put("asleep_bytes_each", (float64(after.Live)-float64(before.Live))/float64(n), "memory in use by the dispatcher for each of them")
	p.s.put("asleep_goroutines", float64(after.Goroutines-before.Goroutines), "goroutines of the dispatcher for all of them")
	return err
}
