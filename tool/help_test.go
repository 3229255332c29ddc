package tool

import "testing"

func TestParameterHelp(t *testing.T) {
	for _, tt := range []struct{ schema, want string }{
		{`{"type":"object","properties":{}}`, "It takes no parameters.\n"},
		{`not JSON`, "It takes no parameters.\n"},
		{
			`{"type":"object","required":["z"],"properties":{"z":{"type":"string","description":"The last."},"a":{"type":"integer","default":5},
			  "m":{"type":"array","items":{"type":"string"}},"e":{"type":"string","enum":["x","y"],"default":"x"},"any":{}}}`,
			"- z (string, required): The last.\n- a (integer, default 5)\n- m (array of string)\n- e (string, one of \"x\", \"y\", default \"x\")\n- any (any)\n",
		},
	} {
		if got := ParameterHelp([]byte(tt.schema)); got != tt.want {
			t.Errorf("ParameterHelp(%s) =\n%swant\n%s", tt.schema, got, tt.want)
		}
	}
}
