package queue

import (
	"context"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/subject"
)

// queueLanes is the queue group of dispatchers that make the consumers of lanes.
const queueLanes = "helve-lanes"

// laneReady answers that a lane has its consumer.
const laneReady = "+OK"

// KeepLane is the subject on which a dispatcher is asked for the consumer of a lane.
// Permissions name the lanes of a worker's pools.
func (s Subjects) KeepLane(token string) string { return s.Of(subject.System, "lane", token) }

// ServeLanes makes the consumers of lanes for workers in accounts of their own, which may
// not make any.
func (q *Queue) ServeLanes() error {
	_, err := q.conn.NATS().QueueSubscribe(q.subj.KeepLane("*"), queueLanes, func(msg *nats.Msg) {
		if !natsio.Asked(msg.Reply) {
			return
		}
		_, token := q.subj.TenantAndLast(msg.Subject)
		q.conn.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), natsio.ReadTimeout)
			defer cancel()
			answer := laneReady
			if err := q.ensureLane(ctx, token); err != nil {
				q.log.Warn("consumer of a lane not made", zap.String("lane", token), zap.Error(err))
				answer = err.Error()
			}
			if err := q.conn.Answer(&nats.Msg{Subject: msg.Reply, Data: []byte(answer)}); err != nil {
				q.log.Warn("worker not answered", zap.Error(err))
			}
		})
	})
	return err
}

// askLane requests the consumer of a lane from a dispatcher.
func (b *core) askLane(ctx context.Context, token string) error {
	reply, err := b.conn.Request(ctx, &nats.Msg{Subject: b.subj.KeepLane(token)})
	if err != nil {
		return fmt.Errorf("no dispatcher makes the consumer of the lane %s: %w", token, err)
	}
	if text := string(reply.Data); text != laneReady {
		return fmt.Errorf("%w: lane %s: %s", natsio.ErrUnavailable, token, strings.ToValidUTF8(text, "�"))
	}
	return nil
}
