package bench

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/bench/trend"
)

// quantity is a measured quantity: of a process by time, or of storage by calls.
type quantity struct {
	of, name string
	// per is hour, call or message.
	per     string
	limit   trend.Limit
	samples []trend.Sample
}

// sampler measures the processes and files of a soak.
type sampler struct {
	f     *fleet
	nodes []*node
	nc    *nats.Conn
	js    jetstream.JetStream
	began time.Time
	calls func() int64
	all   []*quantity
}

func newSampler(f *fleet, nodes []*node, calls func() int64) (*sampler, error) {
	s := &sampler{f: f, nodes: nodes, began: time.Now(), calls: calls}
	var err error
	if s.nc, err = nats.Connect(f.nats, nats.Name("helve-bench")); err != nil {
		return nil, err
	}
	if s.js, err = jetstream.New(s.nc); err != nil {
		s.nc.Close()
		return nil, err
	}
	return s, nil
}

func (s *sampler) close() { s.nc.Close() }

// add adds a sample of a quantity, with its limit when it is new.
func (s *sampler) add(of, name, per string, at, value float64, limit trend.Limit) {
	for _, q := range s.all {
		if q.of == of && q.name == name {
			q.samples = append(q.samples, trend.Sample{At: at, Value: value})
			return
		}
	}
	s.all = append(s.all, &quantity{of, name, per, limit, []trend.Sample{{At: at, Value: value}}})
}

// sample measures everything once.
func (s *sampler) sample(ctx context.Context) error {
	held, err := s.streams(ctx)
	if err != nil {
		return err
	}
	hours := time.Since(s.began).Hours()
	for _, n := range s.nodes {
		u, err := n.usage(ctx)
		if err != nil {
			return err
		}
		const mb = 1e6
		if n == s.f.broker() { // which needs memory for each message that it keeps
			s.add(n.role, "rss_bytes", "message", held.messages, float64(u.RSS), trend.Limit{Growth: soakMessageRSS, Noise: soakNoiseRSS * mb})
			s.add(n.role, "live_bytes", "message", held.messages, float64(u.Live), trend.Limit{Growth: soakMessageLive, Noise: soakNoiseLive * mb})
		} else {
			s.add(n.role, "rss_mb", "hour", hours, float64(u.RSS)/mb, trend.Limit{Growth: soakMemory, Noise: soakNoiseRSS})
			noise := float64(soakNoiseLive)
			if n.role == roleDispatcher {
				noise += soakNoiseFirsts
			}
			s.add(n.role, "live_mb", "hour", hours, float64(u.Live)/mb, trend.Limit{Growth: soakMemory, Noise: noise})
		}
		s.add(n.role, "goroutines", "hour", hours, float64(u.Goroutines), trend.Limit{Growth: soakThings, Noise: soakNoiseThings})
		s.add(n.role, "files", "hour", hours, float64(u.Files), trend.Limit{Growth: soakThings, Noise: soakNoiseFiles})
	}
	s.add("jetstream", "consumers", "hour", hours, held.consumers, trend.Limit{Growth: soakThings, Noise: soakNoiseFiles})
	return nil
}

// held is the total of all streams.
type held struct{ messages, consumers float64 }

// streams measures the streams and the files.
func (s *sampler) streams(ctx context.Context) (held, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	var total held
	calls := float64(s.calls())
	list := s.js.ListStreams(ctx)
	for info := range list.Info() {
		total.messages += float64(info.State.Msgs)
		total.consumers += float64(info.State.Consumers)
		if name := info.Config.Name; strings.HasPrefix(name, "HELVE_") {
			s.add(name, "bytes", "call", calls, float64(info.State.Bytes), soakStream(name))
		}
	}
	if err := list.Err(); err != nil {
		return total, fmt.Errorf("list the streams: %w", err)
	}
	s.add("jetstream", "file_bytes", "call", calls, sizeOf(filepath.Join(s.f.dir, "nats"), ""), soakFiles)
	s.add("index", "file_bytes", "call", calls, sizeOf(s.f.data(), "audit.db"), soakIndex)
	s.add("store", "file_bytes", "call", calls, sizeOf(s.f.data(), "store.db"), soakStore)
	return total, nil
}

// sizeOf returns the bytes of the files below dir whose names begin with prefix. Files that
// disappear meanwhile do not count.
func sizeOf(dir, prefix string) float64 {
	var total int64
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.HasPrefix(e.Name(), prefix) {
			if info, err := e.Info(); err == nil {
				total += info.Size()
			}
		}
		return nil
	})
	return float64(total)
}
