package audit

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/protocol"
)

// onNATS is the audit trail on a real NATS server.
type onNATS struct{ q *queue.Queue }

func (o onNATS) Follow(ctx context.Context, from uint64, each func(Message) error) error {
	return stream.NewTail(o.q.Conn).Follow(ctx, from, func(m stream.Message) error { return each(message(m)) })
}

func (o onNATS) Read(ctx context.Context, from, to uint64, tenant string, each func(Message) error) error {
	return stream.On(o.q.Conn).Read(ctx, from, to, tenant, func(m stream.Message) error { return each(message(m)) })
}

func message(m stream.Message) Message { return Message{m.Seq, m.Tenant, m.Data, m.At, m.Tool} }

func (o onNATS) Extent(ctx context.Context, tenant string) (Extent, error) {
	e, err := stream.On(o.q.Conn).Extent(ctx, tenant)
	return Extent{e.First, e.Last, e.Own, e.LastOwn}, err
}

// sealsOnNATS is the seals on a real NATS server.
type sealsOnNATS struct{ q *queue.Queue }

func (s sealsOnNATS) Write(ctx context.Context, tenant string, n uint64, seal []byte) error {
	err := stream.On(s.q.Conn).WriteSeal(ctx, tenant, n, seal)
	if errors.Is(err, natsio.ErrExists) {
		return ErrSealed
	}
	return err
}

func (s sealsOnNATS) Get(ctx context.Context, tenant string, n uint64) ([]byte, error) {
	return stream.On(s.q.Conn).Seal(ctx, tenant, n)
}

func (s sealsOnNATS) Last(ctx context.Context, tenant string) ([]byte, error) {
	return stream.On(s.q.Conn).LastSeal(ctx, tenant)
}

func (s sealsOnNATS) Read(ctx context.Context, tenant string, each func(uint64, []byte) error) error {
	return stream.On(s.q.Conn).Seals(ctx, tenant, 0, each)
}

func (s sealsOnNATS) Note(ctx context.Context, name string, value []byte) error {
	bucket, err := s.q.Conn.Bucket(ctx, streams.BucketSealed)
	if err != nil {
		return err
	}
	return bucket.Put(ctx, noteKey(name), value)
}

func (s sealsOnNATS) Noted(ctx context.Context, name string) ([]byte, error) {
	bucket, err := s.q.Conn.Bucket(ctx, streams.BucketSealed)
	if err != nil {
		return nil, err
	}
	return bucket.Get(ctx, noteKey(name))
}

func noteKey(name string) string {
	if name == "" {
		return "position"
	}
	return "tenant." + name
}

// trail is a queue with records and a sealer's key.
type trail struct {
	t   *testing.T
	q   *queue.Queue
	src Source
	sls Seals
	key ed25519.PrivateKey

	mu      sync.Mutex
	trouble []string
}

func testKey(name string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte(name))
	return ed25519.NewKeyFromSeed(seed[:])
}

func newTrail(t *testing.T, tune ...func(*queue.Options)) *trail {
	return trailOn(t, queuetest.Connect(t, queuetest.Server(t), tune...))
}

func trailOn(t *testing.T, q *queue.Queue) *trail {
	return &trail{t: t, q: q, src: onNATS{q}, sls: sealsOnNATS{q}, key: testKey("sealer")}
}

// record stores a record that tells its tenant and number.
func (tr *trail) record(tenant string, i int) {
	tr.t.Helper()
	r := protocol.AuditRecord{
		Tenant: tenant, Phase: protocol.AuditFinished, CallID: fmt.Sprintf("%s-%04d", tenant, i), User: "u1", Tool: "read_file",
		Result: &protocol.AuditResult{Status: "success", Summary: Summarize([]byte(`"abc"`))}, DurationMS: 1.5,
	}
	data, err := Encode(&r)
	if err != nil {
		tr.t.Fatal(err)
	}
	if err := stream.On(tr.q.Conn).RecordWait(tr.t.Context(), tenant, r.Tool, data); err != nil {
		tr.t.Fatal(err)
	}
}

func (tr *trail) records(tenant string, n int) {
	tr.t.Helper()
	for i := range n {
		tr.record(tenant, i)
	}
}

func (tr *trail) sealer() *Sealer {
	return &Sealer{
		Source: tr.src, Seals: tr.sls, Key: tr.key, Every: 10 * time.Millisecond, Records: 4,
		Trouble: func(err error) {
			tr.mu.Lock()
			defer tr.mu.Unlock()
			tr.trouble = append(tr.trouble, err.Error())
		},
	}
}

// troubles reports whether the sealer told of something.
func (tr *trail) troubles(part string) bool {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return strings.Contains(strings.Join(tr.trouble, "\n"), part)
}

// start runs a sealer until stop is called.
func (tr *trail) start(s *Sealer) (stop func()) {
	ctx, cancel := context.WithCancel(tr.t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	return sync.OnceFunc(func() {
		cancel()
		if err := queuetest.Receive(tr.t, done, "end of the sealer"); !errors.Is(err, context.Canceled) {
			tr.t.Errorf("the sealer ended with %v, want the context's end", err)
		}
	})
}

// sealedTo waits until a tenant's records are sealed, and the seal noted, up to
// the last one.
func (tr *trail) sealedTo(tenant string) {
	tr.t.Helper()
	queuetest.Until(tr.t, "sealed: "+tenant, func() bool {
		ext, err := tr.src.Extent(tr.t.Context(), tenant)
		if err != nil {
			tr.t.Fatal(err)
		}
		data, err := tr.sls.Last(tr.t.Context(), tenant)
		if err != nil {
			tr.t.Fatal(err)
		}
		o, err := open(data, ring(publicOf(tr.key)))
		if err != nil || o.To < ext.LastOwn {
			return false
		}
		noted, err := readNote(tr.t.Context(), tr.sls, tenant, ring(publicOf(tr.key)))
		return err == nil && noted.N == o.N
	})
}

// seal seals all there is.
func (tr *trail) seal(tenants ...string) {
	tr.t.Helper()
	stop := tr.start(tr.sealer())
	defer stop()
	for _, tenant := range tenants {
		tr.sealedTo(tenant)
	}
}

// sealFours seals records of a tenant, a multiple of four, under seals of four.
func (tr *trail) sealFours(tenant string) {
	tr.t.Helper()
	s := tr.sealer()
	s.Every = time.Hour
	stop := tr.start(s)
	defer stop()
	tr.sealedTo(tenant)
}

func (tr *trail) verifier() *Verifier {
	return &Verifier{Source: tr.src, Seals: tr.sls, Keys: []ed25519.PublicKey{publicOf(tr.key)}}
}

func (tr *trail) verify(tenant string) protocol.AuditReport {
	tr.t.Helper()
	report, err := tr.verifier().Verify(tr.t.Context(), tenant, Range{})
	if err != nil {
		tr.t.Fatal(err)
	}
	return report
}

// export returns a whole export, taken in pages of limit lines.
func (tr *trail) export(tenant string, q Query, limit int) []byte {
	tr.t.Helper()
	var out bytes.Buffer
	for cursor := ""; ; {
		// Each page comes from another process.
		e := Exporter{Source: tr.src, Seals: tr.sls, Key: tr.key}
		lines, next, err := e.Page(tr.t.Context(), tenant, q, cursor, limit)
		if err != nil {
			tr.t.Fatal(err)
		}
		for _, line := range lines {
			out.Write(line)
			out.WriteByte('\n')
		}
		if next == "" {
			return out.Bytes()
		}
		cursor = next
	}
}

// ok fails the test unless a report is clean and of so many records.
func ok(t *testing.T, what string, r protocol.AuditReport, records uint64) {
	t.Helper()
	if !r.OK || r.Found != 0 || len(r.Problems) != 0 || r.Records != records {
		t.Errorf("%s: %+v, want it clean with %d records", what, r, records)
	}
}

// has reports whether a report names a problem.
func has(r protocol.AuditReport, kind protocol.AuditProblemKind, seq uint64) bool {
	for _, p := range r.Problems {
		if p.Kind == kind && p.Seq == seq {
			return !r.OK
		}
	}
	return false
}
