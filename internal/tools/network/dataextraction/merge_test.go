package dataextraction

import (
	"encoding/json"
	"testing"
)

func TestMerge(t *testing.T) {
	for _, tt := range []struct{ a, b, want string }{
		{``, `{"a":1}`, `{"a":1}`}, {`{"a":1}`, ``, `{"a":1}`}, {`null`, `2`, `2`}, {`""`, `"x"`, `"x"`}, {`1`, `2`, `1`},
		{`[1]`, `{"a":1}`, `[1]`},
		{`{"a":1.50,"b":null}`, `{"a":2,"b":[1],"c":{"d":1}}`, `{"a":1.50,"b":[1],"c":{"d":1}}`},
		{`[{"a": 1},2]`, `[{"a":1},3,3]`, `[{"a":1},2,3]`},
		{`{"a":[1e2,12345678901234567890]}`, `{"a":[100]}`, `{"a":[1e2,12345678901234567890,100]}`},
		{`{"a":{"b":{"c":[1]}}}`, `{"a":{"b":{"c":[2],"d":0}}}`, `{"a":{"b":{"c":[1,2],"d":0}}}`},
	} {
		if got := string(merge(json.RawMessage(tt.a), json.RawMessage(tt.b))); got != tt.want {
			t.Errorf("merge(%s, %s) = %s, want %s", tt.a, tt.b, got, tt.want)
		}
	}
}
