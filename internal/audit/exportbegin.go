package audit

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
)

// begin starts an export: it waits for the seals of the existing records, and writes
// the header.
func (p *page) begin(ctx context.Context) error {
	now := time.Now
	if p.Now != nil {
		now = p.Now
	}
	ext, err := p.Source.Extent(ctx, p.q.Tenant)
	if err != nil {
		return fmt.Errorf("look at the audit trail: %w", err)
	}
	end, err := p.await(ctx, ext.LastOwn)
	if err != nil {
		return err
	}
	first, err := firstSeal(ctx, p.Seals, p.q.Tenant)
	if err != nil {
		return err
	}
	p.state = state{Next: 1, End: max(ext.LastOwn, end.To), Seal: first, SealEnd: end.N}
	line, err := json.Marshal(header{
		Version: p.version, Tenant: p.q.Tenant, Time: now().UTC(), Filter: p.q.filter(), Complete: p.complete(),
		First: ext.First, To: p.End, Keep: p.Keep.Seconds(), KeyID: KeyID(publicOf(p.Key)),
	}, json.Deterministic(true))
	if err != nil {
		return err
	}
	p.put(line)
	return nil
}

// await waits until the record at a place is sealed, at most exportPatience. It returns
// the end of the chain.
func (p *page) await(ctx context.Context, seq uint64) (head, error) {
	keys := ring(append([]ed25519.PublicKey{publicOf(p.Key)}, p.Old...)...)
	late := time.NewTimer(exportPatience)
	defer late.Stop()
	again := time.NewTicker(exportAgain)
	defer again.Stop()
	for {
		h, err := chainEnd(ctx, p.Seals, p.q.Tenant, keys)
		if err != nil || h.To >= seq {
			return h, err
		}
		select {
		case <-ctx.Done():
			return head{}, context.Cause(ctx)
		case <-late.C:
			return h, nil
		case <-again.C:
		}
	}
}

// chainEnd returns the end of a tenant's chain: from the last seal if it is valid,
// otherwise from the note.
func chainEnd(ctx context.Context, seals Seals, tenant string, keys keyring) (head, error) {
	data, err := seals.Last(ctx, tenant)
	if err != nil {
		return head{}, fmt.Errorf("read the last seal of %s: %w", tenant, err)
	}
	if data != nil {
		if o, err := open(data, keys); err == nil && o.Tenant == tenant {
			return o.head(), nil
		}
	}
	h, err := readNote(ctx, seals, tenant, keys)
	if errors.Is(err, errNote) {
		return head{}, nil
	}
	return h, err
}

// firstSeal returns the number of a tenant's first existing seal.
func firstSeal(ctx context.Context, seals Seals, tenant string) (first uint64, err error) {
	err = seals.Read(ctx, tenant, func(n uint64, _ []byte) error {
		first = n
		return errPageFull
	})
	if err != nil && !errors.Is(err, errPageFull) {
		return 0, fmt.Errorf("read the seals of %s: %w", tenant, err)
	}
	return max(first, 1), nil
}

// close writes the trailer.
func (p *page) close() error {
	t := trailer{
		Version: trailerVersion, Tenant: p.q.Tenant, Lines: p.Lines, Records: p.Records, Seals: p.SealLines,
		LastSeal: p.LastSeal, Chain: p.Chain, KeyID: KeyID(publicOf(p.Key)),
	}
	t.Signature = ed25519.Sign(p.Key, t.statement())
	line, err := json.Marshal(t)
	if err != nil {
		return err
	}
	p.lines = append(p.lines, line)
	return nil
}

// filter returns the filter of q, by the names in docs/protocol.md.
func (q *Query) filter() map[string]string {
	f := map[string]string{}
	for _, field := range [...]struct{ name, value string }{
		{"trace_id", q.TraceID}, {"call_id", q.CallID}, {"tool", q.Tool}, {"user", q.User}, {"agent", q.Agent},
		{"conversation", q.Conversation}, {"status", q.Status}, {"error_type", q.ErrorType}, {"phase", q.Phase},
		{"outcome", q.Outcome}, {"text", q.Text}, {"from", moment(q.From)}, {"to", moment(q.To)},
	} {
		if field.value != "" {
			f[field.name] = field.value
		}
	}
	return f
}

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
