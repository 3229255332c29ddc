package audit

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
)

// begin starts an export: it waits for the seals of what is there, and puts the
// header.
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
	first, err := p.firstSeal(ctx)
	if err != nil {
		return err
	}
	p.state = state{Next: 1, End: max(ext.LastOwn, end.To), Seal: first, SealEnd: end.N}
	line, err := json.Marshal(header{
		Version: exportVersion, Tenant: p.q.Tenant, Time: now().UTC(), Filter: p.q.filter(), Complete: p.complete(),
		First: ext.First, To: p.End, Keep: p.Keep.Seconds(), KeyID: KeyID(publicOf(p.Key)),
	}, json.Deterministic(true))
	if err != nil {
		return err
	}
	p.put(line)
	return nil
}

// await waits until the record at a place is sealed, or for as long as an
// export waits. It returns the end of the chain.
func (p *page) await(ctx context.Context, seq uint64) (head, error) {
	late := time.NewTimer(exportPatience)
	defer late.Stop()
	again := time.NewTicker(exportAgain)
	defer again.Stop()
	for {
		h, err := p.chainEnd(ctx)
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

// chainEnd returns the end of the chain: what the last seal says if it is good,
// else what was noted.
func (p *page) chainEnd(ctx context.Context) (head, error) {
	keys := ring(append([]ed25519.PublicKey{publicOf(p.Key)}, p.Old...)...)
	data, err := p.Seals.Last(ctx, p.q.Tenant)
	if err != nil {
		return head{}, fmt.Errorf("read the last seal of %s: %w", p.q.Tenant, err)
	}
	if data != nil {
		if o, err := open(data, keys); err == nil && o.Tenant == p.q.Tenant {
			return o.head(), nil
		}
	}
	h, err := readNote(ctx, p.Seals, p.q.Tenant, keys)
	if errors.Is(err, errNote) {
		return head{}, nil
	}
	return h, err
}

// firstSeal returns the number of the first seal there is.
func (p *page) firstSeal(ctx context.Context) (first uint64, err error) {
	err = p.Seals.Read(ctx, p.q.Tenant, func(n uint64, _ []byte) error {
		first = n
		return errPageFull
	})
	if err != nil && !errors.Is(err, errPageFull) {
		return 0, fmt.Errorf("read the seals of %s: %w", p.q.Tenant, err)
	}
	return max(first, 1), nil
}

// close puts the trailer.
func (p *page) close() error {
	t := trailer{
		Version: exportVersion, Tenant: p.q.Tenant, Lines: p.Lines, Records: p.Records, Seals: p.SealLines,
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

// filter returns what q asks for, by PROTOCOL's names.
func (q *Query) filter() map[string]string {
	f := map[string]string{}
	for _, field := range [...]struct{ name, value string }{
		{"trace_id", q.TraceID}, {"call_id", q.CallID}, {"tool", q.Tool}, {"user", q.User}, {"agent", q.Agent},
		{"conversation", q.Conversation}, {"status", q.Status}, {"error_type", q.ErrorType}, {"phase", q.Phase},
		{"outcome", q.Outcome}, {"from", moment(q.From)}, {"to", moment(q.To)},
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
