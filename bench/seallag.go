package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// sealLag measures, from NATS, how long the oldest record of each seal waited for
// it. Its precision is sealSample, and its error only makes the time longer.
type sealLag struct {
	nc     *nats.Conn
	trail  jetstream.Stream
	ctx    context.Context
	stop   context.CancelFunc
	looked sync.WaitGroup

	mu      sync.Mutex
	samples []sample
	seals   int
	most    time.Duration
	to      uint64 // the last sealed place
	wrong   error
}

// sample states that records up to a place were stored before a moment.
type sample struct {
	at   time.Time
	last uint64
}

// sealSample is the interval at which the stream is sampled.
const sealSample = 50 * time.Millisecond

func watchSeals(ctx context.Context, url string) (*sealLag, error) {
	nc, err := nats.Connect(url)
	if err != nil {
		return nil, err
	}
	l := &sealLag{nc: nc}
	l.ctx, l.stop = context.WithCancel(ctx)
	if err := l.begin(); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func (l *sealLag) begin() error {
	js, err := jetstream.New(l.nc)
	if err != nil {
		return err
	}
	if l.trail, err = js.Stream(l.ctx, streams.Audit); err != nil {
		return err
	}
	if err := l.look(); err != nil {
		return err
	}
	if _, err := l.nc.Subscribe("helve.v1."+benchTenant+".seal.*", func(msg *nats.Msg) { l.sealed(msg.Data, time.Now()) }); err != nil {
		return err
	}
	l.looked.Go(func() {
		tick := time.NewTicker(sealSample)
		defer tick.Stop()
		for l.ctx.Err() == nil {
			select {
			case <-tick.C:
				if err := l.look(); err != nil && l.ctx.Err() == nil {
					l.note(err)
				}
			case <-l.ctx.Done():
			}
		}
	})
	return l.nc.Flush()
}

func (l *sealLag) close() {
	l.stop()
	l.looked.Wait()
	l.nc.Close()
}

func (l *sealLag) note(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wrong = errors.Join(l.wrong, err)
}

// look takes a sample. Its time is that before the request: later records are younger.
func (l *sealLag) look() error {
	at := time.Now()
	info, err := l.trail.Info(l.ctx)
	if err != nil {
		return fmt.Errorf("look at the audit stream: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.samples = append(l.samples, sample{at, info.State.LastSeq})
	return nil
}

func (l *sealLag) sealed(data []byte, now time.Time) {
	var seal audit.Seal
	if err := json.Unmarshal(data, &seal); err != nil {
		l.note(fmt.Errorf("unreadable seal: %w", err))
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seals++
	l.to = max(l.to, seal.To)
	// The first record of the seal was stored after the last sample without it.
	for len(l.samples) > 1 && l.samples[1].last < seal.From {
		l.samples = l.samples[1:]
	}
	// Before the first sample there is no information: the record is at least as old as
	// that.
	l.most = max(l.most, now.Sub(l.samples[0].at))
}

// report waits until every record is sealed.
func (l *sealLag) report(ctx context.Context, s *Sheet) error {
	info, err := l.trail.Info(ctx)
	if err != nil {
		return err
	}
	for end := time.Now().Add(stallTimeout); ; {
		l.mu.Lock()
		to, seals, most, wrong := l.to, l.seals, l.most, l.wrong
		l.mu.Unlock()
		switch {
		case wrong != nil:
			return wrong
		case to >= info.State.LastSeq:
			s.put("seals", float64(seals), "seals written")
			s.put("seal_lag_max_s", most.Seconds(), "the longest that a record waited for its seal")
			return nil
		case time.Now().After(end):
			return fmt.Errorf("the records after %d have no seal %v later", to, stallTimeout)
		}
		wait(ctx, sealSample)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}
