package streams

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/nats-io/nats.go"
	"go.uber.org/zap"
)

// Fill is the content of a stream, and its bounds, 0 for none.
type Fill struct {
	Stream                string
	Bytes, MaxBytes       int64
	Messages, MaxMessages int64
	// Holds is the age of the oldest message: the time whose messages the stream holds.
	Holds time.Duration
	// Replicas is the configured number of copies, Current the number of those that have
	// all that is stored.
	Replicas, Current int
	// Err is set if the leader of the stream did not answer; the other fields are then 0.
	Err error
}

// Ratio returns the fraction, 0 to 1, of the bound that the stream is nearest to; 0 for a
// stream without bounds.
func (f Fill) Ratio() float64 {
	ratio := 0.0
	for _, b := range []bound{{f.Bytes, f.MaxBytes}, {f.Messages, f.MaxMessages}} {
		if b.max > 0 {
			ratio = max(ratio, float64(b.used)/float64(b.max))
		}
	}
	return ratio
}

// fillEvery is the time between two measurements of a stream.
const fillEvery = 10 * time.Second

// WatchFill calls seen with each stream periodically, until ctx ends.
func (b *Store) WatchFill(ctx context.Context, seen func(Fill)) {
	tick := time.NewTicker(fillEvery)
	defer tick.Stop()
	for {
		for _, fill := range b.fills(ctx) {
			if fill.Err != nil {
				b.log.Debug("fill of a stream not known now", zap.String("stream", fill.Stream), zap.Error(fill.Err))
			}
			seen(fill)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// fills measures all streams concurrently: without a quorum none answers. If ctx ends
// meanwhile it returns none.
func (b *Store) fills(ctx context.Context) []Fill {
	streams := b.configs()
	fills := make([]Fill, len(streams))
	var all sync.WaitGroup
	for i, stream := range streams {
		all.Go(func() {
			var err error
			if fills[i], err = b.Fill(ctx, stream.Name); err != nil {
				fills[i] = Fill{Stream: stream.Name, Err: err}
			}
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return nil
	}
	return fills
}

// Storage returns the bytes that the streams of the NATS account hold on disk, and their
// limit, 0 for none.
func (b *Store) Storage(ctx context.Context) (used, limit int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, roomWithin)
	defer cancel()
	reply, err := b.Conn.Request(ctx, &nats.Msg{Subject: b.Conn.API() + "INFO"})
	if err != nil {
		return 0, 0, err
	}
	var info struct {
		Storage int64 `json:"storage"`
		Limits  struct {
			MaxStorage int64 `json:"max_storage"`
		} `json:"limits"`
		Error jsontext.Value `json:"error"`
	}
	if err := json.Unmarshal(reply.Data, &info); err != nil {
		return 0, 0, err
	}
	if info.Error != nil {
		return 0, 0, fmt.Errorf("account: %s", info.Error)
	}
	return info.Storage, max(info.Limits.MaxStorage, 0), nil
}

// Fill measures one stream.
func (b *Store) Fill(ctx context.Context, stream string) (Fill, error) {
	ctx, cancel := context.WithTimeout(ctx, roomWithin)
	defer cancel()
	reply, err := b.Conn.Request(ctx, &nats.Msg{Subject: "$JS.API.STREAM.INFO." + stream})
	if err != nil {
		return Fill{}, err
	}
	var info streamInfo
	if err := json.Unmarshal(reply.Data, &info); err != nil {
		return Fill{}, err
	}
	if info.Error != nil {
		return Fill{}, fmt.Errorf("stream %s: %s", stream, info.Error)
	}
	if info.Cluster != nil && info.Cluster.Leader == "" { // a member answers that knows no leader
		return Fill{}, fmt.Errorf("stream %s has no leader", stream)
	}
	var holds time.Duration
	if info.State.Messages > 0 {
		holds = info.Now.Sub(info.State.First)
	}
	return Fill{
		Stream: stream, Holds: holds,
		Bytes: info.State.Bytes, MaxBytes: max(info.Config.MaxBytes, 0),
		Messages: info.State.Messages, MaxMessages: max(info.Config.MaxMsgs, 0),
		Replicas: max(info.Config.Replicas, 1), Current: info.current(),
	}, nil
}

// current returns the number of copies that have all that is stored, the leader's included.
func (i *streamInfo) current() int {
	current := 1
	if i.Cluster == nil {
		return current
	}
	for _, peer := range i.Cluster.Replicas {
		if peer.Current && !peer.Offline {
			current++
		}
	}
	return current
}
