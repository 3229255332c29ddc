package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/client"
)

const (
	// slowServers is the number of calls that wait for servers at the same time.
	slowServers = 2000
	// slowRoom is the number of slots beside those.
	slowRoom = 200
)

// outwards measures tools that send a request to a server: their rate beside a tool that
// does nothing, and the cost of many that wait for an answer.
func outwards(ctx context.Context, f *fleet, s *Sheet) error {
	server, err := f.start(ctx, roleOutside)
	if err != nil {
		return err
	}
	if _, err := f.dispatcher(ctx); err != nil {
		return err
	}
	slow := f.calls(slowServers)
	worker, err := f.worker(ctx, "--slots", strconv.Itoa(slow+slowRoom), "--allow-host", "127.0.0.1")
	if err != nil {
		return err
	}
	o := &outside{f: f, worker: worker.ready["http"], server: server.ready["http"], quick: server.ready["quick"]}
	if err := o.rates(ctx, s); err != nil {
		return err
	}
	return o.waiting(ctx, s, slow)
}

// outside is a worker and a server that its tools send requests to.
type outside struct {
	f                     *fleet
	worker, server, quick string
}

// rates measures each tool in each round, so that other load of the machine affects all
// alike.
func (o *outside) rates(ctx context.Context, s *Sheet) error {
	calls := []example{
		{"debug.echo", `{"value":1}`},
		{"http_request", fmt.Sprintf(`{"url":%q}`, o.quick)},
		{"json_api", fmt.Sprintf(`{"url":%q}`, o.quick)},
	}
	round := *o.f // callRate measures for the time of all rounds
	round.opts.Rounds = 1
	rates, shares, costs := make([][]float64, len(calls)), make([][]float64, len(calls)), make([][]float64, len(calls))
	for range o.f.opts.Rounds {
		for i, c := range calls {
			rate, cost, err := o.cost(ctx, &round, c)
			if err != nil {
				return fmt.Errorf("%s: %w", c.tool, err)
			}
			rates[i], costs[i] = append(rates[i], rate), append(costs[i], cost)
			shares[i] = append(shares[i], rate/rates[0][len(rates[0])-1])
		}
	}
	for i, c := range calls {
		s.put(c.tool+"_rate", median(rates[i]), fmt.Sprintf("calls a second by %d callers, median of the rounds", dataCallers))
		s.put(c.tool+"_cpu_us", median(costs[i]), "CPU of dispatcher, worker and NATS for each, without the server that is asked")
		if i > 0 {
			s.put(c.tool+"_rate_of_noop", median(shares[i]), "of the rate of the tool that does nothing in the same round, median")
		}
	}
	return nil
}

// cost returns the calls a second of a tool, and the CPU time of each in microseconds.
func (o *outside) cost(ctx context.Context, round *fleet, c example) (rate, cpu float64, err error) {
	ours := slices.DeleteFunc(slices.Clone(o.f.nodes), func(n *node) bool { return n.role == roleOutside })
	before, err := usages(ctx, ours)
	if err != nil {
		return 0, 0, err
	}
	n, took, err := callFor(ctx, round, c)
	if err != nil {
		return 0, 0, err
	}
	after, err := usages(ctx, ours)
	if err != nil {
		return 0, 0, err
	}
	for i := range ours {
		cpu += after[i].CPU - before[i].CPU
	}
	return float64(n) / took.Seconds(), cpu / float64(n), nil
}

// waiting measures n calls that wait for a server beside n calls that sleep, and what a
// bystander notices.
func (o *outside) waiting(ctx context.Context, s *Sheet, n int) error {
	alone, err := o.bystander(ctx)
	if err != nil {
		return err
	}
	asleep, err := o.held(ctx, n, client.Call{Tool: "debug.sleep", Arguments: json.RawMessage(`{"ms":10000}`)}, nil)
	if err != nil {
		return err
	}
	var beside float64
	waits, err := o.held(ctx, n, client.Call{Tool: "http_request", Arguments: fmt.Appendf(nil, `{"url":%q}`, o.server+"/slow")}, func() error {
		beside, err = o.bystander(ctx)
		return err
	})
	if err != nil {
		return err
	}
	s.put("slow_calls", float64(n), "calls that wait for a server at the same time, on one worker")
	s.put("goroutines_asleep", asleep, "goroutines of the worker for each call that sleeps")
	s.put("goroutines_waiting", waits, "goroutines of the worker for each call that waits for a server; two of them belong to the connection")
	s.put("bystander_alone_p99_us", alone, "http_request of a server that answers, by one caller, alone, 99th percentile")
	s.put("bystander_p99_us", beside, "the same beside the calls that wait")
	return nil
}

// bystander returns the 99th percentile of calls to a server that answers, in microseconds.
func (o *outside) bystander(ctx context.Context) (float64, error) {
	nc, err := nats.Connect(o.f.nats, nats.Name("helve-bench"))
	if err != nil {
		return 0, err
	}
	defer nc.Close()
	body := fmt.Appendf(nil, `{"context":{"user":"bystander"},"calls":[{"tool":"http_request","arguments":{"url":%q}}]}`, o.quick)
	p := probe{name: "bystander", call: func(context.Context) error { return callTool(nc, body) }}
	if err := p.time(ctx, o.f.opts.Time); err != nil {
		return 0, err
	}
	return p.times.quantile(0.99), nil
}

// held runs n calls, and returns the goroutines of the worker for each while all of them
// run. It calls meanwhile, if that is not nil, and then ends the calls.
func (o *outside) held(ctx context.Context, n int, call client.Call, meanwhile func() error) (each float64, err error) {
	before, err := o.metric(ctx, "go_goroutines")
	if err != nil {
		return 0, err
	}
	ctx, stop := context.WithTimeout(ctx, 25*time.Second)
	defer stop()
	var sent sync.WaitGroup
	var sending error
	sent.Go(func() { sending = sendTogether(ctx, o.f.nats, n, 1+n/batchSize, call, time.Minute, succeeded) })
	err = o.until(ctx, "helve_worker_slots{pool=\"default\",state=\"busy\"}", float64(n))
	if err == nil && call.Tool == "http_request" {
		err = o.arrived(ctx, n)
	}
	var now float64
	if err == nil {
		now, err = o.metric(ctx, "go_goroutines")
	}
	if err == nil && meanwhile != nil {
		err = meanwhile()
	}
	if _, released := o.ask(context.WithoutCancel(ctx), "/release"); err == nil {
		err = released
	}
	sent.Wait()
	if err == nil {
		err = sending
	}
	return (now - before) / float64(n), err
}

// arrived waits until n requests wait at the server.
func (o *outside) arrived(ctx context.Context, n int) error {
	return o.poll(ctx, func() (bool, error) {
		text, err := o.ask(ctx, "/waiting")
		return text == strconv.Itoa(n), err
	})
}

// until waits until a metric of the worker has a value.
func (o *outside) until(ctx context.Context, name string, want float64) error {
	return o.poll(ctx, func() (bool, error) {
		value, err := o.metric(ctx, name)
		return value >= want, err
	})
}

func (o *outside) poll(ctx context.Context, done func() (bool, error)) error {
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		wait(ctx, 20*time.Millisecond)
		if ctx.Err() != nil {
			return fmt.Errorf("the calls did not all wait in time: %w", context.Cause(ctx))
		}
	}
}

func (o *outside) metric(ctx context.Context, name string) (float64, error) {
	return metric(ctx, o.worker, name)
}

// ask sends an order to the server, and returns its answer.
func (o *outside) ask(ctx context.Context, path string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, o.server+path, http.NoBody)
	if err != nil {
		return "", err
	}
	var client http.Client
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }() // everything that matters has been read
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}
