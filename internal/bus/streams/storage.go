package streams

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
)

// JetStream sets aside the bytes that bound a stream, on each server that has a copy, and
// refuses a stream for which a server has too little left. So the bytes of all streams are
// planned together, by one process at a time: it makes the missing streams with what they
// cannot do without, finds out how much storage there is, and gives each stream its share.
// The client of NATS is not told how much storage a server has. The process therefore tries:
// it resizes one stream so that all together have so much set aside, and reads whether that was
// refused. With copies, NATS passes on a refusal only of the server that leads the stream, so
// each server with a copy leads that stream while it is measured.

const (
	// planLease is the lease of the process that plans, and planWithin the time after which
	// another takes over if it died.
	planLease  = "storage"
	planWithin = 5 * time.Second
	// copiedWithin is the time in which new copies of streams are made, looked at every
	// copiedLook.
	copiedWithin = 5 * time.Second
	copiedLook   = 50 * time.Millisecond
)

// plan divides the storage of NATS among the streams that have bounds. With grow, bounds are
// raised only, as room appears while processes run.
// A plan that its process did not finish leaves streams that hold what they need, and
// the next process begins with them.
func (b *Store) plan(ctx context.Context, grow bool) error {
	p := planner{store: b, grow: grow}
	if complete, err := p.read(ctx); err != nil || complete {
		return err
	}
	return natsio.Exclusive(ctx, b.Conn, planLease, planWithin, p.run)
}

// divide plans the storage before the other streams are made, unless this process leaves that to
// others. The bucket of leases, which the plan needs, is made before.
func (b *Store) divide(ctx context.Context, topology natsio.Topology) error {
	if b.opts.Waits {
		return nil
	}
	if err := topology.Bucket(ctx, natsio.BucketSpec{Name: natsio.BucketLeases}); err != nil {
		return err
	}
	return b.plan(ctx, false)
}

// planner is one attempt of a process to divide the storage.
type planner struct {
	store *Store
	grow  bool

	demands []demand
	streams map[string]*jetstream.StreamInfo
	is      map[string]int64 // the bytes of each stream now
}

func (p *planner) topology() natsio.Topology { return natsio.Topology{Conn: p.store.Conn} }

// read reads the streams. It reports whether each has all that it asks for.
func (p *planner) read(ctx context.Context) (complete bool, err error) {
	complete = true
	p.demands, p.streams, p.is = nil, map[string]*jetstream.StreamInfo{}, map[string]int64{}
	for _, d := range p.store.demands {
		look, end := context.WithTimeout(ctx, natsio.ReadTimeout)
		stream, err := p.store.Conn.JetStream().Stream(look, d.stream)
		end()
		switch {
		case errors.Is(err, jetstream.ErrStreamNotFound):
			p.demands, complete = append(p.demands, d), false
			continue
		case err != nil:
			return false, fmt.Errorf("%w: stream %s: %w", natsio.ErrUnavailable, d.stream, err)
		}
		info := stream.CachedInfo()
		if natsio.Newer(info.Config) {
			continue // processes of that generation plan it
		}
		if is := info.Config.MaxBytes; !d.chosen && natsio.Chosen(info.Config) && is > 0 {
			d.chosen, d.wanted = true, is // by a setting of another process
		}
		p.demands, p.streams[d.stream], p.is[d.stream] = append(p.demands, d), info, max(info.Config.MaxBytes, 0)
		complete = complete && p.has(d)
	}
	return complete, nil
}

// has reports whether a stream has what it asks for, and is marked if that is a setting.
func (p *planner) has(d demand) bool {
	if d.chosen {
		return p.is[d.stream] == d.wanted && natsio.Chosen(p.streams[d.stream].Config)
	}
	return p.is[d.stream] >= d.wanted
}

func (p *planner) run(ctx context.Context) error {
	if complete, err := p.read(ctx); err != nil || complete {
		return err // another process has done it meanwhile
	}
	if !p.grow {
		if err := p.make(ctx); err != nil {
			return err
		}
	}
	if len(p.streams) < len(p.demands) || p.streams[p.gauge()] == nil {
		return nil // what is missing is made again first
	}
	if all, err := p.copied(ctx); err != nil || !all {
		return err // running processes raise the bounds later
	}
	before := maps.Clone(p.is)
	least, most := needed(p.demands)
	steps := rungs(least, most)
	begin := reached(steps, p.demands, p.is)
	at, err := p.measure(ctx, steps, begin)
	if err == nil && at < 0 {
		err = p.tooLittle(ctx)
	}
	var bytes map[string]int64
	if err == nil {
		bytes, err = divide(steps[at], p.demands)
	}
	if err != nil {
		return errors.Join(err, p.back(ctx, before[p.gauge()]))
	}
	return p.settle(ctx, before, bytes, steps[at])
}

// make makes the streams that are missing. Where there is no room for one, streams that have
// more than their share give it.
func (p *planner) make(ctx context.Context) error {
	for _, s := range p.store.topology() {
		if p.streams[s.Name] != nil || !p.demanded(s.Name) {
			continue
		}
		err := p.topology().Stream(ctx, s)
		if natsio.NoStorage(err) {
			return errors.Join(fmt.Errorf("%w, or a server of a cluster has not yet said how much it has: %w", p.tooLittle(ctx), err), p.giveUp(ctx))
		}
		if err != nil {
			return err
		}
	}
	_, err := p.read(ctx)
	return err
}

// copied waits until each copy of the streams has all of it, since a server that has just joined
// refuses nothing until then. It returns false if a server is away, or takes long.
func (p *planner) copied(ctx context.Context) (bool, error) {
	for until := time.Now().Add(copiedWithin); ; natsio.Pause(ctx, copiedLook) {
		behind, away := p.behind()
		if behind == "" {
			return true, nil
		}
		if away || time.Now().After(until) {
			p.store.log.Info("the storage of nats is not measured: a copy of a stream is behind", zap.String("stream", behind))
			return false, nil
		}
		if _, err := p.read(ctx); err != nil {
			return false, err
		}
	}
}

// behind returns a stream of which a copy lacks something, empty if there is none, and whether the
// server of that copy is away.
func (p *planner) behind() (stream string, away bool) {
	for name, info := range p.streams {
		if info.Config.Replicas < 2 {
			continue
		}
		if info.Cluster == nil || len(info.Cluster.Replicas) < info.Config.Replicas-1 {
			return name, false
		}
		for _, peer := range info.Cluster.Replicas {
			if !natsio.HasAll(peer) {
				return name, peer.Offline || peer.Active > peerSilence
			}
		}
	}
	return "", false
}

func (p *planner) demanded(stream string) bool {
	return slices.ContainsFunc(p.demands, func(d demand) bool { return d.stream == stream })
}

// giveUp shrinks the streams that have more than their share of what is set aside now. A
// cluster takes up to ten seconds to notice the room.
func (p *planner) giveUp(ctx context.Context) error {
	bytes, err := divide(p.aside(), p.demands)
	if err != nil {
		return nil //nolint:nilerr // there is nothing to give
	}
	var failed error
	for _, d := range p.demands {
		if is := p.is[d.stream]; !d.chosen && is > p.kept(d.stream, bytes[d.stream]) {
			failed = errors.Join(failed, p.resize(ctx, d.stream, p.kept(d.stream, bytes[d.stream])))
		}
	}
	return failed
}

// aside returns the bytes that are set aside for all streams of the plan.
func (p *planner) aside() (sum int64) {
	for _, bytes := range p.is {
		sum += bytes
	}
	return sum
}

// kept returns the bytes to which a stream may be shrunk: a quarter more than it holds.
func (p *planner) kept(stream string, bytes int64) int64 {
	used := int64(p.streams[stream].State.Bytes)
	return max(bytes, min(p.is[stream], used+used/4))
}

// gauge returns the stream that is resized to measure the storage. With copies its leader moves,
// so it is one to which almost nothing is written. Without copies each stream may be on
// another server, and the results need the most.
func (p *planner) gauge() string {
	if p.store.opts.Replicas > 1 {
		return Dead
	}
	return Results
}

// measure returns the last step that fits on each server with a copy, -1 if none does; the step
// begin does.
func (p *planner) measure(ctx context.Context, steps []int64, begin int) (int, error) {
	gauge := p.gauge()
	before := p.is[gauge]
	fits := func(storage int64) (bool, error) { return p.fits(ctx, storage, before) }
	cluster := p.streams[gauge].Cluster
	if cluster == nil || p.store.opts.Replicas < 2 {
		return highest(steps, begin, fits)
	}
	servers := []string{cluster.Leader}
	for _, peer := range cluster.Replicas {
		servers = append(servers, peer.Name)
	}
	at := len(steps) - 1
	for _, server := range servers {
		if err := p.topology().Lead(ctx, gauge, server); err != nil {
			return at, err
		}
		// The server may have refused what another one measured: both begin with the same.
		if err := p.back(ctx, before); err != nil {
			return at, err
		}
		var err error
		if at, err = highest(steps[:at+1], begin, fits); err != nil || at < 0 {
			return at, err
		}
	}
	return at, nil
}

// fits reports whether so many bytes can be set aside for all streams together. If so they
// are, for the gauge; if not, the gauge has the bytes of before, which each server has.
func (p *planner) fits(ctx context.Context, storage, before int64) (bool, error) {
	gauge := p.gauge()
	bytes := p.is[gauge] + storage - p.aside()
	if bytes <= p.is[gauge] {
		return true, nil
	}
	var err error
	for range p.asks() {
		err = p.resize(ctx, gauge, bytes)
		if !natsio.NoStorage(err) {
			return err == nil, err
		}
		// Servers that are not asked may have agreed, now or before.
		if err := p.back(ctx, before); err != nil {
			return false, err
		}
	}
	return false, nil
}

// asks returns the number of refusals after which storage counts as too little. With copies one
// may be the late refusal, by another server, of what was tried before.
func (p *planner) asks() int {
	if p.store.opts.Replicas > 1 {
		return 2
	}
	return 1
}

// back gives the gauge the bytes that it had before it was used, which each server has: what is
// refused meanwhile was tried before.
func (p *planner) back(ctx context.Context, bytes int64) error {
	for {
		err := p.resize(ctx, p.gauge(), bytes)
		if !natsio.NoStorage(err) || p.store.opts.Replicas < 2 || ctx.Err() != nil {
			return err
		}
	}
}

// resize changes the bytes of a stream.
func (p *planner) resize(ctx context.Context, stream string, bytes int64) error {
	chosen := slices.ContainsFunc(p.demands, func(d demand) bool { return d.stream == stream && d.chosen })
	err := p.topology().Resize(ctx, p.streams[stream].Config, bytes, chosen)
	if err == nil {
		p.is[stream] = bytes
	}
	return err
}

// settle gives each stream its bytes, first those that get less. A stream keeps what it had
// before, unless others have less than their share.
func (p *planner) settle(ctx context.Context, before, bytes map[string]int64, storage int64) error {
	short := false
	for _, d := range p.demands {
		short = short || before[d.stream] < bytes[d.stream]
	}
	target := map[string]int64{}
	for _, d := range p.demands {
		had, gets := before[d.stream], bytes[d.stream]
		switch {
		case d.chosen || had <= gets:
			target[d.stream] = gets
		case p.grow || !short:
			target[d.stream] = had
		default:
			used := int64(p.streams[d.stream].State.Bytes)
			target[d.stream] = max(gets, min(had, used+used/4))
		}
	}
	p.tell(before, target, storage)
	for _, less := range []bool{true, false} {
		for _, d := range p.demands {
			to := target[d.stream]
			if less != (to < p.is[d.stream]) || to == p.is[d.stream] && d.chosen == natsio.Chosen(p.streams[d.stream].Config) {
				continue
			}
			switch err := p.resize(ctx, d.stream, to); {
			case natsio.NoStorage(err):
				p.store.log.Warn("stream keeps its bound; nats has no storage for more",
					zap.String("stream", d.stream), zap.Int64("wanted_bytes", to), zap.Error(err))
			case err != nil:
				return err
			}
		}
	}
	return nil
}

// tell logs what changes, and the settings that are not met.
func (p *planner) tell(before, target map[string]int64, storage int64) {
	fields := []zap.Field{zap.Int64("storage_bytes", storage)}
	for _, d := range p.demands {
		to := target[d.stream]
		if to != before[d.stream] {
			fields = append(fields, zap.Int64(d.stream, to))
		}
		if d.chosen && to < d.wanted {
			p.store.log.Warn("stream bounded to the storage there is",
				zap.String("stream", d.stream), zap.Int64("wanted_bytes", d.wanted), zap.Int64("max_bytes", to))
		}
	}
	if len(fields) > 1 {
		p.store.log.Info("storage of nats divided", fields...)
	}
}

// tooLittle returns the error for an operator, with the limit of the account if it has one.
func (p *planner) tooLittle(ctx context.Context) error {
	ctx, end := context.WithTimeout(ctx, natsio.ReadTimeout)
	defer end()
	account, err := p.store.Conn.JetStream().AccountInfo(ctx)
	if err != nil {
		return tooLittle(p.demands, p.store.opts.Replicas, 0, p.store.opts.StoreDir)
	}
	return tooLittle(p.demands, p.store.opts.Replicas, max(account.Limits.MaxStore, 0), p.store.opts.StoreDir)
}
