package natsio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ErrNoStream means that a stream does not exist.
var ErrNoStream = errors.New("the stream does not exist")

// EnsureConsumer makes or changes a durable consumer. A consumer with settings that the
// server cannot change is deleted and made again: that loses only the numbers of attempts,
// not the messages.
func (t Topology) EnsureConsumer(ctx context.Context, stream string, cfg jetstream.ConsumerConfig) (jetstream.Consumer, error) {
	c := t.Conn
	cfg.Metadata = map[string]string{ackWaitKey: cfg.AckWait.String()}
	consumer, err := c.js.CreateOrUpdateConsumer(ctx, stream, cfg)
	if api, ok := errors.AsType[*jetstream.APIError](err); ok && api.ErrorCode == jetstream.JSErrCodeConsumerCreate {
		if gone := c.js.DeleteConsumer(ctx, stream, cfg.Durable); gone == nil {
			return c.js.CreateOrUpdateConsumer(ctx, stream, cfg)
		}
	}
	if err == nil && consumer.CachedInfo().Paused { // which an update does not change
		_, err = c.js.ResumeConsumer(ctx, stream, cfg.Durable)
	}
	return consumer, err
}

// ConsumerState is a durable consumer beside its settings.
type ConsumerState struct {
	// Problem is the difference to the settings, empty if there is none.
	Problem string
	// Waiting is the number of requests for messages that the server holds.
	Waiting int
	// Led is the time for which the present leader of the consumer leads it, 0 without a
	// cluster. It knows no request that was sent to an earlier leader.
	Led time.Duration
}

// ConsumerState compares a durable consumer with its settings. It returns an error if the
// server did not answer; [ErrNoStream] if the stream does not exist.
func (t Topology) ConsumerState(ctx context.Context, stream string, cfg jetstream.ConsumerConfig) (ConsumerState, error) {
	c := t.Conn
	ctx, cancel := context.WithTimeout(ctx, ReadTimeout)
	defer cancel()
	reply, err := c.Request(ctx, &nats.Msg{Subject: c.API() + "CONSUMER.INFO." + stream + "." + cfg.Durable})
	if err != nil {
		return ConsumerState{}, err
	}
	var info struct {
		Config  jetstream.ConsumerConfig `json:"config"`
		Paused  bool                     `json:"paused"`
		Waiting int                      `json:"num_waiting"`
		Now     time.Time                `json:"ts"`
		Cluster struct {
			Since time.Time `json:"leader_since"`
		} `json:"cluster"`
		Error *AckError `json:"error"`
	}
	if err := json.Unmarshal(reply.Data, &info); err != nil {
		return ConsumerState{}, fmt.Errorf("%w: unreadable answer: %w", ErrUnavailable, err)
	}
	switch e := info.Error; {
	case e == nil:
	case e.ErrCode == int(jetstream.JSErrCodeConsumerNotFound):
		return ConsumerState{Problem: "it does not exist"}, nil
	case e.ErrCode == int(jetstream.JSErrCodeStreamNotFound):
		return ConsumerState{}, ErrNoStream
	default:
		return ConsumerState{}, fmt.Errorf("%w: %s", ErrUnavailable, e.Description)
	}
	s := ConsumerState{Problem: consumerDiffers(cfg, info.Config, info.Paused), Waiting: info.Waiting}
	if !info.Cluster.Since.IsZero() {
		s.Led = info.Now.Sub(info.Cluster.Since)
	}
	return s, nil
}

// consumerDiffers returns the differences between the settings that a consumer has and those
// that it must have.
func consumerDiffers(want, is jetstream.ConsumerConfig, paused bool) string {
	var all []string
	for _, s := range []struct {
		name     string
		is, want any
	}{
		{"filter_subject", strings.Join(append(is.FilterSubjects, is.FilterSubject), " "), want.FilterSubject},
		{"ack_policy", is.AckPolicy, want.AckPolicy},
		{"deliver_policy", is.DeliverPolicy, want.DeliverPolicy},
		{"max_deliver", is.MaxDeliver, want.MaxDeliver},
		{"max_ack_pending", is.MaxAckPending, want.MaxAckPending},
		{"max_batch", is.MaxRequestBatch, want.MaxRequestBatch},
		{"max_expires", is.MaxRequestExpires, want.MaxRequestExpires},
		{"max_bytes", is.MaxRequestMaxBytes, want.MaxRequestMaxBytes},
		{"headers_only", is.HeadersOnly, want.HeadersOnly},
		{"deliver_subject", is.DeliverSubject, want.DeliverSubject},
		{"backoff", len(is.BackOff), len(want.BackOff)},
		{"priority_policy", is.PriorityPolicy, want.PriorityPolicy},
		{"paused", paused, false},
	} {
		if s.is != s.want {
			all = append(all, fmt.Sprintf("%s is %v, want %v", s.name, s.is, s.want))
		}
	}
	if is.AckWait != want.AckWait && is.Metadata[ackWaitKey] != is.AckWait.String() {
		all = append(all, fmt.Sprintf("ack_wait is %v, want %v", is.AckWait, want.AckWait))
	}
	return strings.Join(all, "; ")
}

// ackWaitKey is the entry of a consumer's metadata that repeats its ack wait. While the two
// are equal, a Helve process set it, perhaps with another configuration.
const ackWaitKey = "helve.ack_wait"
