package codingagents

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Outcomes of a session.
const (
	completed      = "completed"
	failed         = "failed"
	timedOut       = "timed_out"
	cancelled      = "cancelled"
	budgetExceeded = "budget_exceeded"
	outputExceeded = "output_exceeded"
)

// floodedAt is the output size, in bytes, at which a session that keeps writing is
// ended.
const floodedAt = 16 << 20

// memory limits each process of an agent.
const memory = 4 << 30

// session is one run of an agent.
type session struct {
	call     *tool.Call
	provider *provider
	task     *task
	began    time.Time

	state    string
	why      string // it did not complete
	exitCode int
	duration time.Duration
	text     transcript
}

// run runs the agent until it ends or is ended. An error means that no session started.
func (s *session) run(ctx context.Context) error {
	s.began = s.call.Clock.Now()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	bounded, cancel := context.WithTimeoutCause(ctx, s.task.within, errTime)
	defer cancel()

	var mu sync.Mutex // an abandoned program may still write
	s.text = transcript{
		redact: redact{secret: s.provider.key}, reader: reader{events: s.provider.events}, budget: s.task.budget,
		overspent: func() { end(errBudget) },
		tell:      func(text string) { s.call.Partial(map[string]string{"session": s.call.ID, "output": text}) },
	}
	env := append([]string{"TERM=xterm-256color", "NO_COLOR=1"}, s.provider.env...)
	if s.provider.keyVar != "" {
		env = append(env, s.provider.keyVar+"="+s.provider.key)
	}
	over := false
	ran, err := s.call.Programs.Run(bounded, tool.Program{
		Name: s.provider.program, Args: s.provider.command(s.task), Dir: s.task.cwd, Env: env,
		Terminal: true, Network: true, MaxOutput: 1, MaxTotal: floodedAt, Memory: memory,
		Output: func(piece []byte) {
			mu.Lock()
			defer mu.Unlock()
			if !over {
				s.text.write(piece)
			}
		},
	})
	mu.Lock()
	over = true
	s.text.close()
	mu.Unlock()
	return s.conclude(context.Cause(bounded), ran, err)
}

// Causes that end a session before its program ends.
var (
	errTime   = errors.New("the time of the session is over")
	errBudget = errors.New("the budget of the session is spent")
)

// conclude sets the outcome. The cause is the reason why the context ended, nil if it
// did not.
func (s *session) conclude(cause error, ran tool.Ran, err error) error {
	s.exitCode, s.duration = ran.Code, ran.Duration
	if err != nil {
		s.exitCode, s.duration = -1, s.call.Clock.Now().Sub(s.began)
	} else if ran.Signal == "" && !errors.Is(cause, errBudget) {
		cause = nil // it had ended by itself
	}
	switch {
	case errors.Is(cause, errBudget):
		s.state, s.why = budgetExceeded, fmt.Sprintf("It said that it spent more than %s US dollars, and was stopped.", dollars(s.task.budget))
	case errors.Is(cause, errTime), errors.Is(cause, context.DeadlineExceeded):
		s.state, s.why = timedOut, fmt.Sprintf("It did not end in its time (%s) and was stopped.", s.task.within)
	case cause != nil:
		s.state, s.why = cancelled, "Its call ended before it did."
	case err != nil:
		return err
	case ran.Flooded:
		s.state, s.why = outputExceeded, fmt.Sprintf("It wrote more than %d MiB and was stopped.", floodedAt>>20)
	case s.text.reader.failure == "error_max_budget_usd":
		s.state, s.why = budgetExceeded, fmt.Sprintf("It stopped at its budget of %s US dollars.", dollars(s.task.budget))
	case ran.Signal != "":
		s.state, s.why = failed, fmt.Sprintf("It was ended by a signal: %s.", ran.Signal)
	case s.text.reader.failure != "":
		s.state, s.why = failed, fmt.Sprintf("The agent ended with %.100s.", s.text.reader.failure)
	case ran.Code != 0:
		s.state, s.why = failed, fmt.Sprintf("It ended with exit code %d.", ran.Code)
	default:
		s.state = completed
	}
	return nil
}
