package bench

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestSheet(t *testing.T) {
	s := Sheet{Scenario: "gate", Machine: Machine{Cores: 2, CPU: "Abacus", Kernel: "linux 6", Go: "go1.26"}, Load: "0.50"}
	s.put("wait_us", 12.345, "a wait")
	s.put("calls_per_s", 98765.4, "calls a second")
	s.put("calls", 7, "")
	var text strings.Builder
	if err := s.Table(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"gate: 2 cores, Abacus, linux 6, go1.26; load average before: 0.50", "wait_us 12.35 a wait",
		"calls_per_s 98765 calls a second", "calls 7",
	} {
		if got := strings.Join(strings.Fields(text.String()), " "); !strings.Contains(got, want) {
			t.Errorf("table %q, want %q in it", got, want)
		}
	}
	data, err := json.Marshal(&s)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Scenario string
		Machine  Machine
		Figures  map[string]float64
	}
	if err := json.Unmarshal(data, &got); err != nil || got.Scenario != "gate" || got.Machine.Cores != 2 || got.Figures["wait_us"] != 12.345 ||
		len(got.Figures) != 3 {
		t.Errorf("JSON %s, %v, want the figures by name", data, err)
	}
}

func TestSheetInWords(t *testing.T) {
	s := Sheet{Scenario: "kill", Text: "it was done"}
	var text strings.Builder
	if err := s.Table(&text); err != nil || text.String() != "kill: it was done\n" {
		t.Errorf("table %q, %v, want one line", text.String(), err)
	}
}
