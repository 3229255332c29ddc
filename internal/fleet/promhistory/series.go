package promhistory

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/protocol"
)

const (
	// maxPools bounds the pools of an answer, as in the stored history.
	maxPools = 16
	// window is the least time that a rate is taken over: four of the usual intervals of scrapes.
	window = 4 * time.Minute
	// concurrent bounds the queries that Prometheus is sent at a time.
	concurrent = 3
	// most is more than any chart shows; larger values are no counts.
	most = 1e12
)

var poolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// The series, by the number of their query.
const (
	success = iota
	failure
	p50
	p99
	p50OfAll
	p99OfAll
	backlog
	busy
	slots
	queries
)

// expressions returns the queries for steps of a length, of series with a selector.
func expressions(match string, step time.Duration) [queries]string {
	over := max(step, window)
	of := func(metric, more string) string {
		switch {
		case match == "":
			return metric + "{" + more + "}"
		case more == "":
			return metric + "{" + match + "}"
		}
		return metric + "{" + more + "," + match + "}"
	}
	rate := func(metric, more string) string { return fmt.Sprintf("rate(%s[%s])", of(metric, more), promTime(over)) }
	highest := func(metric, more string) string {
		if step < window { // a shorter time may have no sample
			return of(metric, more)
		}
		return fmt.Sprintf("max_over_time(%s[%s])", of(metric, more), promTime(step))
	}
	quantile := func(q, by string) string {
		return fmt.Sprintf("histogram_quantile(%s, sum by (%s) (%s))", q, by, rate("helve_pool_call_seconds_bucket", ""))
	}
	return [queries]string{
		success:  "sum by (pool) (" + rate("helve_pool_calls_total", `status="success"`) + ")",
		failure:  "sum by (pool) (" + rate("helve_pool_calls_total", `status="error"`) + ")",
		p50:      quantile("0.5", "pool, le"),
		p99:      quantile("0.99", "pool, le"),
		p50OfAll: quantile("0.5", "le"),
		p99OfAll: quantile("0.99", "le"),
		backlog:  "max by (pool) (" + highest("helve_pool_backlog", "") + ")",
		busy:     "sum by (pool) (" + highest("helve_worker_slots", `state="busy"`) + ")",
		slots:    "max by (pool) (" + highest("helve_pool_worker_slots", "") + ")",
	}
}

func promTime(d time.Duration) string { return fmt.Sprintf("%ds", int(d.Seconds())) }

// read returns the values of all queries.
func (c *client) read(ctx context.Context, match string, g grid) (found [queries]pools, err error) {
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(concurrent)
	for i, expression := range expressions(match, g.step) {
		all.Go(func() (err error) {
			if ctx.Err() == nil { // none failed so far
				found[i], err = c.query(ctx, expression, g)
			}
			return err
		})
	}
	return found, all.Wait()
}

// history returns the values as the history of the API.
func history(found [queries]pools, g grid) protocol.MetricsHistory {
	m := protocol.MetricsHistory{
		StepSeconds: g.step.Seconds(), Since: g.end.UTC(), Pools: []protocol.MetricsSeries{}, Source: protocol.FromPrometheus,
	}
	names := chosen(found)
	for i := range g.steps {
		end := g.begin().Add(time.Duration(i) * g.step)
		known := slices.ContainsFunc(names, func(name string) bool { return is(found[success], name, i) || is(found[slots], name, i) })
		if known && m.Since.Equal(g.end.UTC()) {
			m.Since = end.Add(-g.step).UTC()
		}
		m.Times, m.Known = append(m.Times, end.UTC()), append(m.Known, known)
	}
	for _, name := range names[:min(len(names), maxPools)] {
		m.Pools = append(m.Pools, series(name, g.steps, func(query, i int) float64 { return value(found[query], name, i) }))
	}
	slices.SortFunc(m.Pools, func(a, b protocol.MetricsSeries) int { return cmp.Compare(a.Name, b.Name) })
	m.Total = series("", g.steps, func(query, i int) float64 {
		switch query {
		case p50:
			return value(found[p50OfAll], "", i)
		case p99:
			return value(found[p99OfAll], "", i)
		}
		return sum(found[query], names, i)
	})
	return m
}

// chosen returns the names of the pools, those with the most calls first, without those of single persons.
func chosen(found [queries]pools) []string {
	names := map[string]float64{}
	for _, of := range found {
		for name := range of {
			if poolName.MatchString(name) && queue.BasePool(name) == name {
				names[name] = 0
			}
		}
	}
	for name := range names {
		for _, query := range []int{success, failure} {
			for i := range found[query][name] {
				if v := value(found[query], name, i); !math.IsNaN(v) {
					names[name] += v
				}
			}
		}
	}
	return slices.SortedFunc(maps.Keys(names), func(a, b string) int {
		return cmp.Or(cmp.Compare(names[b], names[a]), cmp.Compare(a, b))
	})
}

// value returns a value of a pool, NaN if there is none that a chart can show.
func value(of pools, name string, i int) float64 {
	line := of[name]
	if i >= len(line) || line[i] < 0 || line[i] > most {
		return math.NaN()
	}
	return line[i]
}

func is(of pools, name string, i int) bool { return !math.IsNaN(value(of, name, i)) }

// sum returns the sum of what is known of pools at a step, NaN if nothing is.
func sum(of pools, names []string, i int) float64 {
	total := math.NaN()
	for _, name := range names {
		switch v := value(of, name, i); {
		case math.IsNaN(v):
		case math.IsNaN(total):
			total = v
		default:
			total += v
		}
	}
	return total
}

// series returns the values of a pool, or of all.
func series(name string, steps int, of func(query, i int) float64) protocol.MetricsSeries {
	s := protocol.MetricsSeries{Name: name}
	for i := range steps {
		s.Success, s.Error = append(s.Success, perSecond(of(success, i))), append(s.Error, perSecond(of(failure, i)))
		s.P50, s.P99 = append(s.P50, milliseconds(of(p50, i))), append(s.P99, milliseconds(of(p99, i)))
		s.Backlog = append(s.Backlog, count(of(backlog, i)))
		s.Busy, s.Slots = append(s.Busy, whole(of(busy, i))), append(s.Slots, whole(of(slots, i)))
	}
	return s
}

func perSecond(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return math.Round(v*1000) / 1000
}

func milliseconds(seconds float64) *float64 {
	if math.IsNaN(seconds) {
		return nil
	}
	ms := math.Round(seconds*1e6) / 1000
	return &ms
}

func count(v float64) *int64 {
	if math.IsNaN(v) {
		return nil
	}
	n := int64(math.Round(v))
	return &n
}

func whole(v float64) int {
	if math.IsNaN(v) {
		return 0
	}
	return int(math.Round(v))
}
