package front

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/audit/index"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/directory"
	"github.com/helve-dev/helve/internal/keyfile"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/token"
	"github.com/helve-dev/helve/internal/trail"
)

// auditor is a dispatcher's part of the audit trail: it seals when it is its
// turn, copies the records into the index, and answers questions about them. It
// implements [api.Audit].
type auditor struct {
	bus    *bus.Bus
	stream stream
	index  *index.Index
	key    ed25519.PrivateKey
	keep   time.Duration
}

// sealerLease names the lease of who seals; its time is how soon another seals
// when that one died.
const (
	sealerLease = "sealer"
	sealerTTL   = 2 * time.Second
)

// openAudit starts the work, which goes on until ctx ends. What it returns closes the
// index, after that.
func openAudit(ctx context.Context, cfg config.Config, kit *telemetry.Kit, b *bus.Bus) (*auditor, func(), error) {
	key, err := signingKey(ctx, cfg, b, directory.KeySeal, kit.Log)
	if err != nil {
		return nil, nil, err
	}
	notes, err := b.Bucket(ctx, bus.BucketSealed)
	if err != nil {
		return nil, nil, err
	}
	dir, err := filepath.Abs(filepath.Join(cfg.Data, "store")) // SQLite is given a URL, which holds no relative path
	if err != nil {
		return nil, nil, err
	}
	if err := retention(ctx, cfg, notes, trail.Trail{Bus: b, Metrics: kit.Metrics, Log: kit.Log}); err != nil {
		return nil, nil, fmt.Errorf("audit retention: %w", err)
	}
	x, err := index.Open(ctx, index.Options{URL: cfg.Store.URL, Dir: dir, Log: kit.Log, Lag: kit.Metrics.IndexLag})
	if err != nil {
		return nil, nil, fmt.Errorf("audit index: %w", err)
	}
	a := &auditor{bus: b, stream: stream{b, notes}, index: x, key: key, keep: cfg.Audit.MaxAge}
	sealer := &audit.Sealer{
		Source: a.stream, Seals: chain{a.stream}, Key: key, Every: cfg.Audit.SealEvery, Records: cfg.Audit.SealRecords,
		Lag: kit.Metrics.SealLag, Trouble: func(err error) { kit.Log.Error("the audit trail", zap.Error(err)) },
	}
	done := make(chan struct{}, 3)
	go func() {
		defer func() { done <- struct{}{} }()
		forget(ctx, b, x, kit.Log)
	}()
	go func() {
		defer func() { done <- struct{}{} }()
		if err := b.Lease(ctx, sealerLease, sealerTTL, a.sealing(sealer)); err != nil && ctx.Err() == nil {
			kit.Log.Error("nothing is sealed any more", zap.Error(err))
		}
	}()
	go func() {
		defer func() { done <- struct{}{} }()
		if err := x.Run(ctx, rows{b}); err != nil && ctx.Err() == nil {
			kit.Log.Error("nothing is indexed any more", zap.Error(err))
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

// sealing is what the holder of the lease does: it goes on with the chain that
// other dispatchers may have signed.
func (a *auditor) sealing(s *audit.Sealer) func(context.Context) error {
	return func(ctx context.Context) (err error) {
		if s.Old, err = directory.Keys(ctx, a.bus, directory.KeySeal); err != nil {
			return err
		}
		return s.Run(ctx)
	}
}

// retentionNote is where the retention that was last in force is kept.
const retentionNote = "retention"

// retention puts a change of how long records are kept on record: whoever
// shortens it takes part of the trail away.
func retention(ctx context.Context, cfg config.Config, notes *bus.Bucket, t trail.Trail) error {
	now := fmt.Sprintf("records are kept for %v, at most %v of them (0 is without bound)", cfg.Audit.MaxAge, cfg.Audit.MaxBytes)
	before, err := notes.Get(ctx, retentionNote)
	if err != nil || string(before) == now {
		return err
	}
	err = t.Write(ctx, &audit.Record{
		Phase: audit.RetentionChanged, Tenant: "default", By: t.Bus.ID(), Decision: &audit.Decision{Outcome: audit.Allowed, Reason: "the configuration says so"},
		Detail: now,
	})
	if err != nil && !errors.Is(err, bus.ErrFull) { // a full trail must not keep a dispatcher from being started
		return err
	}
	return notes.Put(ctx, retentionNote, []byte(now))
}

// signingKey loads a key and makes its public half known.
func signingKey(ctx context.Context, cfg config.Config, b *bus.Bus, purpose string, log *zap.Logger) (ed25519.PrivateKey, error) {
	dir := cfg.Keys.Dir
	if dir == "" {
		dir = filepath.Join(cfg.Data, "keys")
	}
	key, err := keyfile.Load(dir, purpose)
	if err != nil {
		return nil, err
	}
	public, ok := key.Public().(ed25519.PublicKey)
	if !ok {
		return nil, fmt.Errorf("key %s has no public half", purpose)
	}
	return key, directory.PublishKey(ctx, b, purpose, token.KeyID(public), public, log)
}

// freshness bounds how long a question waits until what was stored before it is
// indexed.
const freshness = 2 * time.Second

// Query implements [api.Audit]. It sees every record that was stored before it
// was asked, unless the index is far behind.
func (a *auditor) Query(ctx context.Context, q audit.Query) (audit.Page, error) {
	_, last, _, err := a.bus.AuditRange(ctx)
	if err != nil {
		return audit.Page{}, err
	}
	bounded, cancel := context.WithTimeout(ctx, freshness)
	defer cancel()
	if err := a.index.Wait(bounded, last); err != nil && (ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded)) {
		return audit.Page{}, err
	}
	return a.index.Query(ctx, q)
}

// Verify implements [api.Audit].
func (a *auditor) Verify(ctx context.Context, tenant string) (audit.Report, error) {
	keys, err := directory.Keys(ctx, a.bus, directory.KeySeal)
	if err != nil {
		return audit.Report{}, err
	}
	v := &audit.Verifier{Source: a.stream, Seals: chain{a.stream}, Keys: keys, Keep: a.keep}
	return v.Verify(ctx, tenant)
}

// Export implements [api.Audit].
func (a *auditor) Export(ctx context.Context, tenant string, q audit.Query, cursor string, limit int) ([]json.RawMessage, string, error) {
	keys, err := directory.Keys(ctx, a.bus, directory.KeySeal)
	if err != nil {
		return nil, "", err
	}
	e := &audit.Exporter{Source: a.stream, Seals: chain{a.stream}, Key: a.key, Old: keys, Keep: a.keep}
	return e.Page(ctx, tenant, q, cursor, limit)
}

// PublicKey implements [api.Audit].
func (a *auditor) PublicKey(ctx context.Context) ([]byte, error) {
	keys, err := directory.Keys(ctx, a.bus, directory.KeySeal)
	if err != nil {
		return nil, err
	}
	return keyfile.PublicPEM(keys...), nil
}
