package stack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// prometheus is the HTTP API of the server that Compose started.
type prometheus struct {
	t   *testing.T
	url string
}

// get reads the data of an answer.
func (p prometheus) get(path string, query url.Values, into any) {
	p.t.Helper()
	res, err := http.Get(p.url + "/api/v1/" + path + "?" + query.Encode())
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	var answer struct {
		Status, Error string
		Data          json.RawMessage
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || answer.Status != "success" {
		p.t.Fatalf("%s %s: %s %v", path, query, answer.Error, err)
	}
	if err := json.Unmarshal(answer.Data, into); err != nil {
		p.t.Fatalf("%s: %v: %s", path, err, answer.Data)
	}
}

// figures returns the number of values of a query since a time, without NaN.
func (p prometheus) figures(query string, since time.Time) (n int) {
	p.t.Helper()
	var data struct {
		Result []struct{ Values [][2]any }
	}
	unix := func(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }
	p.get("query_range", url.Values{"query": {query}, "start": {unix(since)}, "end": {unix(time.Now())}, "step": {"5"}}, &data)
	for _, series := range data.Result {
		for _, v := range series.Values {
			if v[1] != "NaN" {
				n++
			}
		}
	}
	return n
}

// up returns the number of targets of each job that were scraped without an error.
func (p prometheus) up() map[string]int {
	p.t.Helper()
	var data struct {
		ActiveTargets []struct{ ScrapePool, Health string }
	}
	p.get("targets", nil, &data)
	n := map[string]int{}
	for _, target := range data.ActiveTargets {
		if target.Health == "up" {
			n[target.ScrapePool]++
		}
	}
	return n
}

// alerts returns the alerts that fire, with their labels.
func (p prometheus) alerts() (firing []string) {
	p.t.Helper()
	var data struct {
		Alerts []struct {
			State  string
			Labels map[string]string
		}
	}
	p.get("alerts", nil, &data)
	for _, a := range data.Alerts {
		if a.State == "firing" {
			firing = append(firing, fmt.Sprintf("%s %v", a.Labels["alertname"], a.Labels))
		}
	}
	return firing
}

// rules returns the names of the rules that were evaluated without an error.
func (p prometheus) rules() map[string]bool {
	p.t.Helper()
	var data struct {
		Groups []struct {
			Rules []struct{ Name, Health, LastError string }
		}
	}
	p.get("rules", nil, &data)
	healthy := map[string]bool{}
	for _, g := range data.Groups {
		for _, r := range g.Rules {
			if healthy[r.Name] = r.Health == "ok"; r.Health == "err" {
				p.t.Errorf("rule %s: %s", r.Name, r.LastError)
			}
		}
	}
	return healthy
}

// panel is a panel of a dashboard, named as <dashboard>/<title>.
type panel struct {
	name    string
	queries []string
}

// panels returns the panels of the dashboards as Grafana would send their queries: with all
// values of each variable, and the rate interval of a scrape interval of 15 s.
func panels(t *testing.T) (all []panel) {
	t.Helper()
	files, err := filepath.Glob("../grafana/*.json")
	if err != nil || len(files) < 7 {
		t.Fatalf("%d dashboards (%v), want 7", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var d struct {
			Templating struct{ List []struct{ Name string } }
			Panels     []struct {
				Title   string
				Targets []struct{ Expr string }
			}
		}
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatal(err)
		}
		values := []string{"$__rate_interval", "1m"}
		for _, v := range d.Templating.List {
			values = append(values, "$"+v.Name, ".*")
		}
		expand := strings.NewReplacer(values...)
		for _, p := range d.Panels {
			one := panel{name: strings.TrimSuffix(filepath.Base(file), ".json") + "/" + p.Title}
			for _, q := range p.Targets {
				one.queries = append(one.queries, expand.Replace(q.Expr))
			}
			if len(one.queries) > 0 {
				all = append(all, one)
			}
		}
	}
	return all
}
