package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// A Loop makes a model answer a person: it calls the model, runs the tools that the
// model calls, sends it the results, and repeats, until the model makes no more calls.
//
//	loop := client.Loop{Client: helve, Model: model, Context: client.Context{User: "ann"}}
//	answer, err := loop.Ask(ctx, client.State{}, "What is in notes.txt?")
//
// The calls of one answer run concurrently, each through the same gate as any other
// call. A Loop holds no state itself: the state of a conversation is its [State].
type Loop struct {
	Client *Client
	Model  Model
	// Context identifies the person and agent of the calls, and Tools selects the tools
	// offered; empty fields of Context are the client's.
	Context Context
	Tools   Filter
	// Rounds bounds the number of model requests for one answer; 0 means 20.
	Rounds int
	// Tokens bounds the tokens of an answer, if the provider reports them; 0 means no
	// bound. Time bounds its duration; 0 means as long as ctx.
	Tokens int
	Time   time.Duration
	// Consent is [ConsentWait] to pause while a person decides about a call or a program
	// waits, or [ConsentReturn], the default, to return the pending calls. With [ConsentTell]
	// the model is told in a sentence that they have no result yet and goes on, and it is told
	// their outcomes by [Loop.Resume] or the next [Loop.Ask].
	Consent string
	// Text receives the model's text for the person, piece by piece, and Results the
	// state of its calls after each answer of the server. Both may be nil.
	Text    func(piece string)
	Results func([]Result)
	// Save, if set, receives the state whenever it must be stored: before calls are
	// made and after they are answered. An error from it ends the loop.
	Save func(State) error
}

// State is the state of a conversation. It encodes as JSON, so it can be stored and the
// conversation continued in another process. The zero State is a conversation that has
// not begun.
type State struct {
	// ID identifies the conversation in the IDs of its calls.
	ID      string `json:"id"`
	TraceID string `json:"trace_id"`
	// Conversation is the list of messages so far, in the provider's format.
	Conversation []json.RawMessage `json:"conversation"`
	// Message is the model's last message while its calls have no answer.
	Message json.RawMessage `json:"message,omitempty"`
	// Pending are the calls that the model was told are pending, with [ConsentTell]. Answered
	// is set while the model has nothing new to answer.
	Pending  []PendingCall `json:"pending,omitempty"`
	Answered bool          `json:"answered,omitempty"`
	// Turn counts the model's answers; Rounds and Tokens refer to the current answer to
	// the person.
	Turn   int `json:"turn"`
	Rounds int `json:"rounds"`
	Tokens int `json:"tokens"`
}

// Answer is the outcome of a loop.
type Answer struct {
	// Text is the model's last text.
	Text string `json:"text"`
	// Refused is set if the model declined to answer, CutOff if its text is incomplete.
	Refused bool `json:"refused,omitempty"`
	CutOff  bool `json:"cut_off,omitempty"`
	// Pending are the calls of the last message if some wait for a person, or are programs
	// that wait; with [ConsentTell], all calls that the model was told are pending, beside its
	// Text. After the decisions, or when they are done, [Loop.Resume] continues.
	Pending []Result `json:"pending,omitempty"`
	// State is the state of the conversation, set even with an error.
	State State `json:"state"`
}

// ErrLimit means that a loop reached one of its bounds. The conversation can continue
// with [Loop.Resume] on a Loop with higher bounds.
var ErrLimit = errors.New("the loop came to its limit")

const (
	defaultRounds = 20
	// roundWait is the wait of one request for the calls of a round.
	roundWait = time.Minute
	// modelTries bounds the attempts to reach a model that temporarily cannot answer.
	modelTries = 4
)

// Ask appends text to the conversation and makes the model answer it.
func (l *Loop) Ask(ctx context.Context, s State, text string) (Answer, error) {
	if s.Message != nil {
		return Answer{State: s}, misused("the model's last message has calls that are not answered; use Resume")
	}
	if s.ID == "" {
		s.ID, s.TraceID = NewCallID(), newTraceID()
	}
	return l.run(ctx, s, &text)
}

// Resume continues from s. Calls that were already made are not repeated: their results
// are fetched. If the model has nothing new to answer, because the calls that it was told are
// pending still are, they are returned.
func (l *Loop) Resume(ctx context.Context, s State) (Answer, error) { return l.run(ctx, s, nil) }

// run continues from s, after a text of the person unless it is nil.
func (l *Loop) run(ctx context.Context, s State, text *string) (Answer, error) {
	if l.Time > 0 {
		var stop func()
		ctx, stop = context.WithTimeoutCause(ctx, l.Time, fmt.Errorf("%w: the answer took longer than %v", ErrLimit, l.Time))
		defer stop()
	}
	s.Conversation = slices.Clip(s.Conversation) // append must not write to the caller's array
	if pending, err := l.begin(ctx, &s, text); err != nil || s.Answered {
		return Answer{Pending: pending, State: s}, orLimit(ctx, err)
	}
	tools, err := l.Client.ToolsAs(ctx, l.Model.Format(), l.offered())
	if err != nil {
		return Answer{State: s}, orLimit(ctx, err)
	}
	for {
		if s.Message == nil {
			turn, err := l.turn(ctx, &s, tools)
			if err != nil || turn.Calls == 0 || turn.Refused {
				answer, again, err := l.end(ctx, &s, turn, err)
				if again {
					continue
				}
				return answer, orLimit(ctx, err)
			}
		}
		pending, err := l.round(ctx, &s)
		if err != nil || pending != nil {
			return Answer{Pending: pending, State: s}, orLimit(ctx, err)
		}
	}
}

// turn calls the model once.
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

// ask retries the model if a retry may help and no text was delivered yet.
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

// round runs the calls of the model's message. It returns their state if some wait for
// a person and the loop does not wait.
func (l *Loop) round(ctx context.Context, s *State) (pending []Result, err error) {
	consent := ConsentReturn // first, to learn which calls wait
	if l.Consent == ConsentTell {
		consent = ConsentTell
	}
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
			s.note(resp.Results)
			return nil, l.save(*s)
		}
		if slices.ContainsFunc(resp.Results, waits) {
			switch l.Consent {
			case ConsentWait:
				consent = ConsentWait
			case ConsentTell: // another call of the message still runs
			default:
				return resp.Results, nil
			}
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

// offered returns the filter of the tools, for the agent and the tool set of the calls.
func (l *Loop) offered() Filter {
	f, of := l.Tools, orContext(l.Context, l.Client.who)
	f.Agent, f.Toolset = cmp.Or(f.Agent, of.Agent), cmp.Or(f.Toolset, of.Toolset)
	return f
}

// orLimit returns err, or the cause of ctx if that led to err.
func orLimit(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), ErrLimit) {
		return context.Cause(ctx)
	}
	return err
}
