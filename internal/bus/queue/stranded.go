package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/call"
)

// Waiting counts calls of one tool that wait in a lane of workers of a kind, in a lane of
// one worker, or in [LaneWaiting].
type Waiting struct {
	Tenant, Pool, Lane, Tool string
	Calls                    uint64
}

// WaitingInKindLanes returns the calls waiting in lanes that not every worker of a pool
// serves.
func (b *Calls) WaitingInKindLanes(ctx context.Context) ([]Waiting, error) {
	ctx, cancel := context.WithTimeout(ctx, natsio.ReadTimeout)
	defer cancel()
	stream, err := b.conn.JetStream().Stream(ctx, streams.Calls)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", natsio.ErrUnavailable, err)
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(b.subj.Of("*", "call", ">")))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", natsio.ErrUnavailable, err)
	}
	var all []Waiting
	for subject, calls := range info.State.Subjects {
		tenant, tokens, ok := b.subj.Split(subject, 3)
		if !ok || len(tokens) < 3 {
			continue
		}
		pool, lane := CutLane(tokens[1])
		if lane == LaneWaiting || strings.HasPrefix(lane, kindMark) || IsHome(lane) {
			all = append(all, Waiting{Tenant: tenant, Pool: pool, Lane: lane, Tool: tokens[2], Calls: calls})
		}
	}
	return all, nil
}

// Fate is the decision about a call that waits in a lane.
type Fate int

// The fates: it stays, it goes to another lane, or it has ended and leaves the queue.
const (
	Stays Fate = iota
	Moves
	Ended
)

// movedAtOnce bounds the calls of a tool that one [Calls.Clear] examines.
const movedAtOnce = 2000

// Clear decides about the calls of one tool that wait in a lane, oldest first. A call that
// is moved may have been tried by a worker that has ended, so the move counts as an
// attempt. It needs no consumer: no worker takes calls of the lane, or the id under which
// any move of a message is stored once prevents duplicate copies.
func (b *Calls) Clear(ctx context.Context, w Waiting, decide func(e *call.Call) (Fate, string)) (moved int, err error) {
	stream, err := b.conn.JetStream().Stream(ctx, streams.Calls)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", natsio.ErrUnavailable, err)
	}
	subject, seq := b.subj.Lane(w.Tenant, w.Pool, w.Lane, w.Tool), uint64(1)
	for range min(w.Calls, movedAtOnce) {
		msg, err := stream.GetMsg(ctx, seq, jetstream.WithGetMsgSubject(subject))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return moved, nil
		}
		if err != nil {
			return moved, fmt.Errorf("%w: %w", natsio.ErrUnavailable, err)
		}
		seq = msg.Sequence + 1
		e, err := call.Decode(msg.Data)
		if err != nil {
			continue // the next worker sets it aside
		}
		e.Tenant, e.Pool, e.Lane, e.Traceparent = w.Tenant, w.Pool, w.Lane, msg.Header.Get(HeaderTraceparent)
		fate, lane := decide(e)
		if fate == Stays {
			continue
		}
		if fate == Moves {
			if err := b.moveStored(ctx, e, msg.Sequence, lane); err != nil {
				return moved, err
			}
			moved++
		}
		if err := stream.DeleteMsg(ctx, msg.Sequence); err != nil && !errors.Is(err, jetstream.ErrMsgDeleteUnsuccessful) {
			return moved, fmt.Errorf("%w: %w", natsio.ErrUnavailable, err)
		}
	}
	return moved, nil
}

// moveStored puts a copy of a stored call onto another lane.
func (b *core) moveStored(ctx context.Context, e *call.Call, seq uint64, lane string) error {
	e.Lane, e.Copy = lane, true
	e.Attempts++
	e.Moves++
	stored := make(chan error, 1)
	b.submit(e, moveID(e, seq), func(err error) { stored <- err })
	select {
	case err := <-stored:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// moveID returns the id of the copy that a move makes of a message: two moves of one
// message leave one copy.
func moveID(e *call.Call, seq uint64) string {
	return e.Tenant + "/" + e.ID + "/" + strconv.FormatUint(seq, 10)
}
