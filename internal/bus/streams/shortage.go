package streams

import (
	"fmt"
	"time"

	"go.uber.org/zap"
)

func (r *room) fields(stream string, l *level) []zap.Field {
	return []zap.Field{
		zap.String("stream", stream), zap.Int64("bytes", l.bytes.used), zap.Int64("max_bytes", l.bytes.max),
		zap.String("process", r.store.Conn.ID()),
	}
}

// names are the terms for the streams in messages to callers and operators, with the
// remedy. Settings is the common beginning of the names of its settings.
var names = map[string]struct{ name, advice, settings string }{
	Audit:   {"the audit stream", "the operator must raise %s or shorten audit.max_age", "audit.max"},
	Results: {"the results stream", "the operator must raise %s or shorten streams.results_max_age", "streams.results_max"},
	Calls:   {"the queue of calls", "send the call again later; the operator can raise %s or start more workers", "streams.calls_max"},
	Once: {
		"the stream of once-only records", "send the call again later; the operator can raise %s or shorten streams.calls_max_age",
		"streams.once_max",
	},
}

func (l *level) shortage(stream string) *Shortage {
	n := names[stream]
	switch {
	case l.absent != "":
		return &Shortage{What: "stream " + stream + " " + l.absent, Advice: "send the call again later", silent: true}
	case l.full && (l.crowded || messageMargin.full(l.messages)):
		return &Shortage{
			What:   fmt.Sprintf("%s is full (%d of %d messages%s)", n.name, l.messages.used, l.messages.max, l.rate(stream)),
			Advice: fmt.Sprintf(n.advice, n.settings+"_messages"),
		}
	case l.full && l.bytes.max > 0:
		return &Shortage{
			What:   fmt.Sprintf("%s is full (%.2f of %.2f MiB used%s)", n.name, mib(l.bytes.used), mib(l.bytes.max), l.rate(stream)),
			Advice: fmt.Sprintf(n.advice, n.settings+"_bytes"),
		}
	case l.full:
		return &Shortage{What: n.name + " is full", Advice: fmt.Sprintf(n.advice, n.settings+"_bytes")}
	case l.limited:
		return &Shortage{
			What: n.name + " is full: the message store has reached its storage limit", Advice: "the operator must give NATS more storage",
		}
	case l.silent:
		return &Shortage{
			What:   n.name + " does not acknowledge",
			Advice: "the operator must look at the NATS server; send the call again later",
			silent: true,
		}
	}
	return nil
}

// rate returns the time whose calls a full stream of results or of once-only records holds: at
// this rate the bound is too small, however long they are kept.
func (l *level) rate(stream string) string {
	if l.holds <= 0 || stream != Results && stream != Once {
		return ""
	}
	return ": " + stream + " holds " + Lasts(l.holds) + " of calls at this rate"
}

// Lasts returns a time in words, in minutes unless it is short or long.
func Lasts(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d seconds", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d minutes", int(d.Minutes()))
	}
	return fmt.Sprintf("%d hours", int(d.Hours()))
}

// Shortages returns the streams for which calls are refused now, with the reasons.
func (b *Store) Shortages() map[string]*Shortage {
	b.room.mu.Lock()
	defer b.room.mu.Unlock()
	all := map[string]*Shortage{}
	for stream, l := range b.room.streams {
		if _, ok := names[stream]; !ok || l.absent != "" {
			continue
		}
		if s := l.shortage(stream); s != nil {
			all[stream] = s
		}
	}
	return all
}

func mib(n int64) float64 { return float64(n) / (1 << 20) }
