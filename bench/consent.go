package bench

import (
	"context"
	"fmt"
	"time"
)

const (
	parkedCalls = 10_000
	// perUser is the number of calls that one user is asked about: the maximum that may
	// wait.
	perUser = 100
	// roundTrips is the number of decisions that are timed one by one.
	roundTrips = 200
	// deciders make the other decisions concurrently.
	deciders = 64
	// warmCalls are made before anything is measured.
	warmCalls = 4000
	// patientTTL is the time that people may take: longer than the scenario.
	patientTTL = "6h"
)

// consents parks calls, measures the cost of their waiting, and decides them: first one
// after the other, then all others.
func consents(ctx context.Context, f *fleet, s *Sheet) error {
	total := f.opts.Parked
	if total == 0 {
		total = parkedCalls
	}
	dispatcher, err := f.dispatcher(ctx, "--consent-ttl", patientTTL)
	if err != nil {
		return err
	}
	worker, err := f.worker(ctx, "--consent-ttl", patientTTL)
	if err != nil {
		return err
	}
	// Goroutines and buffers that are reused for later calls are not a cost of waiting,
	// so some calls run before.
	if err := sendTogether(ctx, f.nats, min(total, warmCalls), 4, echoCall(), time.Minute, succeeded); err != nil {
		return err
	}
	cost := waiting{nodes: []*node{worker, dispatcher, f.broker()}, length: f.opts.Time}
	if err := cost.before(ctx); err != nil {
		return err
	}
	results, err := watchResults(f.nats, total)
	if err != nil {
		return err
	}
	defer results.close()
	f.opts.sayf("consent: parking %d calls", total)
	var parked []waitingCall
	err = spending(ctx, s, cost.nodes, "parked_call", func() (_ int, err error) {
		parked, err = park(ctx, f.nats, total, s)
		return total, err
	})
	if err != nil {
		return err
	}
	if err := cost.after(ctx); err != nil {
		return err
	}
	cost.report(s)
	f.opts.sayf("consent: deciding")
	if err := decideAll(ctx, f.nats, s, parked, results, cost.nodes); err != nil {
		return err
	}
	lines, err := countLedger(f.data())
	if err != nil {
		return err
	}
	if lines != total {
		return fmt.Errorf("%d calls were granted and %d ran", total, lines)
	}
	s.put("ran_once", float64(lines), "calls that ran, each exactly once by the tool's own ledger")
	return nil
}
