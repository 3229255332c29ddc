package audit

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// chain is a tenant's chain as the sealer writes it: its end, and the records that wait
// for the next seal.
type chain struct {
	tenant string
	head   head
	leaves
	// oldest is the time at which the first waiting record was stored.
	oldest time.Time
}

// write seals the waiting records of a chain. If another sealer was faster, its seal is
// valid, and the records that it covers are done.
func (r *sealing) write(ctx context.Context, c *chain) error {
	for c.len() > 0 {
		o := seal(c.tenant, c.head, c.leaves, r.Now(), r.Key)
		data, err := o.encode()
		if err != nil {
			return err
		}
		switch err := r.Seals.Write(ctx, c.tenant, o.N, data); {
		case err == nil:
			c.head = o.head()
		case errors.Is(err, ErrSealed):
			if err := r.adopt(ctx, c, o.N); err != nil {
				return err
			}
		default:
			return fmt.Errorf("write seal %d of %s: %w", o.N, c.tenant, err)
		}
		c.dropTo(c.head.To)
	}
	return writeNote(ctx, r.Seals, c.tenant, c.head, r.Key)
}

// adopt makes seal n, which another sealer has written, the end of the chain.
func (r *sealing) adopt(ctx context.Context, c *chain, n uint64) error {
	data, err := r.Seals.Get(ctx, c.tenant, n)
	if err != nil {
		return fmt.Errorf("read seal %d of %s: %w", n, c.tenant, err)
	}
	if data == nil {
		return fmt.Errorf("seal %d of %s was there and is gone", n, c.tenant)
	}
	o, err := open(data, r.keys)
	if err == nil && (o.N != n || o.Tenant != c.tenant) {
		err = errors.New("it is another seal")
	}
	if err != nil {
		// Its number is taken permanently, but its contents are not trusted.
		r.Trouble(fmt.Errorf("seal %d of the audit trail of %s is not ours: %w", n, c.tenant, err))
		c.head.N = n
		return nil
	}
	c.head = o.head()
	return nil
}

// load finds the end of a chain. The seals are authoritative. The note shows whether
// the last seals are missing; the chain then continues after the gap, so that the gap
// stays visible.
func (r *sealing) load(ctx context.Context, c *chain) error {
	noted, err := readNote(ctx, r.Seals, c.tenant, r.keys)
	if errors.Is(err, errNote) {
		r.Trouble(fmt.Errorf("tenant %s: %w; it is written again", c.tenant, err))
	} else if err != nil {
		return err
	}
	data, err := r.Seals.Last(ctx, c.tenant)
	if err != nil {
		return fmt.Errorf("read the last seal of %s: %w", c.tenant, err)
	}
	if data != nil {
		o, err := open(data, r.keys)
		if err == nil && o.Tenant == c.tenant {
			c.head = o.head()
		} else if err := r.search(ctx, c); err != nil {
			return err
		}
	}
	if noted.N < c.head.N { // the last sealer was killed between the two
		return writeNote(ctx, r.Seals, c.tenant, c.head, r.Key)
	}
	if noted.N > c.head.N {
		r.Trouble(fmt.Errorf("seals %d to %d of the audit trail of %s were written and are gone", c.head.N+1, noted.N, c.tenant))
		c.head = noted
	}
	return nil
}

// search finds the end of a chain whose last seal has another key.
func (r *sealing) search(ctx context.Context, c *chain) error {
	r.Trouble(fmt.Errorf("the last seal of the audit trail of %s is not ours; was the signing key replaced, and the old public key not kept?",
		c.tenant))
	err := r.Seals.Read(ctx, c.tenant, func(n uint64, data []byte) error {
		if o, err := open(data, r.keys); err == nil && o.N == n && o.Tenant == c.tenant && n > c.head.N {
			c.head = o.head()
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the seals of %s: %w", c.tenant, err)
	}
	return nil
}
