package storm

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestSealed counts the problems of a trail, and a trail that is not sealed to its end.
func TestSealed(t *testing.T) {
	for name, tt := range map[string]struct {
		got  string
		want int
		says string
	}{
		"intact":          {`{"ok":true,"sealed_to":9,"problems":[]}`, 0, ""},
		"sealed further":  {`{"ok":true,"sealed_to":12,"problems":[]}`, 0, ""},
		"not to its end":  {`{"ok":true,"sealed_to":8,"problems":[]}`, 1, "up to 8 of 9"},
		"a forged record": {`{"ok":false,"sealed_to":9,"problems":[{"kind":"altered"}],"problem_count":1}`, 1, "altered"},
		"both":            {`{"ok":false,"sealed_to":3,"problems":[{"kind":"missing"}],"problem_count":2}`, 3, "missing"},
	} {
		var got report
		if err := json.Unmarshal([]byte(tt.got), &got); err != nil {
			t.Fatal(err)
		}
		var r Report
		r.sealed(got, 9)
		if r.Seals != tt.want || r.Broken() != tt.want || !strings.Contains(strings.Join(r.Samples, "\n"), tt.says) {
			t.Errorf("%s: %d problems, %d broken, %q; want %d that say %q", name, r.Seals, r.Broken(), r.Samples, tt.want, tt.says)
		}
	}
}
