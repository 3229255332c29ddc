package bench

import (
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
)

func TestScenarios(t *testing.T) {
	for name, want := range map[string]string{
		"drain":    "40 calls queued",
		"sleepers": "40 calls of 1 s",
		"kill":     "on attempt 2",
		"start":    "worker ready",
	} {
		opts, gone := quick(t)
		opts.Calls = 40
		sheet, err := Scenario(bounded(t), name, opts)
		if err != nil {
			t.Fatalf("Scenario(%s): %v", name, err)
		}
		if !strings.Contains(sheet.Text, want) || strings.Contains(sheet.Text, "\n") || len(sheet.Figures) > 0 {
			t.Errorf("Scenario(%s) = %+v, want one line with %q", name, sheet, want)
		}
		gone(3)
	}
}

func TestScenarioUnknown(t *testing.T) {
	if _, err := Scenario(bounded(t), "picnic", Options{}); err == nil || !strings.Contains(err.Error(), "sleepers") {
		t.Errorf("Scenario(picnic) = %v, want an error that names the scenarios", err)
	}
}

func TestResultsNoticeWhatIsWrong(t *testing.T) {
	good := []byte(`{"status":"success"}`)
	for name, second := range map[string]*nats.Msg{
		"two results": {Subject: "helve.v1.default.result.d-1.a", Data: good},
		"succeed":     {Subject: "helve.v1.default.result.d-1.b", Data: []byte(`{"status":"error"}`)},
	} {
		r := &results{want: 3, all: make(chan struct{}), seen: map[string]bool{}}
		r.count(&nats.Msg{Subject: "helve.v1.default.result.d-1.a", Data: good})
		if r.wrong != nil {
			t.Fatalf("one success: %v, want nothing wrong", r.wrong)
		}
		r.count(second)
		if r.wrong == nil || !strings.Contains(r.wrong.Error(), name) {
			t.Errorf("%s: wrong = %v, want it noticed", name, r.wrong)
		}
	}
}

func TestQuarters(t *testing.T) {
	if got := quarters([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9}); got != "1/3/5/7/9" {
		t.Errorf("quarters = %s, want 1/3/5/7/9", got)
	}
	if got := quarters([]float64{7}); got != "7/7/7/7/7" {
		t.Errorf("quarters of one = %s, want 7 five times", got)
	}
}

// TestRestarts: neither callers over HTTP nor MCP clients notice.
func TestRestarts(t *testing.T) {
	opts, gone := quick(t)
	opts.Calls = 2
	sheet, err := Scenario(bounded(t), "restarts", opts)
	if err != nil {
		t.Fatal(err)
	}
	figures := map[string]float64{}
	for _, f := range sheet.Figures {
		figures[f.Name] = f.Value
	}
	if figures["restarts"] != 2 || figures["http_calls"] == 0 || figures["mcp_calls"] == 0 || figures["http_failed"] != 0 ||
		figures["mcp_failed"] != 0 {
		t.Errorf("the figures are %v", figures)
	}
	gone(3)
}
