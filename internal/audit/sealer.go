package audit

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Sealer seals what the stream holds, tenant by tenant. One is enough for a
// system; run it under a lease. Two at once do no harm: the first seal of a
// number stands, and the other sealer goes on after it.
type Sealer struct {
	Source Source
	Seals  Seals
	Key    ed25519.PrivateKey
	// Old are the keys that earlier seals may be signed with.
	Old []ed25519.PublicKey
	// Every is how long a record waits for its seal at most, Records how many
	// records a seal covers at most. 0 means one second and 1,000.
	Every   time.Duration
	Records int
	// Now is the clock; time.Now if nil.
	Now func() time.Time
	// Lag, if set, is told how long ago the oldest record was stored that was
	// just sealed, and 0 when there was nothing to seal.
	Lag func(time.Duration)
	// Trouble, if set, is told what an operator should look at: records that
	// cannot be read, seals that are gone or not ours. Sealing goes on. It may
	// be called by several goroutines.
	Trouble func(error)
}

const (
	sealEvery   = time.Second
	sealRecords = 1000
	// sealMost keeps a seal below the size of a message.
	sealMost = 10_000
	// sealAtOnce is how many tenants' seals are written at a time.
	sealAtOnce = 16
	// sealTenants is how many chains are kept in mind.
	sealTenants = 10_000
	// sealAhead is how many records are read before they are taken up.
	sealAhead = 4096
)

// sealing is one run of a sealer. All that it knows it has read; it is begun
// anew after any error, so a crash is nothing special.
type sealing struct {
	Sealer
	keys   keyring
	chains map[string]*chain
	// dirty are the chains that have records to seal.
	dirty map[*chain]struct{}
	// sealed is the place up to which all is sealed, seen the last that was
	// taken up.
	sealed, seen uint64
}

// arrival is a record that was read.
type arrival struct {
	tenant string
	seq    uint64
	leaf   Hash
	at     time.Time
}

// Run seals until ctx ends, or until the stream or the seals cannot be reached:
// call it again then. It goes on where the last run, of whatever process, has
// stopped.
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
	if d.Trouble == nil {
		d.Trouble = func(error) {}
	}
	return d
}

// read gives the records to the sealing, and tells of those that cannot be read.
func (r *sealing) read(ctx context.Context, from uint64, arrivals chan<- arrival) error {
	next := from
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
		select {
		case arrivals <- arrival{m.Tenant, m.Seq, leaf(m.Seq, digest(m.Data)), m.At}:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
}

// take puts a record at the end of its tenant's chain, and seals what is full.
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
	if a.seq <= c.head.To {
		return nil // sealed before
	}
	if c.len() == 0 {
		c.oldest = a.at
		r.dirty[c] = struct{}{}
	}
	c.add(a.seq, a.leaf)
	if c.len() < r.Records {
		return nil
	}
	delete(r.dirty, c)
	if err := r.write(ctx, c); err != nil {
		return err
	}
	r.Lag(r.Now().Sub(c.oldest))
	return nil
}

// flush seals all that waits.
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
			break // the others would wait in vain
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

// positionNote is the name of the note of what is sealed: no tenant's.
const positionNote = ""

// begin returns the place from which on records may not be sealed.
func (r *sealing) begin(ctx context.Context) (from uint64, err error) {
	noted, err := readNote(ctx, r.Seals, positionNote, r.keys)
	if errors.Is(err, errNote) {
		r.Trouble(fmt.Errorf("%w; the whole audit trail is read again", err))
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
