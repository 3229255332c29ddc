package streams

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/x/device"
)

// A stream that keeps each message under a subject of its own needs memory of the NATS
// server for each, whatever its size. So such streams have bounds, even if none are
// configured: a refused message can be sent again, while a server without memory becomes
// slow and then ends.

// KeptMessage is the memory that the NATS server needs for a message with a subject of its
// own, in bytes; measured.
const KeptMessage = 160

const (
	// assumedMemory is the assumed memory of a NATS server on another machine.
	assumedMemory = 8 << 30
	// resultsPart and oncePart are the fractions of the memory that results and once-only
	// records may use. The latter are kept for a day, results for an hour.
	resultsPart, oncePart = 8, 4
	// callbacksPart is the fraction that callbacks may use.
	callbacksPart = 16
)

// messages returns the bounds of messages of the streams that need memory for each, and
// whether a setting asked for them.
func (o Options) messages() map[string]bounded {
	of := func(chosen, memory int64) bounded {
		if chosen > 0 {
			return bounded{chosen, true}
		}
		return bounded{memory / KeptMessage, false}
	}
	memory := o.memory()
	return map[string]bounded{
		Results:   of(o.ResultsMaxMessages, memory/resultsPart),
		Once:      of(o.OnceMaxMessages, memory/oncePart),
		Callbacks: of(o.CallbacksMaxMessages, memory/callbacksPart),
	}
}

// bounded is a bound, and whether a setting asked for it.
type bounded struct {
	most   int64
	chosen bool
}

// demands returns what the streams ask for whose bytes are set aside, those with a share first.
func (o Options) demands() (all []demand) {
	chosen := map[string]int64{Results: o.ResultsMaxBytes, Once: o.OnceMaxBytes, Callbacks: o.CallbacksMaxBytes}
	messages := o.messages()
	for _, s := range portions() {
		d := demand{portion: s, wanted: chosen[s.stream], chosen: chosen[s.stream] > 0}
		switch most := messages[s.stream].most; {
		case d.chosen:
		case most > 0:
			d.wanted = max(min(most*s.perMessage, mostBytes), s.least)
		default:
			d.wanted = deadBytes
		}
		all = append(all, d)
	}
	for _, d := range []demand{{portion{stream: Calls}, o.CallsMaxBytes, true}, {portion{stream: Audit}, o.AuditMaxBytes, true}} {
		if d.wanted > 0 {
			all = append(all, d)
		}
	}
	return all
}

// memory returns the memory of the NATS server's machine.
func (o Options) memory() int64 {
	if n := device.Memory(); n > 0 && (o.StoreDir != "" || o.Local()) {
		return n
	}
	return assumedMemory
}

// Local reports whether the address of the NATS server is on this machine.
func (o Options) Local() bool {
	if o.Context != "" {
		return false
	}
	for server := range strings.SplitSeq(o.URL, ",") {
		u, err := url.Parse(strings.TrimSpace(server))
		if err != nil {
			return false
		}
		if ip := net.ParseIP(u.Hostname()); u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return false
		}
	}
	return true
}

// bounded sets the bounds of a stream. A new one gets the bytes that it cannot do without, and
// more by the plan ([core.plan]), which also raises bytes that something else has lowered. If no
// setting asks for them, the stream keeps its bounds: processes on machines of different sizes
// must not change them back and forth.
func (b *Store) bounded(cfg, is jetstream.StreamConfig) jetstream.StreamConfig {
	if i := slices.IndexFunc(b.demands, func(d demand) bool { return d.stream == cfg.Name }); i >= 0 {
		switch d := b.demands[i]; {
		case is.Name == "":
			cfg.MaxBytes = d.floor()
		case !d.chosen && is.MaxBytes > 0:
			cfg.MaxBytes = is.MaxBytes
		default:
			cfg.MaxBytes = d.wanted
		}
	}
	if m, ok := b.messages[cfg.Name]; ok {
		if cfg.MaxMsgs = m.most; !m.chosen && is.MaxMsgs > 0 && b.opts.StoreDir == "" {
			cfg.MaxMsgs = is.MaxMsgs
		}
	}
	return cfg
}
