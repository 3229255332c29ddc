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

	"github.com/helve-dev/helve/internal/audit/proof"
	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/identity/keysync"
	"github.com/helve-dev/helve/protocol"
)

// writing is the task of a writer process: write Rate audit records per second to the
// stream for Time, as workers do.
type writing struct {
	Rate int           `json:"rate"`
	Time time.Duration `json:"time"`
}

// written is the outcome. P50 and P99 are the times until a record was acknowledged, in
// microseconds.
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
	// writeTick is the interval at which records are sent.
	writeTick = 5 * time.Millisecond
	// unanswered limits the unacknowledged records: the writer waits for a slow stream.
	unanswered = 8192
	// perTrace is the number of records of a trace, two for each call.
	perTrace = 10
	// benchTool is the tool in the records.
	benchTool = "bench.write"
)

// run writes, and returns when everything is acknowledged.
func (o writing) run(ctx context.Context, url string) (written, error) {
	q, err := queue.Connect(queue.Options{Options: streams.Options{Options: natsio.Options{URL: url, Name: "helve-bench", Log: zap.NewNop()}}})
	if err != nil {
		return written{}, err
	}
	defer q.Close()
	if err := q.Prepare(ctx); err != nil {
		return written{}, err
	}
	self, err := proof.NewWorker()
	if err == nil {
		err = keysync.Follow(ctx, q, keysync.Record, self, zap.NewNop())
	}
	if err != nil {
		return written{}, err
	}
	records := trail.Writer{Queue: q, Log: zap.NewNop(), Proof: self}
	var times histogram
	var failed atomic.Pointer[error]
	var all sync.WaitGroup
	room := make(chan struct{}, unanswered)
	total, began := 0, time.Now()
	tick := time.NewTicker(writeTick)
	defer tick.Stop()
	for ctx.Err() == nil && failed.Load() == nil && time.Since(began) < o.Time {
		for due := int(float64(o.Rate) * time.Since(began).Seconds()); total < due; total++ {
			data, err := records.Encode(recordOf(total, self.ID()))
			if err != nil {
				return written{}, err
			}
			room <- struct{}{}
			all.Add(1)
			sent := time.Now()
			stream.On(q.Conn).Record(benchTenant, benchTool, data, func(err error) {
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

// recordOf returns record n of a writer: the start of a call, or its outcome.
func recordOf(n int, writer string) *protocol.AuditRecord {
	now, call := time.Now(), strconv.Itoa(n/2)
	r := &protocol.AuditRecord{
		ID: "s-bench-" + call + "-1", Phase: protocol.AuditStarted, TraceID: traceOf(n), CallID: "bench-" + call, Tenant: benchTenant,
		User: "u" + strconv.Itoa(n/perTrace%1000), Agent: "a1", Conversation: "c1", Tool: benchTool, ToolVersion: "1", Attempt: 1, Worker: writer,
		ArgsHash: "sha256:" + traceOf(n) + traceOf(n), StartedAt: &now,
		Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeAllowed, Reason: "a low risk runs", Rule: "table"},
	}
	if n%2 == 1 {
		r.ID, r.Phase, r.EndedAt, r.DurationMS = "f-bench-"+call+"-1", protocol.AuditFinished, &now, 1.5
		r.Result = &protocol.AuditResult{Status: protocol.StatusSuccess, Summary: "an object of 1 member"}
	}
	return r
}

// traceOf returns the trace of record n. Adjacent records have unrelated traces, as
// real ones do.
func traceOf(n int) string {
	sum := sha256.Sum256(strconv.AppendInt(nil, int64(n/perTrace), 10))
	return hex.EncodeToString(sum[:16])
}
