package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/helve-dev/helve/client"
)

// terminal is a conversation with one person.
type terminal struct {
	user, file string
	loop       client.Loop
	lines      chan string
	interrupts chan os.Signal
	since      time.Time // when the conversation was read from its file
	state      client.State
	told       map[string]bool // consents that were decided here, calls that are done

	mu        sync.Mutex
	out       io.Writer
	midLine   bool
	running   map[string]bool // calls
	following bool
}

var (
	errStopped = errors.New("stopped; your next line continues from here")
	errGone    = errors.New("there is no input to decide; start this again to continue")
)

func newTerminal(helve *client.Client, model client.Model, user, file string) *terminal {
	t := &terminal{
		user: user, file: file, lines: make(chan string, 64), interrupts: make(chan os.Signal, 1),
		told: map[string]bool{}, out: os.Stdout, running: map[string]bool{},
	}
	t.loop = client.Loop{
		Client: helve, Model: model, Context: client.Context{User: user}, Consent: client.ConsentWait,
		Text: func(piece string) { t.print(piece, false) },
	}
	return t
}

// talk answers the typed lines, until there are none.
func (t *terminal) talk(ctx context.Context) error {
	if t.state.Message != nil {
		t.print("Continuing where the conversation stopped.", true)
		if gone := t.ask(ctx, ""); gone {
			return nil
		}
	}
	for {
		t.print("> ", false)
		select {
		case line, ok := <-t.lines:
			if !ok || strings.TrimSpace(line) != "" && t.ask(ctx, line) {
				return nil
			}
		case <-t.interrupts:
			return nil
		}
	}
}

// ask sends pending messages and a line to the model. gone is set if the person's input
// ended meanwhile.
func (t *terminal) ask(ctx context.Context, text string) (gone bool) {
	ctx, stop := context.WithCancelCause(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		select {
		case <-t.interrupts:
			stop(errStopped)
		case <-ctx.Done():
		}
	}()
	defer func() { stop(nil); <-over }() // Ctrl-C belongs to the prompt again
	loop := t.loop
	loop.Results = func(results []client.Result) { t.results(ctx, stop, results) }
	loop.Save = func(s client.State) error { return t.save(s) }
	answer, err := client.Answer{State: t.state}, error(nil)
	if t.state.Message != nil {
		answer, err = loop.Resume(ctx, answer.State)
	}
	if err == nil && text != "" {
		answer, err = loop.Ask(ctx, answer.State, text)
	}
	switch {
	case errors.Is(err, errStopped):
		t.cancel(context.WithoutCancel(ctx))
		t.print(errStopped.Error(), true)
	case errors.Is(err, errGone):
		t.print(errGone.Error(), true)
	case err != nil:
		t.print(err.Error(), true)
	case answer.Refused, answer.CutOff:
		t.print("(declined, or cut off)", true)
	default:
		t.print("", true)
	}
	if err := t.save(answer.State); err != nil {
		t.print(err.Error(), true)
	}
	return errors.Is(err, errGone)
}

// results shows the states of calls, and asks about those that wait for this person.
// The loop continues when it returns.
func (t *terminal) results(ctx context.Context, stop context.CancelCauseFunc, results []client.Result) {
	for _, r := range results {
		waits := r.State == client.StateAwaitingConsent
		key := r.CallID
		if waits {
			key = r.ConsentID
		}
		if t.told[key] || !waits && r.Status == client.StatusPending {
			continue
		}
		t.told[key] = true
		switch {
		case waits:
			if err := t.decide(ctx, r.ConsentID); err != nil {
				delete(t.told, key)
				stop(err)
				return
			}
		case r.Status == client.StatusError:
			t.print(fmt.Sprintf("[%s] %s: %s", r.Tool, r.ErrorType, r.Message), true)
		default:
			t.print(fmt.Sprintf("[%s] done after %v", r.Tool, r.Duration.Round(time.Millisecond)), true)
		}
	}
}

// decide asks the person about one call.
func (t *terminal) decide(ctx context.Context, id string) error {
	q, err := t.loop.Client.Consent(ctx, id)
	switch {
	case err != nil:
		return err
	case q.User != t.user || q.Status != client.ConsentPending:
		return nil // another person's, or decided elsewhere
	}
	for len(t.lines) > 0 {
		<-t.lines // input typed before the question is not an answer to it
	}
	if q.Kind == client.ConsentQuestion {
		return t.answer(ctx, &q)
	}
	t.print(fmt.Sprintf("[%s] %s risk: %s\n%s", q.Tool, q.Risk, q.Reason, q.Preview), true)
	for _, warning := range q.Warnings {
		t.print("Careful: "+warning, true)
	}
	t.print("Run it? [y/N] ", false)
	line, err := t.line(ctx)
	if err != nil {
		return err
	}
	_, err = t.loop.Client.Decide(ctx, id, client.Decision{Grant: strings.EqualFold(line, "y")})
	if failed, ok := errors.AsType[*client.RequestError](err); ok && failed.Type == client.Conflict {
		t.print(failed.Message, true)
		return nil
	}
	return err
}

// line returns the next typed line.
func (t *terminal) line(ctx context.Context) (string, error) {
	select {
	case line, ok := <-t.lines:
		if !ok {
			return "", errGone
		}
		return strings.TrimSpace(line), nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// follow shows the progress of the tools, and remembers the running calls.
func (t *terminal) follow(traceID string) {
	t.following = true
	events := t.loop.Client.Events(context.Background(), traceID) // as long as the program runs
	go func() {
		for e, err := range events {
			if err != nil {
				t.print("tool progress is not shown: "+err.Error(), true)
				return
			}
			t.mu.Lock()
			t.running[e.CallID] = e.Type != client.EventDone && e.Type != client.EventAwaitingConsent
			t.mu.Unlock()
			told := e.Type == client.EventProgress || e.Type == client.EventLog || e.Type == client.EventPartial
			if told && e.Time.After(t.since) { // Helve repeats earlier events
				t.print(fmt.Sprintf("[%s] %s", e.Tool, e.Data), true)
			}
		}
	}()
}

// cancel cancels the running calls. Calls that wait for the person keep waiting.
func (t *terminal) cancel(ctx context.Context) {
	ctx, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	t.mu.Lock()
	running := maps.Clone(t.running)
	t.mu.Unlock()
	for id, runs := range running {
		if !runs {
			continue
		}
		if _, err := t.loop.Client.Cancel(ctx, id); err != nil {
			t.print("cancelling a call failed: "+err.Error(), true)
		}
	}
}

// print writes a piece of a line, or a line of its own. Output of models and tools may
// contain characters that move the cursor or rewrite text: only printable characters
// remain.
func (t *terminal) print(text string, line bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	text = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return -1
	}, text)
	switch {
	case line && t.midLine:
		text = "\n" + text
	case !line && text == "":
		return
	}
	if line && text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	t.midLine = !strings.HasSuffix(text, "\n") && text != ""
	fmt.Fprint(t.out, text)
}

func (t *terminal) restore() error {
	data, err := os.ReadFile(t.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(data, &t.state)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", t.file, err)
	}
	t.since = time.Now()
	if t.state.TraceID != "" {
		t.follow(t.state.TraceID)
	}
	return nil
}

// save writes the state to a temporary file and renames it: after a crash one complete
// version remains.
func (t *terminal) save(s client.State) error {
	if !t.following && s.TraceID != "" { // before its first calls are made
		t.follow(s.TraceID)
	}
	t.state = s
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := os.WriteFile(t.file+".new", data, 0o600); err != nil {
		return err
	}
	return os.Rename(t.file+".new", t.file)
}
