package dispatch

import (
	"testing"

	"github.com/helve-dev/helve/tool"
)

// TestChanges: what a call is expected to do follows from one parameter, and from nothing
// that is not clear.
func TestChanges(t *testing.T) {
	byMethod := &tool.Definition{Mutates: true, ReadsWhen: &tool.ReadsWhen{Param: "method", Values: []string{"GET", "HEAD"}, Absent: true}}
	needed := &tool.Definition{Mutates: true, ReadsWhen: &tool.ReadsWhen{Param: "method", Values: []string{"GET"}}}
	for _, tt := range []struct {
		def  *tool.Definition
		args string
		want bool
	}{
		{&tool.Definition{}, `{}`, false},
		{&tool.Definition{Mutates: true}, `{"method":"GET"}`, true},
		{byMethod, `{"url":"x","method":"GET"}`, false},
		{byMethod, `{"method":"head","headers":{"method":"POST"}}`, false},
		{byMethod, `{"url":"x"}`, false},
		{byMethod, `{}`, false},
		{byMethod, `{"method":"POST"}`, true},
		{byMethod, `{"headers":{"method":"GET"},"method":"DELETE"}`, true},
		{byMethod, `{"m\u0065thod":"POST"}`, true},
		{byMethod, `{"method":null}`, true},
		{byMethod, `{"method":["GET"]}`, true},
		{byMethod, `{"method":"GET","method":"POST"}`, true},
		{byMethod, `{"method":"GET"`, true},
		{byMethod, `[]`, true},
		{byMethod, ``, true},
		{needed, `{"url":"x"}`, true},
		{needed, `{"method":"get"}`, false},
	} {
		if got := changes(tt.def, []byte(tt.args)); got != tt.want {
			t.Errorf("changes(%s) = %v, want %v", tt.args, got, tt.want)
		}
	}
}
