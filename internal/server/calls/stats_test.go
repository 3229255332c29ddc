package calls

import (
	"testing"
	"time"

	"github.com/helve-dev/helve/protocol"
)

func TestQuantile(t *testing.T) {
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(i + 1)
	}
	for _, tt := range []struct {
		sorted  []float64
		percent int
		want    float64
	}{
		{nil, 50, 0}, {[]float64{7}, 50, 7}, {[]float64{7}, 99, 7}, {[]float64{1, 2}, 50, 1}, {[]float64{1, 2, 3}, 50, 2}, {hundred, 50, 50},
		{hundred, 99, 99},
	} {
		if got := quantile(tt.sorted, tt.percent); got != tt.want {
			t.Errorf("quantile of %d values, %d %% = %v, want %v", len(tt.sorted), tt.percent, got, tt.want)
		}
	}
}

func TestCounter(t *testing.T) {
	at := time.Date(2026, 11, 18, 10, 0, 0, 0, time.UTC)
	record := func(name, status, kind string, ms float64, minute int) *protocol.AuditRecord {
		return &protocol.AuditRecord{
			Tool:       name,
			Time:       at.Add(time.Duration(minute) * time.Minute),
			DurationMS: ms,
			Result:     &protocol.AuditResult{Status: status, ErrorType: kind},
		}
	}
	c := counter{from: at, to: at.Add(24 * time.Minute), tools: map[string]*counted{}}
	for _, r := range []*protocol.AuditRecord{
		record("b", "success", "", 4, 3), record("a", "error", "timeout", 0, 2), record("b", "error", "timeout", 2, 1),
		record("a", "error", "internal", 9, 5), record("c", "success", "", 1, 4),
		{Tool: "b", Time: at.Add(6 * time.Minute)},
	} {
		c.add(r)
	}
	list := c.list()
	if len(list) != 3 || list[0].Tool != "b" || list[1].Tool != "a" || list[2].Tool != "c" {
		t.Fatalf("the order is %+v", list)
	}
	if b := list[0]; b.Calls != 3 || b.Errors != 1 || b.P50 != 2 || b.P99 != 4 || !b.Last.Equal(at.Add(6*time.Minute)) {
		t.Errorf("b = %+v", b)
	}
	if b := list[0]; len(b.CallsOver) != protocol.ToolSteps || b.CallsOver[3] != 1 || b.CallsOver[1] != 1 || b.ErrorsOver[1] != 1 ||
		b.ErrorsOver[3] != 0 || b.CallsOver[0] != 0 {
		t.Errorf("b over time: %v and %v", b.CallsOver, b.ErrorsOver)
	}
	for minute, step := range map[int]int{-5: 0, 0: 0, 23: 23, 24: 23, 90: 23} {
		if got := c.step(at.Add(time.Duration(minute) * time.Minute)); got != step {
			t.Errorf("minute %d is in step %d, want %d", minute, got, step)
		}
	}
	if got := (&counter{from: at, to: at}).step(at); got != 0 {
		t.Errorf("of no time there is step %d", got)
	}
	if a := list[1]; a.Errors != 2 || a.ErrorTypes["timeout"] != 1 || a.ErrorTypes["internal"] != 1 || a.P50 != 9 {
		t.Errorf("a = %+v", a)
	}
	if c.records != 6 || !c.oldest.Time.Equal(at.Add(time.Minute)) {
		t.Errorf("%d records since %v", c.records, c.oldest.Time)
	}
}
