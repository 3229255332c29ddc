package queue

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// queueFinds is the queue group of dispatchers that look for results.
const queueFinds = "helve-finds"

// Find is the subject on which a dispatcher is asked for the stored result of a call of a
// pool. Permissions name the pools of a worker.
func (s Subjects) Find(tenant, pool, callID string) string { return s.Of(tenant, "find", pool, callID) }

// ServeFinds answers workers in accounts of their own, which read the streams of calls only
// through a dispatcher.
func (q *Queue) ServeFinds() error {
	err := natsio.ServeLookups(q.conn, queueFinds, natsio.Lookup{
		Last: map[string]string{"once": streams.Once, "parked": streams.Parked},
		Next: map[string]string{"verdict": streams.Parked},
	})
	if err != nil {
		return err
	}
	_, err = q.conn.NATS().QueueSubscribe(q.subj.Find("*", "*", "*"), queueFinds, func(msg *nats.Msg) {
		tenant, tokens, ok := q.subj.Split(msg.Subject, 3)
		if !ok || len(tokens) < 3 {
			return
		}
		q.conn.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), natsio.ReadTimeout)
			defer cancel()
			found, err := q.stored(ctx, tenant, tokens[1], tokens[2])
			if err != nil {
				q.log.Warn("result not read for a worker", zap.String("call_id", tokens[2]), zap.Error(err))
				return // the worker asks again
			}
			data, err := json.Marshal(found)
			if err == nil {
				err = q.conn.Answer(&nats.Msg{Subject: msg.Reply, Data: data})
			}
			if err != nil {
				q.log.Warn("worker not answered", zap.Error(err))
			}
		})
	})
	return err
}

// find requests the stored result of a call from a dispatcher, nil if there is none.
func (b *core) find(ctx context.Context, tenant, pool, callID string) (*Stored, error) {
	ctx, cancel := context.WithTimeout(ctx, natsio.ReadTimeout)
	defer cancel()
	reply, err := b.conn.Request(ctx, &nats.Msg{Subject: b.subj.Find(tenant, pool, callID)})
	if err != nil {
		return nil, err
	}
	var found *Stored
	if err := json.Unmarshal(reply.Data, &found); err != nil {
		return nil, fmt.Errorf("%w: unreadable answer: %w", natsio.ErrUnavailable, err)
	}
	return found, nil
}
