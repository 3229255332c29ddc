package telemetry

import (
	"encoding/hex"
	"math"
	"time"

	dto "github.com/prometheus/client_model/go"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
)

// otlpMetrics converts metrics of Prometheus to those of OTLP, under the same names, as the
// specification of compatibility between both requires: counters and histograms are
// cumulative since began, or since their creation if that is known.
//
// The SDK's bridge and exporter would do the same, and link gRPC; see [otlpClient].
func otlpMetrics(found []*dto.MetricFamily, began, now time.Time) []*metrics.Metric {
	c := converter{since: nanos(began), now: nanos(now)}
	list := make([]*metrics.Metric, 0, len(found))
	for _, family := range found {
		m := &metrics.Metric{Name: family.GetName(), Description: family.GetHelp(), Unit: family.GetUnit()}
		switch family.GetType() {
		case dto.MetricType_COUNTER:
			m.Data = &metrics.Metric_Sum{Sum: &metrics.Sum{
				AggregationTemporality: metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE, IsMonotonic: true,
				DataPoints: each(family, c.counter),
			}}
		case dto.MetricType_GAUGE:
			m.Data = &metrics.Metric_Gauge{Gauge: &metrics.Gauge{DataPoints: each(family, c.gauge)}}
		case dto.MetricType_HISTOGRAM:
			m.Data = &metrics.Metric_Histogram{Histogram: &metrics.Histogram{
				AggregationTemporality: metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE, DataPoints: each(family, c.histogram),
			}}
		case dto.MetricType_SUMMARY:
			m.Data = &metrics.Metric_Summary{Summary: &metrics.Summary{DataPoints: each(family, c.summary)}}
		case dto.MetricType_UNTYPED, dto.MetricType_GAUGE_HISTOGRAM: // there are none
			continue
		}
		list = append(list, m)
	}
	return list
}

func each[P any](family *dto.MetricFamily, point func(*dto.Metric) P) []P {
	points := make([]P, 0, len(family.GetMetric()))
	for _, m := range family.GetMetric() {
		points = append(points, point(m))
	}
	return points
}

func nanos(t time.Time) uint64 { return uint64(max(t.UnixNano(), 0)) }

// converter converts the values at one time.
type converter struct{ since, now uint64 }

// from returns the start of a cumulative value.
func (c converter) from(created interface{ AsTime() time.Time }, known bool) uint64 {
	if known {
		return nanos(created.AsTime())
	}
	return c.since
}

func (c converter) counter(m *dto.Metric) *metrics.NumberDataPoint {
	created := m.GetCounter().GetCreatedTimestamp()
	return &metrics.NumberDataPoint{
		Attributes: labelsOf(m.GetLabel()), StartTimeUnixNano: c.from(created, created != nil), TimeUnixNano: c.now,
		Value: &metrics.NumberDataPoint_AsDouble{AsDouble: m.GetCounter().GetValue()},
	}
}

func (c converter) gauge(m *dto.Metric) *metrics.NumberDataPoint {
	return &metrics.NumberDataPoint{
		Attributes: labelsOf(m.GetLabel()), TimeUnixNano: c.now,
		Value: &metrics.NumberDataPoint_AsDouble{AsDouble: m.GetGauge().GetValue()},
	}
}

func (c converter) histogram(m *dto.Metric) *metrics.HistogramDataPoint {
	h := m.GetHistogram()
	sum, created := h.GetSampleSum(), h.GetCreatedTimestamp()
	p := &metrics.HistogramDataPoint{
		Attributes: labelsOf(m.GetLabel()), StartTimeUnixNano: c.from(created, created != nil), TimeUnixNano: c.now,
		Count: h.GetSampleCount(), Sum: &sum,
	}
	before := uint64(0)
	for _, b := range h.GetBucket() {
		if e := b.GetExemplar(); e != nil {
			p.Exemplars = append(p.Exemplars, exemplarOf(e))
		}
		if math.IsInf(b.GetUpperBound(), 1) {
			continue // the rest, which OTLP has no bound for
		}
		p.ExplicitBounds = append(p.ExplicitBounds, b.GetUpperBound())
		p.BucketCounts = append(p.BucketCounts, b.GetCumulativeCount()-before)
		before = b.GetCumulativeCount()
	}
	p.BucketCounts = append(p.BucketCounts, h.GetSampleCount()-before)
	return p
}

func (c converter) summary(m *dto.Metric) *metrics.SummaryDataPoint {
	s := m.GetSummary()
	created := s.GetCreatedTimestamp()
	p := &metrics.SummaryDataPoint{
		Attributes: labelsOf(m.GetLabel()), StartTimeUnixNano: c.from(created, created != nil), TimeUnixNano: c.now,
		Count: s.GetSampleCount(), Sum: s.GetSampleSum(),
	}
	for _, q := range s.GetQuantile() {
		p.QuantileValues = append(p.QuantileValues, &metrics.SummaryDataPoint_ValueAtQuantile{Quantile: q.GetQuantile(), Value: q.GetValue()})
	}
	return p
}

// exemplarOf returns an exemplar with its trace in the field that OTLP has for it.
func exemplarOf(e *dto.Exemplar) *metrics.Exemplar {
	out := &metrics.Exemplar{TimeUnixNano: nanos(e.GetTimestamp().AsTime()), Value: &metrics.Exemplar_AsDouble{AsDouble: e.GetValue()}}
	for _, l := range e.GetLabel() {
		id, err := hex.DecodeString(l.GetValue())
		switch {
		case err == nil && l.GetName() == exemplarTrace:
			out.TraceId = id
		case err == nil && l.GetName() == exemplarSpan:
			out.SpanId = id
		default:
			out.FilteredAttributes = append(out.FilteredAttributes, text(l.GetName(), l.GetValue()))
		}
	}
	return out
}

func labelsOf(list []*dto.LabelPair) []*common.KeyValue {
	attrs := make([]*common.KeyValue, 0, len(list))
	for _, l := range list {
		attrs = append(attrs, text(l.GetName(), l.GetValue()))
	}
	return attrs
}
