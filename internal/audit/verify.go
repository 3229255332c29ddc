package audit

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"iter"
	"math"
	"time"

	"github.com/helve-dev/helve/protocol"
)

// Verifier verifies trails in place.
type Verifier struct {
	Source Source
	Seals  Seals
	// Keys lists the keys that seals may be signed with.
	Keys []ed25519.PublicKey
	// Keep is the retention of the stream, 0 for unlimited: a younger record that is
	// missing is a problem.
	Keep time.Duration
	// From, if set, is the first place that must exist: an operator knows why earlier
	// ones are missing.
	From uint64
	// Now is the clock; time.Now if nil.
	Now func() time.Time
}

// Verify checks every record of a tenant against the seals, the seals against each
// other and against the notes, and the readable records against the server's count; or the
// records and seals of a range. Its error means that it could not read, not that a problem
// was found.
func (v *Verifier) Verify(ctx context.Context, tenant string, r Range) (protocol.AuditReport, error) {
	now := time.Now
	if v.Now != nil {
		now = v.Now
	}
	c := &checker{keys: ring(v.Keys...), tenant: tenant, now: now(), keep: v.Keep, from: v.From, counted: true}
	noted, err := readNote(ctx, v.Seals, tenant, c.keys)
	if errors.Is(err, errNote) {
		addProblem(&c.report, Place{}, protocol.ProblemSealForged, "%v", err)
	} else if err != nil {
		return protocol.AuditReport{}, err
	}
	ext, err := v.Source.Extent(ctx, tenant)
	if err != nil {
		return protocol.AuditReport{}, fmt.Errorf("look at the audit trail: %w", err)
	}
	c.first = ext.First
	c.refresh = func() uint64 {
		if ext, err := v.Source.Extent(ctx, ""); err == nil {
			return ext.First
		}
		return c.first
	}
	if r.All() {
		err = v.all(ctx, c, noted, ext)
	} else {
		err = v.part(ctx, c, noted, r, ext.Last)
	}
	if err != nil {
		return protocol.AuditReport{}, err
	}
	return c.end(), nil
}

// all checks the whole trail.
func (v *Verifier) all(ctx context.Context, c *checker, noted head, ext Extent) error {
	read, err := v.walk(ctx, c, 1, ext.Last, v.seals(ctx, c, c.tenant, ext.Last))
	if err != nil {
		return err
	}
	c.cutOff(noted)
	return v.count(ctx, c, ext, read)
}

// cutOff compares the last seal with the note of the last written one.
func (c *checker) cutOff(noted head) {
	if noted.N > 0 && (c.last == nil || c.last.N+c.bad < noted.N) && !c.aged(noted.Time) {
		addProblem(&c.report, Place{Seq: noted.To}, protocol.ProblemCutOff, "the seals are cut off: seal %d was written and is gone", noted.N)
	}
}

// walk passes to the checker the records between two places, and each seal after the
// records it covers. It returns the number of messages.
func (v *Verifier) walk(ctx context.Context, c *checker, from, end uint64, seals iter.Seq2[*opened, error]) (read uint64, err error) {
	next, stop := iter.Pull2(seals)
	defer stop()
	o, err, more := next()
	// pass checks the seals that end before a place.
	pass := func(seq uint64) error {
		for more && err == nil && o.To < seq {
			c.seal(o)
			o, err, more = next()
		}
		return err
	}
	if err != nil {
		return 0, err
	}
	err = v.Source.Read(ctx, from, end, c.tenant, func(m Message) error {
		if err := pass(m.Seq); err != nil {
			return err
		}
		read++
		for part, data := range m.Records() {
			c.take(Place{m.Seq, part}, m.recordAbout(), data, func() time.Time { return m.At })
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("read the audit trail of %s: %w", c.tenant, err)
	}
	return read, pass(math.MaxUint64)
}

var errNewer = errors.New("it arrived during the verification")

// seals passes the valid seals of the current and of earlier records.
func (v *Verifier) seals(ctx context.Context, c *checker, tenant string, end uint64) iter.Seq2[*opened, error] {
	return func(yield func(*opened, error) bool) {
		err := v.Seals.Read(ctx, tenant, func(n uint64, data []byte) error {
			o, ok := c.numbered(n, data)
			if !ok {
				return nil
			}
			if o.To > end { // so it covers later or removed records
				ext, err := v.Source.Extent(ctx, "")
				if err != nil {
					return err
				}
				if o.To <= ext.Last {
					return errNewer
				}
			}
			if !yield(o, nil) {
				return errNewer
			}
			return nil
		})
		if err != nil && !errors.Is(err, errNewer) {
			yield(nil, fmt.Errorf("read the seals of %s: %w", tenant, err))
		}
	}
}

// count compares the readable records with the server's count: a record that was
// damaged before it was sealed shows nowhere else.
func (v *Verifier) count(ctx context.Context, c *checker, ext Extent, read uint64) error {
	if read+c.gone >= ext.Own {
		return nil
	}
	after, err := v.Source.Extent(ctx, "")
	if err != nil || after.First != ext.First { // retention removed some meanwhile
		return err
	}
	next, found := max(c.report.SealedTo+1, c.first), false
	upTo := func(seq uint64) {
		for ; next < seq; next++ {
			addProblem(&c.report, Place{Seq: next}, protocol.ProblemMissing, "record %d cannot be read, and was not sealed", next)
			found = true
		}
		next = seq + 1
	}
	err = v.Source.Read(ctx, next, ext.Last, "", func(m Message) error {
		upTo(m.Seq)
		return nil
	})
	if err != nil {
		return fmt.Errorf("look for what is missing: %w", err)
	}
	upTo(ext.Last + 1)
	if !found {
		addProblem(&c.report, Place{}, protocol.ProblemMissing, "the server counts %d messages of the tenant, and %d can be read", ext.Own, read)
	}
	return nil
}
