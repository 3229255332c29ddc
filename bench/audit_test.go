package bench

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/protocol"
)

func TestAuditScenario(t *testing.T) {
	opts, gone := quick(t)
	s, err := Scenario(bounded(t), "audit", opts)
	if err != nil {
		t.Fatal(err)
	}
	gone(3)
	s.above(t, "written", "write_records_per_s", "write_ack_p99_us", "index_catch_up_s", "seals", "seal_lag_max_s", "broker_cpu_us_per_record",
		"dispatcher_cpu_us_per_record", "query_trace_p50_us", "verify_records_per_s", "export_records_per_s", "verify_file_records_per_s")
	if all := s.figures(); all["indexed"] != all["written"] {
		t.Errorf("%v written, %v indexed", all["written"], all["indexed"])
	}
}

func TestSealLagIsThatOfTheOldestRecord(t *testing.T) {
	base := time.Now()
	l := &sealLag{samples: []sample{{base, 0}, {base.Add(50), 10}, {base.Add(100), 20}, {base.Add(150), 30}}}
	seal := func(from, to uint64, at time.Duration) {
		data, err := json.Marshal(audit.Seal{From: from, To: to})
		if err != nil {
			t.Fatal(err)
		}
		l.sealed(data, base.Add(at))
	}
	seal(1, 10, 60) // record 1 came after base
	if l.most != 60 {
		t.Errorf("lag %v, want 60", l.most)
	}
	seal(11, 25, 170) // record 11 came after the sample at 50
	if l.most != 120 || l.to != 25 || l.seals != 2 {
		t.Errorf("lag %v to %d, want 120 to 25", l.most, l.to)
	}
	l.sealed([]byte("{"), base)
	if l.wrong == nil {
		t.Error("an unreadable seal is not noticed")
	}
	l = &sealLag{samples: []sample{{base, 5}, {base.Add(50), 10}}}
	seal(1, 10, 70) // record 1 was there before anybody looked
	if l.most != 70 {
		t.Errorf("lag %v, want 70", l.most)
	}
}

func TestWhatTheIndexLacksIsNoticed(t *testing.T) {
	for name, body := range map[string]string{
		"lost":  `{"records":[{"seq":1},{"seq":2}]}`,
		"twice": `{"records":[{"seq":1},{"seq":2},{"seq":2}]}`,
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(body))
		}))
		t.Cleanup(srv.Close)
		c, err := client.New(srv.URL)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		if err := countIndexed(t.Context(), c, 3); err == nil {
			t.Errorf("%s: not noticed", name)
		}
		if name == "lost" {
			if err := countIndexed(t.Context(), c, 2); err != nil {
				t.Errorf("both there: %v", err)
			}
		}
	}
}

func TestMetric(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("# HELP a b\nlagging 1\nlag 42\n"))
	}))
	t.Cleanup(srv.Close)
	if v, err := metric(t.Context(), srv.URL, "lag"); v != 42 || err != nil {
		t.Errorf("metric = %v, %v, want 42", v, err)
	}
	if _, err := metric(t.Context(), srv.URL, "none"); err == nil {
		t.Error("a metric that is not there was read")
	}
}

// Records come as calls: two of each, five calls of each trace.
func TestRecordsWritten(t *testing.T) {
	a, b, other := recordOf(8, "w"), recordOf(9, "w"), recordOf(10, "w")
	if a.TraceID != b.TraceID || a.CallID != b.CallID || a.Phase != protocol.AuditStarted || b.Phase != protocol.AuditFinished ||
		a.ID == b.ID {
		t.Errorf("records 8 and 9 are %+v and %+v, want one call's", a, b)
	}
	if other.TraceID == a.TraceID || other.CallID == a.CallID {
		t.Errorf("record 10 is %+v, want another trace's", other)
	}
}
