package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/helve-dev/helve/client"
)

const (
	consoleCalls = 1_000_000
	consoleCount = 2000
	// listReads is the number of times that each list is read.
	listReads = 20
	// searchReads is that of a search in contents.
	searchReads = 3
	// listMost is the limit that the console reads lists with.
	listMost = "100"
)

// consoles measures what the console needs of a dispatcher that has seen many calls, while
// many others wait for people: how long its lists take, what it costs that many have their
// inbox open, and the page of a call as well, and how soon each of these has a new request.
func consoles(ctx context.Context, f *fleet, s *Sheet) error {
	total, parked := f.calls(consoleCalls), f.opts.Parked
	if parked == 0 {
		parked = parkedCalls
	}
	// All results of an hour are kept, and all consoles are one person's.
	f.settings = append(f.settings, "HELVE_STREAMS_RESULTS_MAX_BYTES=4GiB", "HELVE_HTTP_MAX_STREAMS=10000")
	dispatcher, err := f.dispatcher(ctx, "--consent-ttl", patientTTL)
	if err != nil {
		return err
	}
	if _, err := f.worker(ctx, "--consent-ttl", patientTTL); err != nil {
		return err
	}
	caller, err := f.start(ctx, roleCaller)
	if err != nil {
		return err
	}
	at := dispatcher.ready["http"]
	f.opts.sayf("console: making %d calls, parking %d", total, parked)
	made, err := somany(ctx, caller, load{Way: NATS, URL: f.nats, Callers: growthCallers, Run: growthLimit, Calls: int64(total)})
	if err == nil && made.Failed > 0 {
		err = fmt.Errorf("%d calls failed, the first: %s", made.Failed, made.First)
	}
	if err != nil {
		return err
	}
	if _, err := park(ctx, f.nats, parked, s); err != nil {
		return err
	}
	if err := indexed(ctx, at); err != nil {
		return err
	}
	s.put("calls", float64(total), "calls on the trail")
	if err := readLists(ctx, f, at, s); err != nil {
		return err
	}
	return openInboxes(ctx, f, s, dispatcher, caller)
}

// indexed waits until all records can be asked for.
func indexed(ctx context.Context, at string) error {
	for end := time.Now().Add(catchUpLimit); ; wait(ctx, 100*time.Millisecond) {
		behind, err := metric(ctx, at, "helve_audit_index_lag_records")
		if err != nil || behind == 0 {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("%.0f records are not indexed after %v", behind, catchUpLimit)
		}
	}
}

// readLists reads each list of the console some times, one after the other.
func readLists(ctx context.Context, f *fleet, at string, s *Sheet) error {
	for _, list := range []struct{ name, path, about string }{
		{"page", "/", "the document of the console"},
		{"inbox", "/v1/consents?status=pending&oldest=true&limit=" + listMost, "the oldest requests"},
		{"calls", "/v1/calls?limit=" + listMost, "the newest calls"},
		{"calls_of_tool", "/v1/calls?tool=debug.echo&limit=" + listMost, "the newest calls of a tool"},
		{"calls_with_word", "/v1/calls?q=nowhere&limit=" + listMost, "calls with a word that none has: what one page of a search reads"},
		{
			"calls_with_content", "/v1/calls?q=nowhere&contents=true&limit=" + listMost,
			"the same in arguments and results, as the console searches",
		},
		{"calls_failed", "/v1/calls?status=error&limit=" + listMost, "failed calls, of which there are none"},
		{"audit", "/v1/audit?newest=true&limit=" + listMost, "the newest records"},
		{"tools", "/v1/tools?limit=" + listMost, "the catalogue"},
		{"tool_stats", "/v1/tool-stats", "the statistics of the tools"},
		{"history", "/v1/metrics/history", "the charts of the fleet"},
	} {
		var times histogram
		reads := listReads
		if list.name == "calls_with_content" {
			reads = searchReads // each of them reads hundreds of results
		}
		for range reads {
			began := time.Now()
			if err := read(ctx, at+list.path, nil); err != nil {
				return fmt.Errorf("%s: %w", list.path, err)
			}
			times.add(time.Since(began))
		}
		f.opts.sayf("console: %s: median %.1f ms, longest %.1f ms", list.name, times.quantile(0.5)/1000, times.quantile(1)/1000)
		s.put(list.name+"_p50_ms", times.quantile(0.5)/1000, list.about+", median")
		s.put(list.name+"_most_ms", times.quantile(1)/1000, "")
	}
	return nil
}

// read reads what an address returns, into a value if there is one.
func read(ctx context.Context, address string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	resp, err := inboxClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("the dispatcher answered %s: %.200s", resp.Status, body)
	}
	if err == nil && into != nil {
		err = json.Unmarshal(body, into)
	}
	return err
}

// inboxClient keeps a connection for each console.
var inboxClient = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: consoleCount}}

// openInboxes compares calls and memory without and with open consoles, first with the request of
// their inbox and then with the event stream of a call each as well, and then parks one call that
// all of them must show.
func openInboxes(ctx context.Context, f *fleet, s *Sheet, dispatcher, caller *node) error {
	defer inboxClient.CloseIdleConnections()
	at := dispatcher.ready["http"]
	look := func() (rate, held float64, err error) {
		t, err := somany(ctx, caller, load{Way: HTTP, URL: at, Callers: growthCallers, Run: 2 * f.opts.Time})
		if err != nil || t.Failed > 0 {
			return 0, 0, fmt.Errorf("%d calls failed (%s): %w", t.Failed, t.First, err)
		}
		u, err := dispatcher.held(ctx)
		return float64(t.Calls) / t.Seconds, float64(u.RSS) / (1 << 20), err
	}
	if _, _, err := look(); err != nil { // what calls take for themselves is taken before
		return err
	}
	without, clean, err := look()
	if err != nil {
		return err
	}
	count := f.opts.Consoles
	if count == 0 {
		count = min(consoleCount, f.calls(consoleCalls))
	}
	boxes, pages := inboxes{at: at, count: count}, audience{url: at, client: &http.Client{Transport: &http.Transport{}}}
	open, leave := context.WithCancel(ctx)
	defer boxes.open.Wait()
	defer pages.reading.Wait()
	defer leave()
	f.opts.sayf("console: opening %d consoles", count)
	if err := boxes.gather(open); err != nil {
		return err
	}
	with, held, err := look()
	if err != nil {
		return err
	}
	s.put("consoles", float64(count), "consoles that are open, each with its inbox")
	s.put("calls_per_s_alone", without, "calls a second over HTTP without them")
	s.put("calls_per_s_beside", with, "calls a second beside them")
	s.put("consoles_rss_mib", held-clean, "memory of the dispatcher for them")
	f.opts.sayf("console: opening a stream of events for each")
	if err := pages.gather(open, count); err != nil {
		return err
	}
	if with, held, err = look(); err != nil {
		return err
	}
	s.put("calls_per_s_beside_streams", with, "calls a second beside them when each follows the events of a trace as well")
	s.put("consoles_and_streams_rss_mib", held-clean, "memory of the dispatcher for both")
	return boxes.news(ctx, f.nats, s)
}

// inboxes are open consoles: each has a request that waits for a change of its inbox.
type inboxes struct {
	at    string
	count int
	open  sync.WaitGroup
	heard atomic.Int64
}

// inboxOf is the user whose inbox all consoles show.
const inboxOf = "watched"

// gather opens consoles, which end with ctx.
func (b *inboxes) gather(ctx context.Context) error {
	return inParallel(ctx, b.count, func(_ context.Context, _ int) error {
		var list client.ConsentPage
		query := url.Values{"status": {"pending"}, "oldest": {"true"}, "limit": {listMost}, "user": {inboxOf}}
		if err := read(ctx, b.at+"/v1/consents?"+query.Encode(), &list); err != nil {
			return err
		}
		b.open.Go(func() {
			query.Set("wait_ms", "8000")
			for ctx.Err() == nil {
				query.Set("revision", list.Revision)
				list = client.ConsentPage{}
				if err := read(ctx, b.at+"/v1/consents?"+query.Encode(), &list); err != nil {
					return
				}
				if len(list.Consents) == 1 {
					b.heard.Add(1)
					return
				}
			}
		})
		return nil
	})
}

// news parks a call and waits until all consoles have its request.
func (b *inboxes) news(ctx context.Context, nats string, s *Sheet) error {
	c, err := client.New(nats)
	if err != nil {
		return err
	}
	defer c.Close()
	began := time.Now()
	if err := parkFor(ctx, c, inboxOf, make([]waitingCall, 1)); err != nil {
		return err
	}
	parked := time.Now()
	all := make(chan struct{})
	go func() {
		defer close(all)
		b.open.Wait()
	}()
	select {
	case <-all:
	case <-ctx.Done():
	case <-time.After(listenTimeout):
	}
	if got := b.heard.Load(); got != int64(b.count) {
		return fmt.Errorf("%d of %d consoles show the new request", got, b.count)
	}
	s.put("news_parked_ms", float64(parked.Sub(began).Microseconds())/1000, "a call, until its caller knows that it waits")
	s.put("news_all_ms", float64(time.Since(began).Microseconds())/1000, "the same call, until all consoles have its request")
	return nil
}
