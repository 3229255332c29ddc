package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
)

// sizingCalls are the calls that are measured: a tool that does nothing, an effect, and a
// note in the store of personal data.
var sizingCalls = []struct {
	name string
	call example
}{
	{"noop", dataCalls[0]},
	{"effect", example{"debug.effect", `{"key":"sizing"}`}},
	{"note", dataCalls[1]},
}

// sizingSettle is the time in which records are sealed and indexed after the last call.
const sizingSettle = 3 * time.Second

// sizing measures for each kind of call the rate, the CPU time of each process, and the bytes
// that each stream and database keeps; and the memory of processes that have nothing to do.
func sizing(ctx context.Context, f *fleet, s *Sheet) error {
	worker, err := f.worker(ctx)
	if err != nil {
		return err
	}
	dispatcher, err := f.dispatcher(ctx)
	if err != nil {
		return err
	}
	nodes := []*node{f.broker(), dispatcher, worker}
	for _, n := range nodes {
		u, err := n.held(ctx)
		if err != nil {
			return err
		}
		s.put(n.role+"_idle_rss_mib", float64(u.RSS)/(1<<20), "memory of the "+n.role+" that was just started")
	}
	for _, c := range sizingCalls {
		if err := sizeCall(ctx, f, s, nodes, c.name, c.call); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	for _, n := range nodes {
		u, err := n.usage(ctx)
		if err != nil {
			return err
		}
		s.put(n.role+"_rss_mib", float64(u.RSS)/(1<<20), "memory of the "+n.role+" after the load")
	}
	return nil
}

// sizeCall measures one kind of call.
func sizeCall(ctx context.Context, f *fleet, s *Sheet, nodes []*node, name string, c example) error {
	if _, _, err := callFor(ctx, f, c); err != nil { // warm
		return err
	}
	wait(ctx, min(sizingSettle, 5*f.opts.Time))
	before, err := storage(ctx, f)
	if err != nil {
		return err
	}
	cpu, err := usages(ctx, nodes)
	if err != nil {
		return err
	}
	n, took, err := callFor(ctx, f, c)
	if err != nil {
		return err
	}
	used, err := usages(ctx, nodes)
	if err != nil {
		return err
	}
	s.put(name+"_calls_per_s", float64(n)/took.Seconds(), fmt.Sprintf("calls a second by %d callers, on all cores", dataCallers))
	total := 0.0
	for i, node := range nodes {
		each := (used[i].CPU - cpu[i].CPU) / float64(n)
		total += each
		s.put(name+"_"+node.role+"_cpu_us", each, "CPU of the "+node.role+" for a call")
	}
	s.put(name+"_calls_per_s_per_core", 1e6/total, "calls a second for each core of broker, dispatcher and worker together")
	wait(ctx, min(sizingSettle, 5*f.opts.Time))
	after, err := storage(ctx, f)
	if err != nil {
		return err
	}
	all := 0.0
	for i := range after {
		if each := (after[i].bytes - before.of(after[i].name)) / float64(n); each >= 0.5 {
			s.put(name+"_"+after[i].name+"_bytes", each, "bytes kept for a call")
			all += each
		}
	}
	s.put(name+"_bytes", all, "bytes kept for a call, all together")
	return ctx.Err()
}

// stored holds the size of a stream or database.
type stored struct {
	name  string
	bytes float64
}

// storedAll holds those of everything.
type storedAll []stored

func (a storedAll) of(name string) float64 {
	for _, s := range a {
		if s.name == name {
			return s.bytes
		}
	}
	return 0
}

// storage returns the bytes of all streams of Helve and of the databases.
func storage(ctx context.Context, f *fleet) (storedAll, error) {
	s, err := newSampler(f, nil, func() int64 { return 0 })
	if err != nil {
		return nil, err
	}
	defer s.close()
	if _, err := s.streams(ctx); err != nil {
		return nil, err
	}
	var all storedAll
	for _, q := range s.all {
		if q.of != "jetstream" { // whose files are those of the streams
			all = append(all, stored{q.of, q.samples[0].Value})
		}
	}
	workspaces := sizeOf(filepath.Join(f.data(), "workspaces"), "")
	return append(all, stored{"workspace", workspaces}), nil
}
