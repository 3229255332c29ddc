package trail

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/x/failpoint"
)

// pumpRun is one run of a pump. All that it knows it has read.
type pumpRun struct {
	*Pump
	// stream names the results stream.
	stream  string
	tenants map[string]*tenant
	// from is the place up to which everything was written before, firsts are the calls
	// with results that were read.
	from   uint64
	firsts firsts
	// full are the tenants with records to write.
	full []*tenant
	// seen is the place of the last result that was read, since when the first was read
	// whose record is to be written.
	seen  uint64
	since time.Time
}

// tenant is the state of one tenant's blocks.
type tenant struct {
	name string
	// known: to and seq are read.
	known bool
	// to is the place of the last result that is written, seq that of the last block.
	to, seq uint64
	lines   []line
	bytes   int
}

// line is a record to be written.
type line struct {
	seq    uint64
	record []byte
	at     time.Time
}

const (
	// blockRecords and blockBytes bound a block.
	blockRecords = audit.MaxParts
	blockBytes   = 512 << 10
	// few is the largest number of records that get a message, and so a seq, each: it costs nothing
	// while there are few, and reading a record then reads no others.
	few = 16
	// writeAtOnce is the number of tenants whose blocks are written at a time.
	writeAtOnce = 16
	// tenantsMost is the number of tenants that are remembered.
	tenantsMost = 10_000
)

// take keeps the record of a result until enough is gathered.
func (g *pumpRun) take(ctx context.Context, f stream.Final) error {
	g.seen = max(g.seen, f.Seq)
	if g.Keeper != nil {
		defer g.Keeper.Reached(f.Seq)
	}
	if f.Records == nil || f.Tenant == "" {
		return nil
	}
	if f.Seq <= g.from { // it is written, and read only to be remembered
		for i := range f.Calls {
			g.first(&g.firsts, &f, i)
		}
		return nil
	}
	t := g.tenants[f.Tenant]
	if t == nil {
		t = &tenant{name: f.Tenant}
		g.tenants[f.Tenant] = t
	}
	if len(g.full) == 0 {
		g.since = time.Now()
		g.oldest.Store(f.At.UnixNano())
	}
	if len(t.lines) == 0 {
		g.full = append(g.full, t)
	}
	for i := range f.Records {
		record := g.line(&g.firsts, &f, i)
		t.lines = append(t.lines, line{f.Seq, record, f.At})
		t.bytes += len(record) + 1
	}
	if len(t.lines) < blockRecords-queue.GroupResults && t.bytes < blockBytes-maxRecord && time.Since(g.since) < gatherMost {
		return nil
	}
	return g.flush(ctx)
}

// maxRecord is the longest that a record may be: the server bounds headers to it.
const maxRecord = 64 << 10

// flush writes what was gathered, however often it must be tried.
func (g *pumpRun) flush(ctx context.Context) error {
	if len(g.full) > 0 {
		limit := make(chan struct{}, writeAtOnce)
		var all sync.WaitGroup
		for _, t := range g.full {
			limit <- struct{}{}
			all.Go(func() {
				defer func() { <-limit }()
				g.insist(ctx, t)
			})
		}
		all.Wait()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		g.full = g.full[:0]
		if len(g.tenants) > tenantsMost {
			clear(g.tenants)
		}
	}
	g.reached(g.seen)
	return nil
}

// insist writes a tenant's records until they are written or ctx ends.
func (g *pumpRun) insist(ctx context.Context, t *tenant) {
	for logged := false; len(t.lines) > 0; {
		err := g.write(ctx, t)
		if err == nil || ctx.Err() != nil {
			return
		}
		t.known = false // it may be written all the same
		if errors.Is(err, stream.ErrMoved) {
			continue
		}
		if !logged {
			g.Log.Warn("audit records not written; trying again", zap.String("tenant", t.name), zap.Int("records", len(t.lines)), zap.Error(err))
			logged = true
		}
		select {
		case <-ctx.Done():
		case <-time.After(writeAgain):
		}
	}
}

// write writes what is not written of a tenant's records as its next blocks.
func (g *pumpRun) write(ctx context.Context, t *tenant) error {
	if !t.known {
		if err := g.learn(ctx, t); err != nil {
			return err
		}
	}
	for len(t.lines) > 0 && t.lines[0].seq <= t.to {
		t.lines = t.lines[1:]
	}
	size := len(t.lines)
	if size <= few {
		size = 1
	}
	for len(t.lines) > 0 {
		size = whole(t.lines, min(size, len(t.lines)))
		refused := size
		err := g.writeBlock(ctx, t, t.lines[:size])
		switch {
		case errors.Is(err, natsio.ErrFull) && whole(t.lines, 1) < size:
			size /= 2 // so that the last room is used, and is known to be used
			if whole(t.lines, size) == refused {
				size = 1
			}
		case err != nil:
			return err
		default:
			t.lines = t.lines[size:]
		}
	}
	t.lines, t.bytes = nil, 0
	return nil
}

// whole returns n, or more where the n-th line is of a group that goes on: a group is
// written in one block.
func whole(lines []line, n int) int {
	for n < len(lines) && lines[n].seq == lines[n-1].seq {
		n++
	}
	return n
}

// writeBlock writes lines as the next block of a tenant.
func (g *pumpRun) writeBlock(ctx context.Context, t *tenant, lines []line) error {
	block := &stream.Block{Tenant: t.name, Stream: g.stream, From: lines[0].seq, To: lines[len(lines)-1].seq, Since: lines[0].at}
	size := len(lines)
	for _, l := range lines {
		size += len(l.record)
	}
	block.Lines = make([]byte, 0, size)
	for i, l := range lines {
		if i > 0 {
			block.Lines = append(block.Lines, '\n')
		}
		block.Lines = append(block.Lines, l.record...)
	}
	block.Signed = base64.StdEncoding.EncodeToString(ed25519.Sign(g.Key, signed(block)))
	if err := failpoint.Hit(failpoint.PumpBeforeWrite); err != nil {
		return err
	}
	seq, err := stream.On(g.Queue.Conn).WriteBlock(ctx, block, t.seq)
	if err == nil {
		err = failpoint.Hit(failpoint.PumpAfterWrite)
	}
	if err != nil {
		return err
	}
	t.to, t.seq = block.To, seq
	return nil
}

// learn reads which result of a tenant was written last, and the place of the last
// block, which the next one names: the server refuses it if another is there.
func (g *pumpRun) learn(ctx context.Context, t *tenant) error {
	last, err := stream.On(g.Queue.Conn).LastBlock(ctx, t.name)
	if err != nil {
		return err
	}
	t.to, t.seq = 0, 0
	if last != nil {
		keys, err := g.Keys(ctx)
		if err != nil {
			return err
		}
		t.seq = last.Seq
		switch {
		case !valid(last, keys):
			if err := g.search(ctx, t, keys); err != nil {
				return err
			}
		case last.Stream == g.stream:
			t.to = last.To
		}
	}
	t.known = true
	return nil
}

// search finds the last block of a tenant that a pump wrote, where the last one is of
// somebody else: who can write records can write that.
func (g *pumpRun) search(ctx context.Context, t *tenant, keys []ed25519.PublicKey) error {
	g.Log.Error("block of audit records not signed by a dispatcher", zap.String("tenant", t.name), zap.Uint64("seq", t.seq))
	return stream.On(g.Queue.Conn).Blocks(ctx, t.name, func(b *stream.Block) error {
		if b.Seq <= t.seq && b.Stream == g.stream && valid(b, keys) {
			t.to = max(t.to, b.To)
		}
		return nil
	})
}

// signed returns what a pump signs of a block.
func signed(b *stream.Block) []byte {
	return fmt.Appendf(nil, "helve block v1\n%s\n%s\n%d-%d", b.Tenant, b.Stream, b.From, b.To)
}

func valid(b *stream.Block, keys []ed25519.PublicKey) bool {
	signature, err := base64.StdEncoding.DecodeString(b.Signed)
	if err != nil {
		return false
	}
	for _, key := range keys {
		if len(key) == ed25519.PublicKeySize && ed25519.Verify(key, signed(b), signature) {
			return true
		}
	}
	return false
}
