package console

import (
	"encoding/json"
	"testing"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// historyOf returns the history that a dispatcher answers with.
func historyOf(t *testing.T, s *system.System, dispatcher int, span string) protocol.MetricsHistory {
	t.Helper()
	return system.Decode[protocol.MetricsHistory](t, s.HTTP(dispatcher).Ask(t, "default", "metrics.history", map[string]string{"range": span}, ""))
}

// counted reports whether a history has calls that succeeded, with their times.
func counted(m protocol.MetricsHistory) bool {
	for i, known := range m.Known {
		if known && m.Total.Success[i] > 0 && m.Total.P50[i] != nil && *m.Total.P99[i] >= *m.Total.P50[i] && m.Total.Slots[i] > 0 {
			return true
		}
	}
	return false
}

// TestHistoryRestart: what the workers did is known after all dispatchers have ended and another
// has started, in each range; two dispatchers counted no call twice.
func TestHistoryRestart(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Dispatchers: 2, Workers: 1})
	const calls = 7
	for range calls {
		system.One(t, s.HTTP(0), "default", system.EchoCall("1"))
	}
	for dispatcher := range s.URLs {
		system.Eventually(t, "the calls are counted", func() bool { return counted(historyOf(t, s, dispatcher, "1h")) })
	}
	for _, drain := range s.Drains {
		if err := drain(); err != nil {
			t.Fatal(err)
		}
	}
	stored := 0
	for _, value := range s.StoredMessages(t, natsio.BucketStream(streams.BucketHistory), "") {
		var m struct {
			Total struct {
				Succeeded int `json:"s"`
			} `json:"a"`
		}
		if err := json.Unmarshal([]byte(value), &m); err != nil {
			t.Fatalf("%s: %v", value, err)
		}
		stored += m.Total.Succeeded
	}
	if stored != calls {
		t.Errorf("%d calls are stored, want %d", stored, calls)
	}
	if _, err := s.AddDispatcher(); err != nil {
		t.Fatal(err)
	}
	for span, steps := range map[string]int{"1h": 60, "24h": 288, "7d": 336} {
		var m protocol.MetricsHistory
		system.Eventually(t, "the calls of before are known", func() bool {
			m = historyOf(t, s, len(s.URLs)-1, span)
			return counted(m)
		})
		if len(m.Times) != steps || len(m.Known) != steps || len(m.Total.Success) != steps || len(m.Pools) == 0 {
			t.Errorf("%s has %d steps of %d pools, want %d", span, len(m.Times), len(m.Pools), steps)
		}
	}
}

// TestHistoryRanges: another range, or a range beside minutes, is refused.
func TestHistoryRanges(t *testing.T) {
	t.Parallel()
	for _, params := range []map[string]string{
		{"range": "2h"}, {"range": "7"}, {"range": "7D"}, {"minutes": "0"}, {"minutes": "61"}, {"minutes": "x"}, {"range": "1h", "minutes": "5"},
	} {
		if r := shared.HTTP(0).Ask(t, system.NewTenant(), "metrics.history", params, ""); r.Status != 400 {
			t.Errorf("metrics.history with %v = %d %s", params, r.Status, r.Body)
		}
	}
}
