package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/protocol"
)

func TestSealerSealsEachTenantByItself(t *testing.T) {
	t.Parallel()
	tr := newTrail(t)
	var lags atomic.Int64
	s := tr.sealer()
	s.Lag = func(time.Duration) { lags.Add(1) }
	stop := tr.start(s)
	defer stop()
	for i := range 10 {
		tr.record("acme", i)
		tr.record("other", i)
	}
	tr.sealedTo("acme")
	tr.sealedTo("other")
	for _, tenant := range []string{"acme", "other"} {
		r := tr.verify(tenant)
		ok(t, tenant, r, 10)
		if want := uint64(19 + len(tenant) - 4); r.SealedTo != want {
			t.Errorf("%s is sealed to %d, want %d", tenant, r.SealedTo, want)
		}
	}
	if lags.Load() == 0 {
		t.Error("no lag was told")
	}
}

func TestSealerGoesOnWhereTheLastOneStopped(t *testing.T) {
	t.Parallel()
	tr := newTrail(t)
	for round := range 3 {
		tr.records("acme", 5)
		tr.seal("acme")
		ok(t, fmt.Sprint("round ", round), tr.verify("acme"), uint64(5*(round+1)))
	}
	// Without the notes it reads again and seals nothing twice.
	for _, name := range []string{"", "acme"} {
		if err := tr.sls.Note(t.Context(), name, nil); err != nil {
			t.Fatal(err)
		}
	}
	tr.records("acme", 1)
	tr.seal("acme")
	ok(t, "without notes", tr.verify("acme"), 16)
	if !tr.troubles("is not ours") {
		t.Error("an empty note was believed in silence")
	}
}

// TestTwoSealersMakeOneChain: a sealer whose lease is gone goes on for a while.
func TestTwoSealersMakeOneChain(t *testing.T) {
	t.Parallel()
	tr := newTrail(t)
	one, two := tr.start(tr.sealer()), tr.start(tr.sealer())
	defer one()
	defer two()
	var all sync.WaitGroup
	for _, tenant := range []string{"acme", "other"} {
		all.Go(func() {
			for i := range 200 {
				if i%4 > 0 {
					tr.record(tenant, i)
				} else {
					tr.block(tenant, tr.lines(tenant, i, 3)...)
				}
			}
		})
	}
	all.Wait()
	tr.sealedTo("acme")
	tr.sealedTo("other")
	ok(t, "acme", tr.verify("acme"), 300)
	ok(t, "other", tr.verify("other"), 300)
	if tr.troubles("") && len(tr.trouble) > 0 {
		t.Errorf("troubles: %q, want none", tr.trouble)
	}
}

// killed ends the sealer at a write: before it, or when the server has the seal
// and nobody has heard so.
type killed struct {
	Seals
	at    int64
	after bool
	n     atomic.Int64
}

var errKilled = errors.New("killed")

func (k *killed) Write(ctx context.Context, tenant string, n uint64, seal []byte) error {
	if k.n.Add(1) != k.at {
		return k.Seals.Write(ctx, tenant, n, seal)
	}
	if k.after {
		if err := k.Seals.Write(ctx, tenant, n, seal); err != nil {
			return err
		}
	}
	return errKilled
}

func TestKilledSealerLeavesNothingUndone(t *testing.T) {
	t.Parallel()
	for _, after := range []bool{false, true} {
		for at := range int64(3) {
			t.Run(fmt.Sprintf("write %d, stored %v", at+1, after), func(t *testing.T) {
				t.Parallel()
				tr := newTrail(t)
				tr.records("acme", 9)
				s := tr.sealer()
				s.Seals = &killed{Seals: tr.sls, at: at + 1, after: after}
				if err := s.Run(t.Context()); !errors.Is(err, errKilled) {
					t.Fatalf("the sealer ended with %v, want it killed", err)
				}
				tr.seal("acme")
				ok(t, "after the next sealer", tr.verify("acme"), 9)
			})
		}
	}
}

// TestFullTrailIsSealed: what was stored is sealed, what was refused is not
// there, and the refusal is told.
func TestFullTrailIsSealed(t *testing.T) {
	t.Parallel()
	tr := newTrail(t, func(o *queue.Options) { o.AuditMaxBytes = 8 << 10 })
	stored := uint64(0)
	for {
		r := protocol.AuditRecord{Tenant: "acme", Phase: protocol.AuditStarted, Tool: "read_file"}
		data, err := Encode(&r)
		if err != nil {
			t.Fatal(err)
		}
		err = stream.On(tr.q.Conn).RecordWait(t.Context(), "acme", "read_file", data)
		if errors.Is(err, natsio.ErrFull) {
			break
		}
		if err != nil || stored > 1000 {
			t.Fatalf("record %d: %v, want ErrFull at last", stored, err)
		}
		stored++
	}
	tr.seal("acme")
	ok(t, "full", tr.verify("acme"), stored)
}

func TestForeignSealIsPassedOver(t *testing.T) {
	t.Parallel()
	tr := newTrail(t)
	tr.records("acme", 5)
	tr.seal("acme")
	last, err := tr.sls.Last(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	o, err := open(last, ring(publicOf(tr.key)))
	if err != nil {
		t.Fatal(err)
	}
	var l leaves
	l.add(Place{Seq: 1 << 40}, Hash{})
	forged := seal("acme", o.head(), l, time.Now(), testKey("somebody"))
	data, err := forged.encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.sls.Write(t.Context(), "acme", forged.N, data); err != nil {
		t.Fatal(err)
	}
	tr.records("acme", 5)
	tr.records("other", 5)
	stop := tr.start(tr.sealer())
	defer stop()
	tr.sealedTo("acme")
	tr.sealedTo("other")
	if !tr.troubles("is not ours") {
		t.Errorf("troubles: %q, want the foreign seal among them", tr.trouble)
	}
	r := tr.verify("acme")
	if !has(r, protocol.ProblemSealForged, 1<<40) || r.Found != 1 || r.SealedTo != 10 {
		t.Errorf("report %+v, want the foreign seal and nothing else", r)
	}
	ok(t, "other", tr.verify("other"), 5)
}

// TestLostSealsLeaveAGap: the chain goes on behind seals that were written and
// are gone, so that it is seen later, too.
func TestLostSealsLeaveAGap(t *testing.T) {
	t.Parallel()
	tr := newTrail(t)
	tr.records("acme", 8)
	tr.seal("acme")
	o := seal("acme", tr.head("acme"), leaves{[]Place{{Seq: 9}}, []Hash{{}}}, time.Now(), tr.key)
	if err := writeNote(t.Context(), tr.sls, "acme", o.head(), tr.key); err != nil {
		t.Fatal(err)
	}
	r := tr.verify("acme")
	if !has(r, protocol.ProblemCutOff, 9) || r.Found != 1 {
		t.Errorf("report %+v, want the seal that is cut off", r)
	}
	tr.records("acme", 3)
	tr.seal("acme")
	r = tr.verify("acme")
	if !slices.ContainsFunc(r.Problems, func(p protocol.AuditProblem) bool { return p.Kind == protocol.ProblemSealMissing }) || r.Found != 1 {
		t.Errorf("report %+v, want the missing seal", r)
	}
	if !tr.troubles("are gone") {
		t.Errorf("troubles: %q, want the seals that are gone", tr.trouble)
	}
}

// TestForeignNotesAreNotBelieved: they would keep records from being sealed.
func TestForeignNotesAreNotBelieved(t *testing.T) {
	t.Parallel()
	tr := newTrail(t)
	tr.records("acme", 5)
	far := head{N: 1 << 40, To: 1 << 40}
	for _, name := range []string{positionNote, "acme"} {
		if err := writeNote(t.Context(), tr.sls, name, far, testKey("somebody")); err != nil {
			t.Fatal(err)
		}
	}
	if r := tr.verify("acme"); !has(r, protocol.ProblemSealForged, 0) || r.Found != 1 {
		t.Errorf("report %+v, want the note as forged", r)
	}
	tr.seal("acme")
	ok(t, "sealed all the same", tr.verify("acme"), 5)
	// A changed note is not trusted either.
	data, err := tr.sls.Noted(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.sls.Note(t.Context(), "acme", bytes.Replace(data, []byte(`"to_seq":5`), []byte(`"to_seq":6`), 1)); err != nil {
		t.Fatal(err)
	}
	if r := tr.verify("acme"); !has(r, protocol.ProblemSealForged, 0) || r.Found != 1 {
		t.Errorf("report %+v, want the changed note as forged", r)
	}
	// A note of another tenant is no better, though it is signed.
	if err := writeNote(t.Context(), renamed{tr.sls}, "other", far, tr.key); err != nil {
		t.Fatal(err)
	}
	if r := tr.verify("acme"); !has(r, protocol.ProblemSealForged, 0) {
		t.Errorf("report %+v, want the note as forged", r)
	}
}

// renamed notes everything under one tenant.
type renamed struct{ Seals }

func (r renamed) Note(ctx context.Context, _ string, value []byte) error {
	return r.Seals.Note(ctx, "acme", value)
}

func (tr *trail) head(tenant string) head {
	tr.t.Helper()
	data, err := tr.sls.Last(tr.t.Context(), tenant)
	if err != nil {
		tr.t.Fatal(err)
	}
	o, err := open(data, ring(publicOf(tr.key)))
	if err != nil {
		tr.t.Fatal(err)
	}
	return o.head()
}

func TestSealerFailsWithoutKeyOrStream(t *testing.T) {
	t.Parallel()
	tr := trailOn(t, queuetest.Open(t, queuetest.Server(t)))
	s := tr.sealer()
	if err := s.Run(t.Context()); !errors.Is(err, natsio.ErrUnavailable) {
		t.Errorf("Run without a stream = %v, want ErrUnavailable", err)
	}
	s.Key = nil
	if err := s.Run(t.Context()); err == nil || errors.Is(err, natsio.ErrUnavailable) {
		t.Errorf("Run without a key = %v, want an error that says so", err)
	}
}
