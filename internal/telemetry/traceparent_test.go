package telemetry

import (
	"strings"
	"testing"
)

func TestParseTraceparent(t *testing.T) {
	for in, want := range map[string]string{
		traceparent: traceID,
		strings.TrimSuffix(traceparent, "01") + "00": traceID,
		"":                           "",
		traceID:                      "",
		strings.ToUpper(traceparent): "",
		traceparent + "-extra":       "",
		"ff" + traceparent[2:]:       "",
		"00-" + strings.Repeat("0", 32) + "-" + spanID + "-01":  "",
		"00-" + traceID + "-" + strings.Repeat("0", 16) + "-01": "",
		"00-" + traceID[:31] + "-" + spanID + "-01":             "",
	} {
		got, ok := ParseTraceparent(in)
		if ok != (want != "") || got != want {
			t.Errorf("ParseTraceparent(%q) = %q, %v, want %q", in, got, ok, want)
		}
	}
}

func TestNewTraceparent(t *testing.T) {
	one, ok1 := NewTraceparent(traceID, true)
	two, ok2 := NewTraceparent(traceID, false)
	if !ok1 || !ok2 || !strings.HasSuffix(one, "-01") || !strings.HasSuffix(two, "-00") {
		t.Errorf("NewTraceparent = %q, %q, want one sampled and one not", one, two)
	}
	if one[36:52] == two[36:52] {
		t.Errorf("NewTraceparent gives two parents the same span %s", one[36:52])
	}
	for _, tp := range []string{one, two} {
		if id, ok := ParseTraceparent(tp); !ok || id != traceID {
			t.Errorf("ParseTraceparent(%q) = %q, %v, want %s", tp, id, ok, traceID)
		}
	}
	for _, in := range []string{"", "xyz", strings.Repeat("0", 32), strings.ToUpper(traceID), traceID + "00"} {
		if got, ok := NewTraceparent(in, true); ok || got != "" {
			t.Errorf("NewTraceparent(%q) = %q, %v, want none", in, got, ok)
		}
	}
}
