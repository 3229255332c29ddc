package telemetry

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	described "go.opentelemetry.io/proto/otlp/resource/v1"
	"go.uber.org/zap"
)

// push sends the metrics of a process to a collector, the same that a scrape shows. Of a
// collector that is away nothing is kept: the next push has the totals of all.
type push struct {
	from   prometheus.Gatherer
	client *otlpClient
	about  *described.Resource
	began  time.Time
	log    *zap.Logger
	end    context.CancelFunc
	done   sync.WaitGroup
	// lost is set after a failed push, so that an outage is logged once.
	lost bool
}

// startPush pushes metrics every interval until close.
func startPush(ctx context.Context, m *Metrics, interval time.Duration, opts TracingOptions, log *zap.Logger) (*push, error) {
	if !exports(opts.Endpoint, metricSignal) {
		return nil, errors.New("telemetry.metrics_interval is set, and there is no collector to push to; set telemetry.otlp_endpoint, " +
			"or OTEL_EXPORTER_OTLP_METRICS_ENDPOINT")
	}
	settings, err := otlpFrom(opts.Endpoint, metricSignal)
	if err != nil {
		return nil, fmt.Errorf("cannot push metrics; check the OTLP endpoint: %w", err)
	}
	about, err := describe(ctx, opts.Service)
	if err != nil {
		return nil, err
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	p := &push{from: m.registry, client: newOTLPClient(settings), about: resourceOf(about.Attributes()), began: time.Now(), log: log, end: end}
	p.done.Go(func() {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				bounded, cancel := context.WithTimeout(life, max(interval, settings.timeout))
				p.report(p.send(bounded))
				cancel()
			case <-life.Done():
				return
			}
		}
	})
	return p, nil
}

// close ends the pushes with a last one.
func (p *push) close(ctx context.Context) {
	p.end()
	p.done.Wait()
	p.report(p.send(ctx))
	_ = p.client.Stop(ctx) // always nil
}

// report logs the first of several failures, and the end of them.
func (p *push) report(err error) {
	switch {
	case err != nil && !p.lost:
		p.log.Warn("metrics not pushed; trying again at the next interval", zap.Error(err))
	case err == nil && p.lost:
		p.log.Info("metrics pushed again")
	}
	p.lost = err != nil
}

// send pushes the metrics once. A metric that cannot be read does not keep back the others.
func (p *push) send(ctx context.Context) error {
	found, err := p.from.Gather()
	if len(found) == 0 {
		return err
	}
	data := &metrics.MetricsData{ResourceMetrics: []*metrics.ResourceMetrics{{
		Resource: p.about, ScopeMetrics: []*metrics.ScopeMetrics{{
			Scope: &common.InstrumentationScope{Name: scope}, Metrics: otlpMetrics(found, p.began, time.Now()),
		}},
	}}}
	return errors.Join(err, p.client.upload(ctx, data))
}

// resourceOf returns the description of a process as collectors receive it.
func resourceOf(attrs []attribute.KeyValue) *described.Resource {
	about := &described.Resource{}
	for _, kv := range attrs {
		about.Attributes = append(about.Attributes, text(string(kv.Key), kv.Value.String()))
	}
	return about
}

func text(key, value string) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}}}
}
