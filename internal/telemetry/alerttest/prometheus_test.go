package alerttest

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/rules"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/util/teststorage"
)

const (
	rulesFile = "../../../deploy/prometheus/alerts.yaml"
	// interval is the virtual time between two scrapes.
	interval = 15 * time.Second
	// patience is the real time for which a test waits for an alert.
	patience = 4 * time.Minute
)

// prom is a Prometheus with a clock of its own: each step scrapes all targets and evaluates
// the rules a quarter of a minute later.
type prom struct {
	t       *testing.T
	storage *teststorage.TestStorage
	engine  *promql.Engine
	groups  map[string]*rules.Group
	now     time.Time
	targets []*target
}

// target is a process that is scraped.
type target struct {
	instance, url string
	series        map[string]labels.Labels // of the last scrape
}

func start(t *testing.T, urls ...string) *prom {
	t.Helper()
	p := &prom{t: t, storage: teststorage.New(t), now: time.Now()}
	for i, url := range urls {
		p.targets = append(p.targets, &target{instance: string(rune('a' + i)), url: url})
	}
	p.engine = promql.NewEngine(promql.EngineOpts{MaxSamples: 10_000_000, Timeout: time.Minute, LookbackDelta: 5 * time.Minute})
	t.Cleanup(func() { _ = p.engine.Close() })
	manager := rules.NewManager(&rules.ManagerOptions{
		Context: t.Context(), AppendableV2: p.storage, Queryable: p.storage, QueryFunc: rules.EngineQueryFunc(p.engine, p.storage),
		NotifyFunc: func(context.Context, string, ...*rules.Alert) {}, Logger: slog.New(slog.DiscardHandler),
		Registerer: prometheus.NewRegistry(), Parser: parser.NewParser(parser.Options{}),
	})
	var errs []error
	if p.groups, errs = manager.LoadGroups(interval, labels.EmptyLabels(), "", nil, false, rulesFile); errs != nil {
		t.Fatal(errors.Join(errs...))
	}
	return p
}

// step moves the clock, scrapes and evaluates.
func (p *prom) step() {
	p.t.Helper()
	p.now = p.now.Add(interval)
	for _, target := range p.targets {
		p.scrape(target)
	}
	for _, g := range p.groups {
		g.Eval(p.t.Context(), p.now)
		for _, r := range g.Rules() {
			if err := r.LastError(); err != nil {
				p.t.Fatalf("rule %s: %v", r.Name(), err)
			}
		}
	}
}

func (p *prom) scrape(from *target) {
	p.t.Helper()
	res, err := http.Get(from.url + "/metrics")
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		p.t.Fatalf("/metrics = %d, %v", res.StatusCode, err)
	}
	parser, err := textparse.New(body, res.Header.Get("Content-Type"), labels.NewSymbolTable(), textparse.ParserOptions{})
	if err != nil {
		p.t.Fatal(err)
	}
	app := p.storage.AppenderV2(p.t.Context())
	at := p.now.UnixMilli()
	series := map[string]labels.Labels{}
	for {
		entry, err := parser.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			p.t.Fatal(err)
		}
		if entry != textparse.EntrySeries {
			continue
		}
		_, _, v := parser.Series()
		var ls labels.Labels
		parser.Labels(&ls)
		ls = labels.NewBuilder(ls).Set("instance", from.instance).Labels()
		series[ls.String()] = ls
		if _, err := app.Append(0, ls, 0, at, v, nil, nil, storage.AppendV2Options{}); err != nil {
			p.t.Fatal(err)
		}
	}
	for key, ls := range from.series {
		if _, there := series[key]; !there {
			if _, err := app.Append(0, ls, 0, at, math.Float64frombits(value.StaleNaN), nil, nil, storage.AppendV2Options{}); err != nil {
				p.t.Fatal(err)
			}
		}
	}
	from.series = series
	if err := app.Commit(); err != nil {
		p.t.Fatal(err)
	}
}

// has reports whether a target had a metric at the last step.
func (p *prom) has(metric string) bool {
	for _, ls := range p.targets[0].series {
		if ls.Get("__name__") == metric {
			return true
		}
	}
	return false
}

// firing reports whether an alert fires.
func (p *prom) firing(alert string) bool {
	p.t.Helper()
	for _, g := range p.groups {
		for _, r := range g.AlertingRules() {
			if r.Name() == alert {
				return r.State() == rules.StateFiring
			}
		}
	}
	p.t.Fatalf("there is no alert %s", alert)
	return false
}

// until moves the clock until an alert fires, or no longer does. Each between runs before a
// step.
func (p *prom) until(alert string, firing bool, between ...func()) {
	p.t.Helper()
	late := time.After(patience)
	pause := time.NewTicker(50 * time.Millisecond) // for the parts, whose time is not the test's
	defer pause.Stop()
	for {
		for _, run := range between {
			run()
		}
		p.step()
		if p.firing(alert) == firing {
			return
		}
		select {
		case <-pause.C:
		case <-late:
			p.t.Fatalf("%s: firing is %v after %v, want %v", alert, !firing, patience, firing)
		}
	}
}

// proves sees an alert not fire, fire after cause, and clear after mend.
func (p *prom) proves(alert string, cause, mend func(), between ...func()) {
	p.t.Helper()
	for range 3 {
		p.step()
	}
	if p.firing(alert) {
		p.t.Fatalf("%s fires before its fault", alert)
	}
	cause()
	p.until(alert, true, between...)
	mend()
	p.until(alert, false)
}
