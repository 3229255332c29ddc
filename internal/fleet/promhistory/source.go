package promhistory

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/protocol"
)

const (
	// patience is the time that all queries of an answer have.
	patience = 5 * time.Second
	// fresh is the time for which an answer, or that there was none, is kept for others who read.
	fresh = 10 * time.Second
)

// instead is the note at the stored history in place of what Prometheus has. The cause, which names addresses,
// is for the log only.
const instead = "Prometheus could not be read, so these are the numbers that Helve stored. The log of the dispatcher has the cause."

// Stored is the history that Helve itself keeps.
type Stored interface {
	Last(ctx context.Context, span time.Duration) protocol.MetricsHistory
}

// Options names the Prometheus, and what is read without it.
type Options struct {
	// URL is the address of Prometheus; a user and a password in it are sent.
	URL string
	// Match selects the series of this installation, as job="helve"; all if empty.
	Match  string
	Stored Stored
	Log    *zap.Logger
}

// Source reads the history from Prometheus. It is safe for concurrent use.
type Source struct {
	opts   Options
	client client
	spans  [3]kept // an hour, a day, a week
}

// kept is the newest answer for a span.
type kept struct {
	turn   chan struct{} // holds a value while somebody reads
	at     time.Time
	m      protocol.MetricsHistory
	failed bool
}

// New returns a source, without sending a request.
func New(o Options) (*Source, error) {
	base, err := url.Parse(o.URL)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, errors.New("the address of Prometheus is no URL with http or https")
	}
	s := &Source{opts: o, client: client{base, &http.Client{
		Transport: &http.Transport{ // without a proxy: it is a server of the operator
			MaxIdleConnsPerHost: concurrent, IdleConnTimeout: time.Minute, ResponseHeaderTimeout: patience,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("it redirects, which is not followed; set its own address")
		},
	}}}
	for i := range s.spans {
		s.spans[i].turn = make(chan struct{}, 1)
	}
	return s, nil
}

// Last returns the last time up to now: from Prometheus, or if that fails the stored history with a note.
func (s *Source) Last(ctx context.Context, span time.Duration) protocol.MetricsHistory {
	k, step, steps := &s.spans[0], time.Minute, 60
	switch {
	case span > 24*time.Hour:
		k, step, steps = &s.spans[2], 30*time.Minute, 336
	case span > time.Hour:
		k, step, steps = &s.spans[1], 5*time.Minute, 288
	}
	select {
	case k.turn <- struct{}{}:
		defer func() { <-k.turn }()
	case <-ctx.Done():
		return s.opts.Stored.Last(ctx, span) // nobody reads it
	}
	if now := time.Now(); k.at.IsZero() || now.Sub(k.at) > fresh || now.Before(k.at) {
		s.renew(ctx, k, grid{now.Truncate(fresh), step, steps})
	}
	if k.failed {
		m := s.opts.Stored.Last(ctx, span)
		m.Note = instead
		return m
	}
	return last(k.m, int(min(span/step, time.Duration(steps))))
}

// renew reads newer values. The request has a time of its own, because it is for all readers.
func (s *Source) renew(ctx context.Context, k *kept, g grid) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	found, err := s.client.read(ctx, s.opts.Match, g)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("it did not answer within %v", patience)
	}
	if err == nil {
		if k.m = history(found, g); !slices.Contains(k.m.Known, true) {
			err = errors.New("it has no series of Helve in this time; check what it scrapes, and console.prometheus_match")
		}
	}
	if err != nil && !k.failed {
		s.opts.Log.Warn("prometheus not read", zap.Error(err))
	}
	k.at, k.failed = time.Now(), err != nil
}

// last returns the last n steps of a history.
func last(m protocol.MetricsHistory, n int) protocol.MetricsHistory {
	from := max(len(m.Times)-n, 0)
	m.Times, m.Known = m.Times[from:], m.Known[from:]
	if begin := m.Times[0].Add(-time.Duration(m.StepSeconds * float64(time.Second))); m.Since.Before(begin) {
		m.Since = begin
	}
	cut := func(s protocol.MetricsSeries) protocol.MetricsSeries {
		s.Success, s.Error, s.P50, s.P99 = s.Success[from:], s.Error[from:], s.P50[from:], s.P99[from:]
		s.Backlog, s.Busy, s.Slots = s.Backlog[from:], s.Busy[from:], s.Slots[from:]
		return s
	}
	m.Total = cut(m.Total)
	all := make([]protocol.MetricsSeries, len(m.Pools))
	for i, p := range m.Pools {
		all[i] = cut(p)
	}
	m.Pools = all
	return m
}
