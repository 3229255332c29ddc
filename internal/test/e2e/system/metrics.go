package system

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// Samples returns the metrics of the first dispatcher and of the workers, by printed name
// and labels. Key is that of an auditor where authentication is on, or empty.
func (s *System) Samples(t testing.TB, key string) map[string]float64 {
	t.Helper()
	header := http.Header{}
	if key != "" {
		header.Set("Authorization", "Bearer "+key)
	}
	r := s.HTTP(0).Send(t, "GET", "/metrics", "", header)
	if r.Status != 200 {
		t.Fatalf("/metrics = %d", r.Status)
	}
	all := map[string]float64{}
	for line := range strings.Lines(string(r.Body)) {
		line = strings.TrimSpace(line)
		i := strings.LastIndexByte(line, ' ')
		if line == "" || line[0] == '#' || i < 0 {
			continue
		}
		value, err := strconv.ParseFloat(line[i+1:], 64)
		if err != nil {
			t.Fatalf("metric %q: %v", line, err)
		}
		all[line[:i]] = value
	}
	return all
}

// Metric returns one sample, 0 if there is none.
func (s *System) Metric(t testing.TB, name string) float64 {
	t.Helper()
	return s.Samples(t, "")[name]
}
