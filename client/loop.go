package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// A Loop has a model answer a person: it asks the model, has the tools run that it
// calls, tells it the results, and asks again, until the model has no more calls.
//
//	loop := client.Loop{Client: helve, Model: model, Context: client.Context{User: "ann"}}
//	answer, err := loop.Ask(ctx, client.State{}, "What is in notes.txt?")
//
// The calls of one answer run in parallel, each behind the same gate as any other
// call. A Loop keeps nothing itself: where a conversation stands is its [State].
type Loop struct {
	Client *Client
	Model  Model
	// Context says on whose behalf the tools run, and Tools which are offered;
	// empty fields of Context are the client's.
	Context Context
	Tools   Filter
	// Rounds bounds how often the model is asked for one answer: 20 where it is 0.
	Rounds int
	// Tokens bounds what an answer may cost, as far as the provider says; 0 means no
	// bound. Time bounds how long it may take; 0 means as long as ctx.
	Tokens int
	Time   time.Duration
	// Consent is [ConsentWait] to pause while a person decides about a call, or
	// [ConsentReturn], the default, to hand back what waits.
	Consent string
	// Text is given what the model says to the person, piece by piece, and Results
	// how its calls stand whenever the server has answered. Both may be nil.
	Text    func(piece string)
	Results func([]Result)
	// Save, where set, is given the state whenever something must not be forgotten:
	// before calls are made and after they are answered. An error of it ends the loop.
	Save func(State) error
}

// State is where a conversation stands. It encodes as JSON, so it can be kept, and a
// conversation go on from it in another process. The zero State is one that has not
// begun.
type State struct {
	// ID names the conversation in the call ids of its calls.
	ID      string `json:"id"`
	TraceID string `json:"trace_id"`
	// Conversation is what was said, in the provider's shape.
	Conversation []json.RawMessage `json:"conversation"`
	// Message is the model's last message while its calls are not answered.
	Message json.RawMessage `json:"message,omitempty"`
	// Turn counts the model's answers; Rounds and Tokens are of the present answer
	// to the person.
	Turn   int `json:"turn"`
	Rounds int `json:"rounds"`
	Tokens int `json:"tokens"`
}

// Answer is how a loop ended.
type Answer struct {
	// Text is what the model said last.
	Text string `json:"text"`
	// Refused says that it declined to answer, CutOff that its text is not whole.
	Refused bool `json:"refused,omitempty"`
	CutOff  bool `json:"cut_off,omitempty"`
	// Pending are the calls of the last message, some of which wait for a person.
	// When those are decided, [Loop.Resume] goes on.
	Pending []Result `json:"pending,omitempty"`
	// State is where the conversation stands, also when there was an error.
	State State `json:"state"`
}

// ErrLimit means that a loop came to one of its bounds. The conversation can go on
// with [Loop.Resume] of a Loop that has higher ones.
var ErrLimit = errors.New("the loop came to its limit")

const (
	defaultRounds = 20
	// roundWait is how long one request waits for the calls of a round.
	roundWait = time.Minute
	// modelTries bounds how often a model is asked that cannot answer just now.
	modelTries = 4
)

// Ask has the model answer text, at the end of what was said before.
func (l *Loop) Ask(ctx context.Context, s State, text string) (Answer, error) {
	if s.Message != nil {
		return Answer{State: s}, misused("the model's last message has calls that are not answered; use Resume")
	}
	if s.ID == "" {
		s.ID, s.TraceID = NewCallID(), newTraceID()
	}
	s.Conversation = append(slices.Clone(s.Conversation), l.Model.User(text))
	s.Rounds, s.Tokens = 0, 0
	return l.Resume(ctx, s)
}

// Resume goes on where s stands. Calls that were made before are not made again:
// their results are fetched.
func (l *Loop) Resume(ctx context.Context, s State) (Answer, error) {
	if l.Time > 0 {
		var stop func()
		ctx, stop = context.WithTimeoutCause(ctx, l.Time, fmt.Errorf("%w: the answer took longer than %v", ErrLimit, l.Time))
		defer stop()
	}
	s.Conversation = slices.Clip(s.Conversation) // what is appended is not the caller's
	tools, err := l.Client.ToolsAs(ctx, l.Model.Format(), l.offered())
	if err != nil {
		return Answer{State: s}, orLimit(ctx, err)
	}
	for {
		if s.Message == nil {
			turn, err := l.turn(ctx, &s, tools)
			if err != nil || turn.Calls == 0 || turn.Refused {
				return Answer{Text: turn.Text, Refused: turn.Refused, CutOff: turn.CutOff, State: s}, orLimit(ctx, err)
			}
		}
		pending, err := l.round(ctx, &s)
		if err != nil || pending != nil {
			return Answer{Pending: pending, State: s}, orLimit(ctx, err)
		}
	}
}

// turn asks the model once.
func (l *Loop) turn(ctx context.Context, s *State, tools json.RawMessage) (Turn, error) {
	rounds := l.Rounds
	if rounds == 0 {
		rounds = defaultRounds
	}
	switch {
	case len(s.Conversation) == 0:
		return Turn{}, misused("the conversation is empty; use Ask")
	case s.Rounds >= rounds:
		return Turn{}, fmt.Errorf("%w: the model was asked %d times and has not answered", ErrLimit, s.Rounds)
	case l.Tokens > 0 && s.Tokens >= l.Tokens:
		return Turn{}, fmt.Errorf("%w: the model has used %d of %d tokens and has not answered", ErrLimit, s.Tokens, l.Tokens)
	}
	turn, err := l.ask(ctx, s.Conversation, tools)
	if err != nil {
		return Turn{}, err
	}
	s.Turn++
	s.Rounds++
	s.Tokens += turn.Tokens
	s.Conversation = append(s.Conversation, turn.Append...)
	if turn.Calls > 0 && !turn.Refused {
		s.Message = turn.Message
	}
	return turn, l.save(*s)
}

// ask asks the model again where that may help and nobody has heard anything yet.
func (l *Loop) ask(ctx context.Context, conversation []json.RawMessage, tools json.RawMessage) (Turn, error) {
	for attempt := 0; ; attempt++ {
		heard := false
		turn, err := l.Model.Ask(ctx, conversation, tools, func(piece string) {
			heard = heard || piece != ""
			if l.Text != nil {
				l.Text(piece)
			}
		})
		failure, ok := errors.AsType[*ModelError](err)
		if !ok || !failure.Temporary || heard || attempt == modelTries-1 || !pause(ctx, attempt, failure.RetryAfter) {
			return turn, err
		}
	}
}

// round has the calls of the model's message run. It returns how they stand if some
// wait for a person whom the loop does not wait for.
func (l *Loop) round(ctx context.Context, s *State) (pending []Result, err error) {
	consent := ConsentReturn // at first, so that it is known what waits
	for attempt := 0; ; attempt++ {
		resp, err := l.Client.Execute(ctx, Request{
			Context: l.Context, TraceID: s.TraceID, Format: l.Model.Format(), Message: s.Message,
			CallIDPrefix: fmt.Sprintf("%s-%d", s.ID, s.Turn), Wait: roundWait, Consent: consent,
		})
		if err != nil {
			return nil, err
		}
		if l.Results != nil {
			l.Results(resp.Results)
		}
		if resp.Messages != nil {
			var messages []json.RawMessage
			if err := json.Unmarshal(resp.Messages, &messages); err != nil {
				return nil, foreign("the server's messages are no list", err)
			}
			s.Conversation, s.Message = append(s.Conversation, messages...), nil
			return nil, l.save(*s)
		}
		if slices.ContainsFunc(resp.Results, func(r Result) bool { return r.State == StateAwaitingConsent }) {
			if l.Consent != ConsentWait {
				return resp.Results, nil
			}
			consent = ConsentWait
		}
		if !pause(ctx, min(attempt, 3), resp.RetryAfter) {
			return nil, context.Cause(ctx)
		}
	}
}

func (l *Loop) save(s State) error {
	if l.Save == nil {
		return nil
	}
	if err := l.Save(s); err != nil {
		return fmt.Errorf("the conversation's state was not saved: %w", err)
	}
	return nil
}

// offered is the filter of the tools, for the agent that calls them.
func (l *Loop) offered() Filter {
	f := l.Tools
	if f.Agent == "" {
		f.Agent = l.Context.or(l.Client.who).Agent
	}
	return f
}

// orLimit is err, or why ctx ended where that is what it comes from.
func orLimit(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), ErrLimit) {
		return context.Cause(ctx)
	}
	return err
}
