package streams

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/x/device"
)

const (
	// roomEvery is the time between two measurements of the device, and between two checks
	// of streams that are full or nearly full; the others are checked every roomRests-th
	// time.
	roomEvery = 250 * time.Millisecond
	roomRests = 4
	// lateGrace is the time for which results may remain that should have been purged.
	lateGrace = 10 * time.Second
	// roomWithin bounds one check of a stream.
	roomWithin = 2 * time.Second
	// probeEvery is the pause between probes of a stream without storage; muteFirst and
	// muteMost are the shortest and longest pause before a stream that did not acknowledge
	// is tried again.
	probeEvery = time.Second
	muteFirst  = 10 * time.Second
	muteMost   = time.Minute
)

// watchRoom starts to follow the room in the message store, once, until Close.
func (b *Store) watchRoom() {
	b.room.begun.Do(func() {
		b.room.look()
		b.room.done.Go(b.room.watch)
		b.room.done.Go(b.keeper.watch)
	})
}

func (r *room) close() {
	r.ended.Do(func() { close(r.stop) })
	r.done.Wait()
}

func (r *room) watch() {
	tick := time.NewTicker(roomEvery)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-r.stop:
			return
		case <-tick.C:
		}
		r.measure()
		if n%roomRests == 0 || r.tight.Load() || r.accept.Load() != nil {
			r.look()
		}
		if r.suspects.Load() || r.accept.Load() != nil {
			r.probe(time.Now())
		}
	}
}

// measure updates the state of the device of the store, if that is on this machine, with
// one log line for each change: from here calls are refused even if the embedded server
// measures before and after and never sees the device full.
func (r *room) measure() {
	if r.store.opts.StoreDir == "" {
		return
	}
	space, err := device.Of(r.store.opts.StoreDir)
	if err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.deviceIs = space
	fields := []zap.Field{
		zap.String("dir", r.store.opts.StoreDir), zap.Int64("free_bytes", space.Free), zap.String("process", r.store.Conn.ID()),
	}
	switch {
	case !r.noSpace && space.Full():
		r.noSpace = true
		r.store.log.Error("no space on the device of the message store, calls refused", fields...)
	case r.noSpace && space.Enough():
		r.noSpace = false
		r.store.log.Info("space on the device of the message store again", fields...)
	}
	r.settle()
}

// streamInfo is the part of the information about a stream that look reads.
type streamInfo struct {
	Config struct {
		MaxBytes int64 `json:"max_bytes"`
		MaxMsgs  int64 `json:"max_msgs"`
		Replicas int   `json:"num_replicas"`
	} `json:"config"`
	Cluster *struct {
		Leader   string `json:"leader"`
		Replicas []struct {
			Current bool `json:"current"`
			Offline bool `json:"offline"`
		} `json:"replicas"`
	} `json:"cluster"`
	State struct {
		Bytes    int64     `json:"bytes"`
		Messages int64     `json:"messages"`
		First    time.Time `json:"first_ts"`
	} `json:"state"`
	Now   time.Time      `json:"ts"`
	Error jsontext.Value `json:"error"`
}

// look reads the state of the streams that calls need.
func (r *room) look() {
	if !r.store.Conn.NATS().IsConnected() {
		return
	}
	streams := []string{Audit, Results, Once}
	if r.store.opts.Accepts {
		streams = append(streams, Calls, Callbacks)
	}
	for _, stream := range streams {
		var info streamInfo
		reply, err := r.ask(&nats.Msg{Subject: r.store.Conn.API() + "STREAM.INFO." + stream})
		if err == nil {
			err = json.Unmarshal(reply.Data, &info)
		}
		if reply != nil {
			r.store.Conn.Responded(time.Now())
		}
		if lost := err != nil && reply == nil; lost || r.unansweredOnce() {
			r.mu.Lock()
			r.answered(!lost)
			r.settle()
			r.mu.Unlock()
			if lost {
				return // the others would take as long
			}
		}
		if err != nil || info.Error != nil {
			r.store.log.Debug("room in a stream not known", zap.String("stream", stream), zap.Error(err))
			continue
		}
		r.learn(stream, &info)
	}
}

// learn updates the state of a stream from its information.
func (r *room) learn(stream string, info *streamInfo) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.level(stream)
	l.bytes, l.messages = bound{info.State.Bytes, info.Config.MaxBytes}, bound{info.State.Messages, info.Config.MaxMsgs}
	l.oldest = 0
	if info.State.Messages > 0 {
		l.oldest = info.Now.Sub(info.State.First)
	}
	l.spent = l.spent && l.full || byteMargin.spent(l.bytes) || messageMargin.spent(l.messages)
	switch {
	case byteMargin.full(l.bytes) || messageMargin.full(l.messages):
		r.fill(stream, l, true)
	case byteMargin.enough(l.bytes, l.need) && messageMargin.enough(l.messages, 0):
		r.fill(stream, l, false)
	}
	if stream == Results {
		r.lag(l, l.oldest)
	}
	r.settle()
}

func (r *room) unansweredOnce() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.unanswered > 0
}

// probe tries the streams that refused writes. A stream without storage gets a message that
// no stream accepts: the answer shows whether there is storage again. A stream that does
// not acknowledge answers that too, though its writes fail, so only a real write shows that
// it works: from time to time writes are let through. Nothing else may write to it, because
// the calls of a worker whose fences and records go there wait.
func (r *room) probe(now time.Time) {
	r.mu.Lock()
	limited := map[string]string{}
	for stream, l := range r.streams {
		switch {
		case now.Before(l.probe):
		case l.limited:
			limited[stream] = l.subject
			l.probe = now.Add(probeEvery)
		case l.silent && !r.hung:
			l.missed = 1 // the next missing one counts
			r.mute(stream, l, false)
			r.settle()
		}
	}
	r.mu.Unlock()
	for stream, subject := range limited {
		reply, err := r.ask(&nats.Msg{Subject: subject, Header: nats.Header{nats.ExpectedLastSeqHdr: {neverSeq}}})
		var ack natsio.Ack
		if err != nil || json.Unmarshal(reply.Data, &ack) == nil && ack.AtLimit() {
			continue
		}
		r.mu.Lock()
		r.limit(stream, r.streams[stream], false)
		r.settle()
		r.mu.Unlock()
	}
}

// neverSeq is a sequence number that no stream reaches.
const neverSeq = "18446744073709551614"

func (r *room) ask(msg *nats.Msg) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(context.Background(), roomWithin)
	defer cancel()
	return r.store.Conn.Request(ctx, msg)
}
