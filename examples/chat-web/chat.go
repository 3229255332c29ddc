package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"

	"github.com/helve-dev/helve/client"
)

// entry is one thing that a page shows.
type entry struct {
	// Kind is you, text (a piece of the model's answer), end (of it), tool (how far a
	// call is), result (how it ended) or note.
	Kind string `json:"kind"`
	Text string `json:"text,omitempty"`
	// Call and Tool say which call it is about.
	Call string `json:"call,omitempty"`
	Tool string `json:"tool,omitempty"`
}

// kept is what outlives this program: where the conversation stands, and what pages show.
type kept struct {
	State client.State `json:"state"`
	Told  []entry      `json:"told"`
	// Open says that the person has not been answered.
	Open bool `json:"open"`
}

// conversation is one person's, whichever of their pages look at it.
type conversation struct {
	user string
	loop client.Loop
	file string
	runs sync.WaitGroup

	mu        sync.Mutex
	kept      kept
	more      chan struct{} // closed when there is more to show
	busy      bool
	following bool
}

// open reads the conversation of a person from a file, and goes on where it stopped.
func open(ctx context.Context, user, file string, helve *client.Client, model client.Model) (*conversation, error) {
	c := &conversation{user: user, file: file, more: make(chan struct{})}
	// The loop waits while the person decides: what waits is not this code's matter.
	c.loop = client.Loop{Client: helve, Model: model, Context: client.Context{User: user}, Consent: client.ConsentWait}
	c.loop.Text = func(piece string) { c.tell(entry{Kind: "text", Text: piece}) }
	c.loop.Results = c.results
	c.loop.Save = func(s client.State) error { return c.save(ctx, s, true) }
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &c.kept)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if c.kept.State.TraceID != "" {
		c.follow(ctx, c.kept.State.TraceID)
	}
	if c.kept.Open || c.kept.State.Message != nil { // calls that were not answered
		c.say(ctx, "")
	}
	return c, nil
}

// say has the model answer, and reports false while it still answers.
func (c *conversation) say(ctx context.Context, text string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy || ctx.Err() != nil {
		return false
	}
	c.busy = true
	state := c.kept.State
	c.runs.Go(func() {
		answer, err := c.answer(ctx, state, text)
		switch {
		case ctx.Err() != nil: // it goes on when this program is there again
		case err != nil:
			c.tell(entry{Kind: "note", Text: err.Error()})
		case answer.Refused:
			c.tell(entry{Kind: "note", Text: "The model declined to answer."})
		case answer.CutOff:
			c.tell(entry{Kind: "note", Text: "The answer was cut off at its limit."})
		}
		c.tell(entry{Kind: "end"})
		err = c.save(ctx, answer.State, ctx.Err() != nil)
		c.mu.Lock()
		c.busy = false
		c.mu.Unlock()
		if err != nil {
			c.tell(entry{Kind: "note", Text: err.Error()})
		}
	})
	return true
}

// answer first goes on with what was not finished, if there is something.
func (c *conversation) answer(ctx context.Context, s client.State, text string) (answer client.Answer, err error) {
	answer.State = s
	if s.Message != nil || text == "" {
		answer, err = c.loop.Resume(ctx, s)
	}
	if err == nil && text != "" {
		c.tell(entry{Kind: "you", Text: text})
		answer, err = c.loop.Ask(ctx, answer.State, text)
	}
	return answer, err
}

// results shows how calls ended.
func (c *conversation) results(results []client.Result) {
	for _, r := range results {
		e := entry{Kind: "result", Call: r.CallID, Tool: r.Tool}
		switch r.Status {
		case client.StatusSuccess:
			e.Text = r.Text
			if e.Text == "" {
				e.Text = string(r.Value)
			}
		case client.StatusError:
			e.Text = string(r.ErrorType) + ": " + r.Message
		default:
			continue
		}
		c.tell(e)
	}
}

// follow shows what the tools of the conversation tell while they run. Helve tells again
// what it still knows, so a page must not mind to hear a thing twice.
func (c *conversation) follow(ctx context.Context, traceID string) {
	c.following = true
	events := c.loop.Client.Events(ctx, traceID)
	c.runs.Go(func() {
		for e, err := range events {
			if err != nil {
				c.tell(entry{Kind: "note", Text: "What the tools do is not shown: " + err.Error()})
				return
			}
			switch e.Type {
			case client.EventQueued, client.EventDone: // the result says more
			case client.EventProgress, client.EventLog, client.EventPartial:
				c.tell(entry{Kind: "tool", Call: e.CallID, Tool: e.Tool, Text: string(e.Data)})
			default:
				c.tell(entry{Kind: "tool", Call: e.CallID, Tool: e.Tool, Text: strings.ReplaceAll(e.Type, "_", " ")})
			}
		}
	})
}

// longest bounds what is shown of one thing, in bytes.
const longest = 4000

// tell shows an entry on every page that looks.
func (c *conversation) tell(e entry) {
	if len(e.Text) > longest {
		e.Text = strings.ToValidUTF8(e.Text[:longest], "") + " …"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept.Told = append(c.kept.Told, e)
	close(c.more)
	c.more = make(chan struct{})
}

// since returns what there is after the first n entries, and what is closed when there
// is more.
func (c *conversation) since(n int) ([]entry, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept.Told[n:], c.more // what is told stays as it is
}

// save stores the conversation beside its file and moves it there: a crash leaves one of
// the two whole.
func (c *conversation) save(ctx context.Context, s client.State, unanswered bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.following && s.TraceID != "" { // before its first calls are made
		c.follow(ctx, s.TraceID)
	}
	c.kept.State, c.kept.Open = s, unanswered
	data, err := json.Marshal(c.kept)
	if err != nil {
		return err
	}
	if err := os.WriteFile(c.file+".new", data, 0o600); err != nil {
		return err
	}
	return os.Rename(c.file+".new", c.file)
}
