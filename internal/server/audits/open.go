package audits

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/audit/index"
	"github.com/helve-dev/helve/internal/audit/proof"
	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/identity/keyfile"
	"github.com/helve-dev/helve/internal/identity/keysync"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/protocol"
)

// Auditor is a dispatcher's part of the audit trail: it seals while it holds the lease,
// copies the records into the index, and answers queries. It implements [api.Audit].
type Auditor struct {
	queue  *queue.Queue
	stream trailSource
	index  *index.Index
	seals  *audit.Lookup
	key    ed25519.PrivateKey
	keep   time.Duration
	log    *zap.Logger
	// unindexed is the number of messages of the trail that the index lacks.
	unindexed atomic.Uint64
}

// sealerLease is the name of the lease for sealing; its time is the delay after which
// another dispatcher seals if the holder died.
const (
	sealerLease = "sealer"
	sealerTTL   = 2 * time.Second
)

// Options holds what an [Auditor] needs.
type Options struct {
	Config config.Config
	Kit    *telemetry.Kit
	Trail  trail.Writer
	// Keys sign the seals.
	Keys keyfile.Set
	// Keeper keeps calls for longer than their results.
	Keeper Keeper
}

// Keeper keeps the calls that the pump gives it, while Run runs.
type Keeper interface {
	trail.Keeper
	Run(ctx context.Context)
}

// Open starts the work, which continues until ctx ends. The returned function
// closes the index, after that.
func Open(ctx context.Context, o Options) (*Auditor, func(), error) {
	cfg, kit, t, keys, q := o.Config, o.Kit, o.Trail, o.Keys, o.Trail.Queue
	if err := keysync.Publish(ctx, q, keysync.Seal, keys.Public(), keys.Old, kit.Log); err != nil {
		return nil, nil, err
	}
	notes, err := stream.On(q.Conn).Notes(ctx)
	if err != nil {
		return nil, nil, err
	}
	dir, err := filepath.Abs(filepath.Join(cfg.Data, "store")) // SQLite gets a URL, which cannot have a relative path
	if err != nil {
		return nil, nil, err
	}
	if err := retention(ctx, cfg, notes, t); err != nil {
		return nil, nil, fmt.Errorf("audit retention: %w", err)
	}
	a := &Auditor{queue: q, key: keys.Signing, keep: cfg.Audit.MaxAge, log: kit.Log}
	x, err := index.Open(ctx, index.Options{
		URL:   cfg.Store.URL,
		Dir:   dir,
		Log:   kit.Log,
		Lag:   a.behind(kit.Metrics),
		State: indexState(kit.Health),
	})
	if err != nil {
		return nil, nil, fmt.Errorf("audit index: %w", err)
	}
	a.stream, a.index = trailSource{queue: q, tail: stream.NewTail(q.Conn), notes: notes}, x
	a.seals = &audit.Lookup{Seals: chain{a.stream}, Keys: func(ctx context.Context) ([]ed25519.PublicKey, error) {
		return keysync.Load(ctx, q, keysync.Seal)
	}}
	pump, sealer := a.sealers(cfg, kit, t, notes)
	pump.Keeper = o.Keeper
	context.AfterFunc(ctx, kit.Metrics.Database("audit_index", x.Stats))
	done := make(chan struct{}, 3)
	go func() {
		defer func() { done <- struct{}{} }()
		forget(ctx, q, x, kit.Log)
	}()
	go func() {
		defer func() { done <- struct{}{} }()
		if err := q.Conn.Lease(ctx, sealerLease, sealerTTL, a.sealing(pump, sealer, o.Keeper)); err != nil && ctx.Err() == nil {
			kit.Log.Error("audit sealing stopped", zap.Error(err))
		}
	}()
	go func() {
		defer func() { done <- struct{}{} }()
		if err := x.Run(ctx, rows{a.stream}); err != nil && ctx.Err() == nil {
			kit.Log.Error("audit indexing stopped", zap.Error(err))
		}
	}()
	return a, func() {
		for range cap(done) {
			<-done
		}
		if err := x.Close(); err != nil {
			kit.Log.Warn("audit index not closed", zap.Error(err))
		}
	}, nil
}

// sealers returns the work that one dispatcher does for all, while it holds the lease.
func (a *Auditor) sealers(cfg config.Config, kit *telemetry.Kit, t trail.Writer, notes *natsio.Bucket) (*trail.Pump, *audit.Sealer) {
	writers := proof.NewChecker(t.Proof)
	pump := &trail.Pump{
		Queue: t.Queue, Log: kit.Log, Key: a.key, Keys: a.seals.Keys, Note: notes, Keep: cfg.Streams.ResultsMaxAge, Proof: t.Proof,
		Prove: writers.Check,
	}
	return pump, &audit.Sealer{
		Source: a.stream, Seals: chain{a.stream}, Key: a.key, Every: cfg.Audit.SealEvery, Records: cfg.Audit.SealRecords,
		Prove: writers.Check, Unproven: func(v proof.Verdict) { kit.Metrics.Count(telemetry.AuditUnproven, v.String()) },
		Lag:     func(lag time.Duration) { kit.Metrics.SealLag(max(lag, pump.Lag())) },
		Trouble: func(err error) { kit.Log.Error("audit sealing problem", zap.Error(err)) },
	}
}

// behind returns a function that notes how many messages the index lacks.
func (a *Auditor) behind(metrics *telemetry.Metrics) func(uint64) {
	return func(n uint64) {
		a.unindexed.Store(n)
		metrics.IndexLag(n)
	}
}

// indexState returns a function that describes the state of the index in the health
// report.
func indexState(health *telemetry.Health) func(error) {
	return func(err error) {
		if err != nil {
			health.Describe("audit_index", "behind: its database cannot be read or written; it catches up")
			return
		}
		health.Describe("audit_index", "following")
	}
}

// sealing returns the work of the lease's holder: it writes final records to the trail, keeps
// the calls of their results, and continues the chain of seals that other dispatchers may have signed.
func (a *Auditor) sealing(p *trail.Pump, s *audit.Sealer, k Keeper) func(context.Context) error {
	return func(ctx context.Context) (err error) {
		if s.Old, err = keysync.Load(ctx, a.queue, keysync.Seal); err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(ctx)
		var keeping sync.WaitGroup
		defer keeping.Wait()
		defer cancel()
		keeping.Go(func() { k.Run(ctx) })
		pumped := make(chan error, 1)
		go func() {
			defer cancel()
			pumped <- p.Run(ctx)
		}()
		err = s.Run(ctx)
		cancel()
		if failed := <-pumped; !errors.Is(failed, context.Canceled) {
			return failed
		}
		return err
	}
}

// retentionNote is the key of the retention that was last in force.
const retentionNote = "retention"

// retention records a change of the retention time: shortening it removes part of the
// trail.
func retention(ctx context.Context, cfg config.Config, notes *natsio.Bucket, t trail.Writer) error {
	now := fmt.Sprintf("records are kept for %v, at most %v of them (0 is without bound)", cfg.Audit.MaxAge, cfg.Audit.MaxBytes)
	before, err := notes.Get(ctx, retentionNote)
	if err != nil || string(before) == now {
		return err
	}
	err = t.Write(ctx, &protocol.AuditRecord{
		Phase: protocol.AuditRetentionChanged, Tenant: "default", By: t.Queue.Conn.ID(),
		Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeAllowed, Reason: "the configuration says so"},
		Detail:   now,
	})
	if err != nil && !errors.Is(err, natsio.ErrFull) { // a full trail must not prevent a dispatcher from starting
		return err
	}
	return notes.Put(ctx, retentionNote, []byte(now))
}
