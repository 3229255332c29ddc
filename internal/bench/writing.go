package bench

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/bus"
)

// writing is what a writer process is asked to do: put Rate audit records a
// second onto the stream for Time, as workers do.
type writing struct {
	Rate int           `json:"rate"`
	Time time.Duration `json:"time"`
}

// written is what came of it. P50 and P99 are the times until a record was
// acknowledged, in microseconds.
type written struct {
	Records int     `json:"records"`
	Seconds float64 `json:"seconds"`
	P50     float64 `json:"p50_us"`
	P99     float64 `json:"p99_us"`
}

func (w *written) report(s *Sheet) {
	s.put("written", float64(w.Records), "records written")
	s.put("write_records_per_s", float64(w.Records)/w.Seconds, fmt.Sprintf("records stored a second; %d were to be", auditRate))
	s.put("write_ack_p50_us", w.P50, "a record sent to stored, median")
	s.put("write_ack_p99_us", w.P99, "")
}

const (
	// writeTick is how often records are sent.
	writeTick = 5 * time.Millisecond
	// unanswered bounds the records that are not acknowledged: a stream that is
	// too slow is waited for.
	unanswered = 8192
	// perTrace is how many records a trace has, two for each call.
	perTrace = 10
	// benchTool is what the records are about.
	benchTool = "bench.write"
)

// run writes, and returns when all that was written is acknowledged.
func (o writing) run(ctx context.Context, url string) (written, error) {
	b, err := bus.Connect(bus.Options{URL: url, Name: "helve-bench", Log: zap.NewNop()})
	if err != nil {
		return written{}, err
	}
	defer b.Close()
	if err := b.Prepare(ctx); err != nil {
		return written{}, err
	}
	var times histogram
	var failed atomic.Pointer[error]
	var all sync.WaitGroup
	room := make(chan struct{}, unanswered)
	total, began := 0, time.Now()
	tick := time.NewTicker(writeTick)
	defer tick.Stop()
	for ctx.Err() == nil && failed.Load() == nil && time.Since(began) < o.Time {
		for due := int(float64(o.Rate) * time.Since(began).Seconds()); total < due; total++ {
			data, err := audit.Encode(recordOf(total))
			if err != nil {
				return written{}, err
			}
			room <- struct{}{}
			all.Add(1)
			sent := time.Now()
			b.Record(benchTenant, benchTool, data, func(err error) {
				if err != nil {
					failed.CompareAndSwap(nil, &err)
				}
				times.add(time.Since(sent))
				<-room
				all.Done()
			})
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	all.Wait()
	if err := failed.Load(); err != nil {
		return written{}, fmt.Errorf("a record was not stored: %w", *err)
	}
	return written{total, time.Since(began).Seconds(), times.quantile(0.50), times.quantile(0.99)}, ctx.Err()
}

// recordOf is record n: that a call starts, or how it ended.
func recordOf(n int) *audit.Record {
	now, call := time.Now(), strconv.Itoa(n/2)
	r := &audit.Record{
		AuditID: "s-bench-" + call + "-1", Phase: audit.Started, TraceID: traceOf(n), CallID: "bench-" + call, Tenant: benchTenant,
		User: "u" + strconv.Itoa(n/perTrace%1000), Agent: "a1", Conversation: "c1", Tool: benchTool, ToolVersion: "1", Attempt: 1, Worker: "w-bench",
		ArgsHash: "sha256:" + traceOf(n) + traceOf(n), StartedAt: &now,
		Decision: &audit.Decision{Outcome: audit.Allowed, Reason: "a low risk runs", Rule: "table"},
	}
	if n%2 == 1 {
		r.AuditID, r.Phase, r.EndedAt, r.DurationMS = "f-bench-"+call+"-1", audit.Finished, &now, 1.5
		r.Result = &audit.Result{Status: bus.StatusSuccess, Summary: "an object of 1 member"}
	}
	return r
}

// traceOf is the trace of record n. Neighbours have nothing in common, as those
// of the wild.
func traceOf(n int) string {
	sum := sha256.Sum256(strconv.AppendInt(nil, int64(n/perTrace), 10))
	return hex.EncodeToString(sum[:16])
}
