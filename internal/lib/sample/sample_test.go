package sample

import (
	"encoding/json"
	"testing"
)

func FuzzReadSample(f *testing.F) {
	for _, seed := range []string{`"[1,2,3]"`, `[1,"2",null]`, `"1; 2 3,,"`, `"[1e308,-1e308]"`, `"0x1p-2"`, `{}`, `"\u00a05"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := Read(raw)
		if err != nil {
			return
		}
		res, err := Measure(s.Numbers).Describe()
		if err != nil {
			return
		}
		if text, err := json.Marshal(res); err != nil || res.Count != len(s.Numbers) {
			t.Errorf("%s: %s, %v", raw, text, err)
		}
	})
}
