package telemetry

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// streams holds the fill levels of the NATS streams, as a dispatcher sees them.
type streams struct {
	bytes, maxBytes, messages, maxMessages, ratio, holds *prometheus.GaugeVec
	usable                                               *prometheus.GaugeVec
	repairs                                              *prometheus.CounterVec
	replicas                                             *prometheus.GaugeVec
	storage, storageLimit                                prometheus.Gauge
}

func newStreams(r *register) streams {
	return streams{
		bytes:       r.gauges("helve_stream_bytes", "Bytes that a stream holds.", "stream"),
		maxBytes:    r.gauges("helve_stream_max_bytes", "Bytes that a stream may hold; 0 for no bound.", "stream"),
		messages:    r.gauges("helve_stream_messages", "Messages that a stream holds.", "stream"),
		maxMessages: r.gauges("helve_stream_max_messages", "Messages that a stream may hold; 0 for no bound.", "stream"),
		ratio: r.gauges("helve_stream_fill_ratio",
			"How full a stream is, 0 to 1, by the bound it is nearest to; 0 without bounds. Calls are refused at 0.95 or later.", "stream"),
		holds: r.gauges("helve_stream_holds_seconds", "Age of the oldest message of a stream: the time whose messages it holds.", "stream"),
		replicas: r.gauges("helve_stream_replicas", "Copies of a stream: configured, and current, which have all that is stored.",
			"stream", "state"),
		usable: r.gauges("helve_stream_usable",
			"1 if a stream exists, has a leader and is as it must be, else 0; /readyz has the reason. Dispatchers report streams; "+
				"workers report consumers of lanes, as STREAM/CONSUMER, while they are not usable.",
			"stream"),
		repairs: r.counters("helve_stream_repairs_total",
			"Times that this process made a stream or one of its consumers again, or changed their settings back, because something else had "+
				"deleted or altered them.",
			"stream"),

		storage: r.gauge("helve_jetstream_storage_bytes", "Bytes that the streams of the NATS account hold on disk, all copies counted."),
		storageLimit: r.gauge("helve_jetstream_storage_limit_bytes",
			"Bytes that the streams of the NATS account may hold on disk, all copies counted; 0 for no bound."),
	}
}

// StreamState is the content, the limits and the copies of a stream.
type StreamState struct {
	Bytes, MaxBytes, Messages, MaxMessages int64
	// Holds is the age of the oldest message.
	Holds time.Duration
	// Ratio is the share of its bound that the stream holds, 0 to 1.
	Ratio float64
	// Replicas is the configured number of copies, Current the number of those that have
	// all that is stored.
	Replicas, Current int
}

// Stream sets the state of a stream.
func (m *Metrics) Stream(name string, s StreamState) {
	m.streams.bytes.WithLabelValues(name).Set(float64(s.Bytes))
	m.streams.maxBytes.WithLabelValues(name).Set(float64(s.MaxBytes))
	m.streams.messages.WithLabelValues(name).Set(float64(s.Messages))
	m.streams.maxMessages.WithLabelValues(name).Set(float64(s.MaxMessages))
	m.streams.ratio.WithLabelValues(name).Set(s.Ratio)
	m.streams.holds.WithLabelValues(name).Set(s.Holds.Seconds())
	m.streams.replicas.WithLabelValues(name, "configured").Set(float64(s.Replicas))
	m.streams.replicas.WithLabelValues(name, "current").Set(float64(s.Current))
}

// StreamDown records that the leader of a stream did not answer, so no copy is known to be
// current. What it held stays as last seen.
func (m *Metrics) StreamDown(name string) {
	m.streams.replicas.WithLabelValues(name, "current").Set(0)
}

// Storage sets the bytes that JetStream holds for the account, and its limit, 0 for none.
func (m *Metrics) Storage(used, limit int64) {
	m.streams.storage.Set(float64(used))
	m.streams.storageLimit.Set(float64(max(limit, 0)))
}

// StreamKept sets whether a stream, or a consumer as STREAM/CONSUMER, is usable, and counts
// a repair.
func (m *Metrics) StreamKept(name string, usable, repaired bool) {
	stream, _, consumer := strings.Cut(name, "/")
	switch {
	case !usable:
		m.streams.usable.WithLabelValues(name).Set(0)
	case consumer:
		m.streams.usable.DeleteLabelValues(name)
	default:
		m.streams.usable.WithLabelValues(name).Set(1)
	}
	repairs := m.streams.repairs.WithLabelValues(stream) // from 0, so that the first repair is an increase
	if repaired {
		repairs.Inc()
	}
}
