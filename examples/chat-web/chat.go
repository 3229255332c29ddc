package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/helve-dev/helve/client"
)

// entry is one item that a page shows.
type entry struct {
	// Kind is you, text (a piece of the model's answer), end (of it), tool (the
	// progress of a call), result (its outcome) or note.
	Kind string `json:"kind"`
	Text string `json:"text,omitempty"`
	// Call and Tool identify the call, State is the state that it has now, and Error the
	// type of the error that it failed with.
	Call  string `json:"call,omitempty"`
	Tool  string `json:"tool,omitempty"`
	State string `json:"state,omitempty"`
	Error string `json:"error,omitempty"`
	// Consent is the consent that the call waits for.
	Consent string `json:"consent,omitempty"`
}

// States of a call, in an entry.
const (
	queued  = "queued"
	running = "running"
	waiting = "waiting" // for a person
	done    = "done"
	failed  = "failed"
)

// kept is the stored state: the conversation, and the items that pages show.
type kept struct {
	State client.State `json:"state"`
	Told  []entry      `json:"told"`
	// Open is set if the person has not been answered.
	Open bool `json:"open"`
}

// conversation is the conversation of one person, shared by all of their pages.
type conversation struct {
	user string
	loop client.Loop
	file string
	runs sync.WaitGroup
	turn sync.Mutex // held from a question until its answer is stored

	mu        sync.Mutex
	kept      kept
	more      chan struct{} // closed when there is more to show
	busy      bool
	following bool
}

// open reads the conversation of a person from a file, and continues it.
func open(ctx context.Context, user, file string, helve *client.Client, model client.Model) (*conversation, error) {
	c := &conversation{user: user, file: file, more: make(chan struct{})}
	// The loop waits while the person decides, so this code need not handle waiting
	// calls.
	c.loop = client.Loop{
		Client:  helve,
		Model:   model,
		Context: client.Context{User: user, Conversation: "chat-web"},
		Consent: client.ConsentWait,
	}
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

// say sends a message to the model, and returns false while it still answers.
func (c *conversation) say(ctx context.Context, text string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy || ctx.Err() != nil {
		return false
	}
	c.busy = true
	c.runs.Go(func() {
		c.turn.Lock()
		defer c.turn.Unlock()
		c.mu.Lock()
		state := c.kept.State
		c.mu.Unlock()
		answer, err := c.answer(ctx, state, text)
		switch {
		case ctx.Err() != nil: // it continues when this program runs again
		case err != nil:
			c.tell(entry{Kind: "note", Text: err.Error()})
		case answer.Refused:
			c.tell(entry{Kind: "note", Text: "The model declined to answer."})
		case answer.CutOff:
			c.tell(entry{Kind: "note", Text: "The answer was cut off at its limit."})
		}
		c.tell(entry{Kind: "end"})
		if err := c.save(ctx, answer.State, ctx.Err() != nil); err != nil {
			c.tell(entry{Kind: "note", Text: err.Error()})
		}
	})
	return true
}

// answer completes an unfinished answer, if there is one, and then answers text.
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

// results shows the outcomes of calls.
func (c *conversation) results(results []client.Result) {
	for _, r := range results {
		e := entry{Kind: "result", Call: r.CallID, Tool: r.Tool}
		switch r.Status {
		case client.StatusSuccess:
			e.State, e.Text = done, r.Text
			if e.Text == "" {
				e.Text = string(r.Value)
			}
		case client.StatusError:
			e.State, e.Error, e.Text = failed, string(r.ErrorType), r.Message
		default:
			e.Kind, e.State, e.Consent = "tool", stateOf(r.State, nil), r.ConsentID
		}
		c.tell(e)
	}
}

// follow shows the progress of the conversation's tools while they run. Helve repeats
// recent events, so a page must tolerate duplicates.
func (c *conversation) follow(ctx context.Context, traceID string) {
	c.following = true
	events := c.loop.Client.Events(ctx, traceID)
	c.runs.Go(func() {
		for e, err := range events {
			if err != nil {
				c.tell(entry{Kind: "note", Text: "Tool progress is not shown: " + err.Error()})
				return
			}
			shown := entry{Kind: "tool", Call: e.CallID, Tool: e.Tool, State: stateOf(e.Type, e.Data)}
			switch e.Type {
			case client.EventProgress, client.EventLog, client.EventPartial:
				shown.Text = string(e.Data)
			case client.EventAwaitingConsent:
				shown.Consent = consentOf(e.Data)
			}
			c.tell(shown)
		}
	})
}

// consentOf returns the consent that a call waits for after an event.
func consentOf(data json.RawMessage) string {
	var awaits struct {
		ConsentID string `json:"consent_id"`
	}
	_ = json.Unmarshal(data, &awaits) // without an id the call is shown as waiting, and the console has its request
	return awaits.ConsentID
}

// stateOf returns the state of a call that is in one of Helve's states, or after an event.
func stateOf(step string, data json.RawMessage) string {
	switch step {
	case client.EventQueued, client.EventResumed:
		return queued
	case client.EventAwaitingConsent: // the state has the same name
		return waiting
	case client.EventDone:
		var outcome struct {
			Status string `json:"status"`
		}
		if json.Unmarshal(data, &outcome) == nil && outcome.Status == client.StatusError {
			return failed
		}
		return done
	}
	return running
}

// has reports whether a call is one of this conversation's.
func (c *conversation) has(call string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.kept.Told, func(e entry) bool { return e.Call == call })
}

// asks reports whether a call of this conversation waits, or has waited, for a consent. Another
// conversation may have opened it: calls that need the same permission share a request.
func (c *conversation) asks(consent string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.kept.Told, func(e entry) bool { return e.Consent == consent })
}

// longest limits the shown length of one item, in bytes.
const longest = 4000

// tell shows an entry on every open page.
func (c *conversation) tell(e entry) {
	if len(e.Text) > longest {
		e.Text = strings.ToValidUTF8(e.Text[:longest], "") + " …"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept.Told = append(c.kept.Told, e)
	if e.Kind == "end" {
		c.busy = false // with the entry: its reader may send the next message
	}
	close(c.more)
	c.more = make(chan struct{})
}

// since returns the entries after the first n, and a channel that is closed when there
// are more.
func (c *conversation) since(n int) ([]entry, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept.Told[n:], c.more // entries never change
}

// save writes the conversation to a temporary file and renames it: after a crash one
// complete version remains.
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
