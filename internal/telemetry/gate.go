package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// waits are buckets for the time that people take, in seconds.
var waits = []float64{0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 6 * 3600, 24 * 3600}

// gate holds the metrics of policy, consent and audit.
type gate struct {
	decisions   *prometheus.CounterVec
	pending     prometheus.Gauge
	consentWait prometheus.Histogram
	records     prometheus.Counter
	sealLag     prometheus.Gauge
	indexLag    prometheus.Gauge
	forged      prometheus.Counter
}

func newGate(r *register) gate {
	return gate{
		decisions:   r.counters("helve_policy_decisions_total", "Decisions of the gate, by outcome and the tool's risk.", "outcome", "risk"),
		pending:     r.gauge("helve_consents_pending", "Requests that wait for a person."),
		consentWait: r.histogram("helve_consent_wait_seconds", "Time from asking a person to the verdict.", waits),
		records:     r.counter("helve_audit_records_total", "Audit records that were stored."),
		sealLag:     r.gauge("helve_audit_seal_lag_seconds", "Age of the oldest audit record without a seal, 0 if there is none."),
		forged:      r.counter("helve_verdicts_refused_total", "Stored verdicts that no trusted key signed."),
		indexLag:    r.gauge("helve_audit_index_lag_records", "Audit records that are stored and not yet indexed."),
	}
}

// Decided counts a decision: allowed, blocked or confirmation_required.
func (g gate) Decided(outcome, risk string) { g.decisions.WithLabelValues(outcome, risk).Inc() }

// ConsentsPending sets the number of pending requests.
func (g gate) ConsentsPending(n int) { g.pending.Set(float64(n)) }

// ConsentWaited records how long a request waited for its verdict.
func (g gate) ConsentWaited(d time.Duration) { g.consentWait.Observe(d.Seconds()) }

// VerdictRefused counts a stored verdict that no trusted key signed.
func (g gate) VerdictRefused() { g.forged.Inc() }

// AuditStored counts an audit record.
func (g gate) AuditStored() { g.records.Inc() }

// SealLag sets the age of the oldest record that has no seal.
func (g gate) SealLag(d time.Duration) { g.sealLag.Set(d.Seconds()) }

// IndexLag sets the number of records that are not indexed yet.
func (g gate) IndexLag(n uint64) { g.indexLag.Set(float64(n)) }
