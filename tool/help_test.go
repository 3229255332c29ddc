package tool

import (
	"strings"
	"testing"
)

func TestParameterHelp(t *testing.T) {
	for _, tt := range []struct{ schema, want string }{
		{`{"type":"object","properties":{}}`, "It takes no parameters.\n"},
		{`not JSON`, "It takes no parameters.\n"},
		{
			`{"type":"object","required":["z"],"properties":{"z":{"type":"string","description":"The last."},"a":{"type":"integer","default":5},
			  "m":{"type":"array","items":{"type":"string"}},"e":{"type":"string","enum":["x","y"],"default":"x"},"any":{}}}`,
			"- z (string, required): The last.\n- a (integer, default 5)\n- m (array of string)\n- e (string, one of \"x\", \"y\", " +
				"default \"x\")\n- any (any)\n",
		},
		{
			`{"properties":{"o":{"type":"object","required":["x"],"properties":{"x":{"type":"string","description":"An x."},"y":{}}},
			  "l":{"type":"array","items":{"type":"object","properties":{"n":{"type":"number"}}}},"last":{"type":"string"}}}`,
			"- o (object)\n  - x (string, required): An x.\n  - y (any)\n- l (array of object)\n  - n (number)\n- last (string)\n",
		},
		{
			`{"required":true,"properties":{"a":{"type":"string","required":true},"b":true,"c":{"type":"array","items":[{}]},"d":{"properties":[]},"e":{"description":5}}}`,
			"- a (string)\n- b (any)\n- c (array of any)\n- d (any)\n- e (any)\n",
		},
		{
			strings.Repeat(`{"properties":{"a":`, 6) + `{}` + strings.Repeat(`}}`, 6),
			"- a (any)\n  - a (any)\n    - a (any)\n      - a (any)\n",
		},
	} {
		if got := ParameterHelp([]byte(tt.schema)); got != tt.want {
			t.Errorf("ParameterHelp(%s) =\n%swant\n%s", tt.schema, got, tt.want)
		}
	}
}
