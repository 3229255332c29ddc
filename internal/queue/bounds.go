package queue

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/device"
	"github.com/helve-dev/helve/internal/natsio"
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
	// keptBytes is the size on disk of a message for which the bounds are computed. The
	// bounds are at most mostBytes, and at most one freePart-th of the free room if that is
	// known.
	keptBytes = 2 << 10
	mostBytes = 16 << 30
	freePart  = 8
)

// limit is the bound of one stream. Auto bounds are not configured.
type limit struct {
	bytes, messages         int64
	autoBytes, autoMessages bool
}

// limits returns the bounds of the streams that need memory for each message.
func (o Options) limits() map[string]limit {
	memory := o.memory()
	return map[string]limit{
		StreamResults:   o.limit(o.ResultsMaxBytes, o.ResultsMaxMessages, memory/resultsPart),
		StreamOnce:      o.limit(o.OnceMaxBytes, o.OnceMaxMessages, memory/oncePart),
		StreamCallbacks: o.limit(o.CallbacksMaxBytes, o.CallbacksMaxMessages, memory/callbacksPart),
	}
}

func (o Options) limit(bytes, messages, memory int64) limit {
	l := limit{bytes: bytes, messages: messages, autoBytes: bytes <= 0, autoMessages: messages <= 0}
	if l.autoMessages {
		l.messages = memory / KeptMessage
	}
	if l.autoBytes {
		l.bytes = min(l.messages*keptBytes, mostBytes)
		if space, err := device.Of(o.StoreDir); o.StoreDir != "" && err == nil {
			l.bytes = max(min(l.bytes, space.Free/freePart), natsio.LeastReserve)
		}
	}
	return l
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

// yielding returns the streams whose bytes no setting asked for.
func (b *core) yielding() (names []string) {
	for name, l := range b.limits {
		if l.autoBytes {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// bounded sets the bounds of a stream. If they are not configured, the stream keeps its
// bounds: processes on machines of different sizes must not change them back and forth.
func (b *core) bounded(cfg, is jetstream.StreamConfig) jetstream.StreamConfig {
	l, ok := b.limits[cfg.Name]
	if !ok {
		return cfg
	}
	if cfg.MaxBytes = l.bytes; l.autoBytes && is.MaxBytes > 0 {
		cfg.MaxBytes = is.MaxBytes
	}
	if cfg.MaxMsgs = l.messages; l.autoMessages && is.MaxMsgs > 0 && b.opts.StoreDir == "" {
		cfg.MaxMsgs = is.MaxMsgs
	}
	return cfg
}
