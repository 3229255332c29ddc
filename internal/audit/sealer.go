package audit

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/helve-dev/helve/internal/audit/proof"
)

// Sealer seals the contents of the stream, tenant by tenant. One is enough for a
// system; run it under a lease. Two concurrent sealers do no harm: the first seal of a
// number is valid, and the other sealer continues after it.
type Sealer struct {
	Source Source
	Seals  Seals
	Key    ed25519.PrivateKey
	// Old lists the keys that earlier seals may be signed with.
	Old []ed25519.PublicKey
	// Prove, if set, judges the writer of a record; the seal repeats the verdict.
	Prove Prover
	// Every is the maximum time until a record is sealed, Records the maximum number of
	// records of a seal, unless a single message has more. 0 means one second and
	// 1,000.
	Every   time.Duration
	Records int
	// Now is the clock; time.Now if nil.
	Now func() time.Time
	// Lag, if set, receives the age of the oldest record that was just sealed, and 0
	// when there was nothing to seal.
	Lag func(time.Duration)
	// Trouble, if set, receives problems for the operator: unreadable records, and
	// seals that are missing or have another key. Sealing continues. It may be called
	// concurrently.
	Trouble func(error)
	// Unproven, if set, is called for each record whose writer is not proven.
	Unproven func(proof.Verdict)
}

const (
	sealEvery   = time.Second
	sealRecords = 1000
	// sealMost keeps a seal below the size limit of a message.
	sealMost = 10_000
	// sealAtOnce is the number of tenants whose seals are written concurrently.
	sealAtOnce = 16
	// sealTenants is the number of cached chains.
	sealTenants = 10_000
	// sealAhead is the number of messages that are read ahead, of up to [MaxParts]
	// records of 32 bytes each.
	sealAhead = 512
)

// sealing is one run of a sealer. All of its state was read from the stream, and it
// starts again after any error, so that a crash needs no special handling.
type sealing struct {
	Sealer
	keys   keyring
	chains map[string]*chain
	// dirty lists the chains that have records to seal.
	dirty map[*chain]struct{}
	// sealed is the place up to which everything is sealed, seen the last processed
	// place.
	sealed, seen uint64
}

// arrival is a message: the leaf of its first record, and those of the others.
type arrival struct {
	tenant string
	seq    uint64
	leaf   Hash
	more   []Hash
	at     time.Time
}

// Run seals until ctx ends, or until the stream or the seals cannot be reached: then
// call it again. It continues where the last run, of any process, stopped.
func (s *Sealer) Run(ctx context.Context) error {
	r := sealing{Sealer: s.defaults(), chains: map[string]*chain{}, dirty: map[*chain]struct{}{}}
	if len(s.Key) != ed25519.PrivateKeySize {
		return errors.New("the sealer has no signing key")
	}
	r.keys = ring(append([]ed25519.PublicKey{publicOf(s.Key)}, s.Old...)...)
	from, err := r.begin(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	arrivals := make(chan arrival, sealAhead)
	ended := make(chan error, 1)
	var reading sync.WaitGroup
	reading.Go(func() { ended <- r.read(ctx, from, arrivals) })
	defer reading.Wait()
	defer cancel()

	tick := time.NewTicker(r.Every)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			return err
		case a := <-arrivals:
			if err := r.take(ctx, a); err != nil {
				return err
			}
		case <-tick.C:
			if err := r.flush(ctx); err != nil {
				return err
			}
		}
	}
}

func (s *Sealer) defaults() Sealer {
	d := *s
	if d.Every <= 0 {
		d.Every = sealEvery
	}
	if d.Records <= 0 {
		d.Records = sealRecords
	}
	d.Records = min(d.Records, sealMost)
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.Lag == nil {
		d.Lag = func(time.Duration) {}
	}
	if d.Unproven == nil {
		d.Unproven = func(proof.Verdict) {}
	}
	if d.Trouble == nil {
		d.Trouble = func(error) {}
	}
	return d
}

// read passes the records to the sealing, and reports unreadable ones.
func (r *sealing) read(ctx context.Context, from uint64, arrivals chan<- arrival) error {
	next := from
	var foreign, forged uint64
	return r.Source.Follow(ctx, from, func(m Message) error {
		switch {
		case m.Seq > next+1:
			r.Trouble(fmt.Errorf("records %d to %d of the audit trail cannot be read, and are not sealed", next, m.Seq-1))
		case m.Seq > next:
			r.Trouble(fmt.Errorf("record %d of the audit trail cannot be read, and is not sealed", next))
		}
		next = m.Seq + 1
		if m.Tenant == "" {
			r.Trouble(fmt.Errorf("record %d of the audit trail is of no tenant, and is not sealed", m.Seq))
			return nil
		}
		a := arrival{tenant: m.Tenant, seq: m.Seq, at: m.At}
		for part, data := range m.Records() {
			h, writer, isForeign := leafOf(&m, part, data, r.Prove)
			if writer > proof.Proven {
				r.Unproven(writer)
			}
			// At each power of two: a publisher must not be able to fill the log.
			switch {
			case isForeign:
				if foreign++; foreign&(foreign-1) == 0 {
					r.Trouble(fmt.Errorf("place %v of the audit trail of %s holds bytes that are no record, %d so far; audit verify names them",
						Place{m.Seq, part}, m.Tenant, foreign))
				}
			case writer == proof.Forged:
				if forged++; forged&(forged-1) == 0 {
					r.Trouble(fmt.Errorf(
						"record %v of the audit trail of %s was not written by the process that it names, %d so far; audit verify names them",
						Place{m.Seq, part}, m.Tenant, forged,
					))
				}
			}
			if part == 0 {
				a.leaf = h
			} else {
				a.more = append(a.more, h)
			}
		}
		select {
		case arrivals <- a:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
}

// take appends the records of a message to its tenant's chain, and seals full chains.
func (r *sealing) take(ctx context.Context, a arrival) error {
	c := r.chains[a.tenant]
	if c == nil {
		c = &chain{tenant: a.tenant}
		if err := r.load(ctx, c); err != nil {
			return err
		}
		r.chains[a.tenant] = c
	}
	r.seen = a.seq
	n := 1 + len(a.more)
	if c.len() > 0 && c.len()+n > r.Records {
		if err := r.seal(ctx, c); err != nil {
			return err
		}
	}
	if a.seq <= c.head.To {
		return nil // sealed before
	}
	if c.len() == 0 {
		c.oldest = a.at
		r.dirty[c] = struct{}{}
	}
	c.add(Place{Seq: a.seq}, a.leaf)
	for i, h := range a.more {
		c.add(Place{a.seq, i + 1}, h)
	}
	if c.len() < r.Records {
		return nil
	}
	return r.seal(ctx, c)
}

// seal seals the records of a full chain.
func (r *sealing) seal(ctx context.Context, c *chain) error {
	delete(r.dirty, c)
	if err := r.write(ctx, c); err != nil {
		return err
	}
	r.Lag(r.Now().Sub(c.oldest))
	return nil
}

// flush seals all waiting records.
func (r *sealing) flush(ctx context.Context) error {
	if r.seen <= r.sealed {
		r.Lag(0)
		return nil
	}
	places := make(chan struct{}, sealAtOnce)
	failed := make(chan error, len(r.dirty))
	var all sync.WaitGroup
	var oldest time.Time
	for c := range r.dirty {
		if len(failed) > 0 {
			break // otherwise the others would wait in vain
		}
		if oldest.IsZero() || c.oldest.Before(oldest) {
			oldest = c.oldest
		}
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			if err := r.write(ctx, c); err != nil {
				failed <- err
			}
		})
	}
	all.Wait()
	if len(failed) > 0 {
		return <-failed
	}
	clear(r.dirty)
	if len(r.chains) > sealTenants {
		clear(r.chains)
	}
	if !oldest.IsZero() {
		r.Lag(r.Now().Sub(oldest))
	}
	r.sealed = r.seen
	return writeNote(ctx, r.Seals, positionNote, head{To: r.sealed}, r.Key)
}

// positionNote is the name of the note of the sealed place: it belongs to no tenant.
const positionNote = ""

// begin returns the first place whose records may not be sealed.
func (r *sealing) begin(ctx context.Context) (from uint64, err error) {
	noted, err := readNote(ctx, r.Seals, positionNote, r.keys)
	if errors.Is(err, errNote) {
		r.Trouble(fmt.Errorf("%w; the complete audit trail is read again", err))
	} else if err != nil {
		return 0, err
	}
	ext, err := r.Source.Extent(ctx, "")
	if err != nil {
		return 0, fmt.Errorf("look at the audit trail: %w", err)
	}
	if noted.To > ext.Last {
		r.Trouble(fmt.Errorf("the audit trail ends at record %d and was sealed up to %d: it was cut off; verify it", ext.Last, noted.To))
	}
	r.sealed = min(noted.To, ext.Last)
	r.seen = r.sealed
	return max(r.sealed+1, ext.First), nil
}
