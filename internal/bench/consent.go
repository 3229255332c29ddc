package bench

import (
	"context"
	"fmt"
	"time"
)

const (
	parkedCalls = 10_000
	// perUser is how many calls one user is asked about: as many as may wait.
	perUser = 100
	// roundTrips is how many decisions are timed one by one.
	roundTrips = 200
	// deciders decide the rest at once.
	deciders = 64
	// warmCalls are made before anything is measured.
	warmCalls = 4000
	// patientTTL is how long people may take: longer than the scenario does.
	patientTTL = "6h"
)

// consents parks calls, shows what their waiting costs, and decides them: first
// one after the other, then all that are left.
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
	// Goroutines and buffers that are kept for the next call are no cost of
	// waiting, so there has been work before.
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
