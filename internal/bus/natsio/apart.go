package natsio

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"
)

// InboxApart begins the inbox prefix of processes in an account of their own (package
// natsauth). JetStream is on the other side of the border between the accounts: a reply
// comes back across it, and nothing else does. So such a process makes no consumers,
// which deliver wherever they are told: it reads pages of streams, and dispatchers make
// the consumers of its lanes.
const InboxApart = "_INBOX_apart"

// APIApart replaces $JS.API in the requests of such a process: in an
// account without JetStream the server itself answers requests under that name.
const APIApart = "HELVE.JS.API"

// API begins the subjects of requests to JetStream.
func (c *Conn) API() string {
	if c.Apart() {
		return APIApart + "."
	}
	return "$JS.API."
}

// Apart reports whether this process is in an account of its own.
func (c *Conn) Apart() bool { return strings.HasPrefix(c.nc.Opts.InboxPrefix, InboxApart+".") }

const (
	// pageMost and pageBytes bound one page of a stream.
	pageMost, pageBytes = 256, 4 << 20
	// pollEvery is the pause between reads of a bucket by a process apart.
	pollEvery = time.Second
)

// page calls have for the messages of a stream that match a filter, from a sequence number
// on, oldest first, and returns the number of the last one; 0 if there is none.
func (c *Conn) page(ctx context.Context, stream, filter string, from uint64, have func(*nats.Msg, uint64)) (last uint64, err error) {
	ask, err := json.Marshal(map[string]any{"seq": max(from, 1), "batch": pageMost, "max_bytes": pageBytes, "next_by_subj": filter})
	if err != nil {
		return 0, err
	}
	got := make(chan *nats.Msg, pageMost+1)
	end := make(chan struct{})
	reply := c.replies.ExpectMany(time.Now().Add(ReadTimeout), func(m *nats.Msg) {
		if m == nil {
			close(end)
			return
		}
		select {
		case got <- m:
		default: // more than were requested
		}
	})
	defer c.replies.Drop(reply, func() {})
	if err := c.nc.PublishMsg(&nats.Msg{Subject: c.API() + "DIRECT.GET." + stream, Reply: reply, Data: ask}); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	for {
		select {
		case m := <-got:
			if !isStored(m) {
				switch m.Header.Get("Status") {
				case "204", "404": // the end of the page; there is no such message
					return last, nil
				}
				if m.Header.Get("Status") == "503" {
					return last, fmt.Errorf("%w: stream %s: %w", ErrUnavailable, stream, errUnanswered)
				}
				return last, fmt.Errorf("%w: stream %s: %s", ErrUnavailable, stream, m.Header.Get("Description"))
			}
			seq, err := strconv.ParseUint(ServerHeader(m, HeaderSequence), 10, 64)
			if err != nil {
				return last, err
			}
			m.Subject, last = ServerHeader(m, HeaderSubject), seq
			have(m, seq)
		case <-end:
			return last, fmt.Errorf("%w: stream %s: %w", ErrUnavailable, stream, errUnanswered)
		case <-ctx.Done():
			return last, context.Cause(ctx)
		}
	}
}

// pages calls have for everything under a filter from a sequence number on, and returns
// the number of the last message, or the one before from if there is none.
func (c *Conn) pages(ctx context.Context, stream, filter string, from uint64, have func(*nats.Msg, uint64)) (uint64, error) {
	for {
		last, err := answered(ctx, c, "read stream "+stream, silent, func() (last uint64, err error) {
			last, err = c.page(ctx, stream, filter, from, have)
			from = max(from, last+1) // what was read is not read again
			return last, err
		})
		if err != nil || last == 0 {
			return from - 1, err
		}
		from = last + 1
	}
}

// keys calls change for the keys of a bucket that fit a pattern and were written from a
// revision on; a nil value means deleted.
func (k *Bucket) keys(
	ctx context.Context, pattern string, from uint64, change func(key string, value []byte, revision uint64),
) (uint64, error) {
	name := k.kv.Bucket()
	return k.conn.pages(ctx, "KV_"+name, "$KV."+name+"."+pattern, from, func(m *nats.Msg, revision uint64) {
		key := strings.TrimPrefix(m.Subject, "$KV."+name+".")
		if m.Header.Get("KV-Operation") != "" || m.Header.Get(jetstream.MarkerReasonHeader) != "" {
			change(key, nil, revision)
			return
		}
		change(key, m.Data, revision)
	})
}

// poll is [Bucket.Follow] without a consumer.
func (k *Bucket) poll(ctx context.Context, change func(key string, value []byte, revision uint64)) error {
	at, err := k.keys(ctx, ">", 1, change)
	if err != nil {
		return err
	}
	since := k.conn.ConnectedSince()
	go func() {
		tick := time.NewTicker(pollEvery)
		defer tick.Stop()
		failed := false
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			now := k.conn.ConnectedSince()
			if now.IsZero() {
				continue
			}
			if !now.Equal(since) { // the server may have come back without its data
				since, at = now, 0
			}
			next, err := k.keys(ctx, ">", at+1, change)
			if at = next; err != nil && !failed && ctx.Err() == nil {
				k.conn.log.Warn("bucket not read; trying again", zap.String("bucket", k.kv.Bucket()), zap.Error(err))
			}
			failed = err != nil
		}
	}()
	return nil
}
